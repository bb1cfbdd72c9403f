package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"hence/internal/db/remote"
	"hence/internal/fault"
)

// Adopt replaces the store of the cluster called name by the plain store at path: all nodes
// replace their files. It returns when the file of the node beside this process shows the
// new store. It fails with invalid_argument if the file is not a store of this version,
// with unavailable if nothing was replaced, and otherwise with outcome_unknown.
func Adopt(ctx context.Context, path, name string, o Options) error {
	doing := "bring " + path + " into the cluster"
	if o.ReadOnly {
		return fault.New(fault.ReadOnly, "%s: the cluster's store was opened read-only; start without --read-only to write", doing)
	}
	if err := checkForeign(ctx, path, doing); err != nil {
		return err
	}
	c, err := newCluster(name, o)
	if err != nil {
		return err
	}
	defer func() { _ = c.close() }() // readers only
	return explain(c.adopt(ctx, path, doing), "%s", doing)
}

func (c *cluster) adopt(ctx context.Context, path, doing string) error {
	return InTemporaryFolder(doing, func(folder string) error {
		temp := filepath.Join(folder, "store.db")
		id, act := c.identity(ctx)
		err := withFile(ctx, path, func(from *conn) error {
			return withFile(ctx, temp, func(to *conn) (err error) {
				if err = copyPages(from, to); err == nil {
					act, err = mark(ctx, to, id, act)
				}
				return err
			})
		})
		if err != nil {
			return err
		}
		bytes, err := os.ReadFile(temp)
		if err != nil {
			return fault.Wrap(fault.Unavailable, err, "%s: the copy cannot be read", doing)
		}
		return c.load(ctx, bytes, act, doing)
	})
}

// mark turns a copy of a store into a cluster's store, in the form that nodes load, and
// returns the number of its last transaction. It makes that number larger than above:
// readers take a file with a lower number for one that is not complete yet.
func mark(ctx context.Context, c *conn, cluster string, above int64) (act int64, err error) {
	if err := errors.Join(dropLog(ctx, c), unmark(ctx, c)); err != nil {
		return 0, err
	}
	if err := c.run(ctx, []Stmt{S(insertHome, cluster), S(`update writer set batch = max(batch, ?) + 1`, above)}); err != nil {
		return 0, err
	}
	err = c.QueryRowContext(ctx, `select batch from writer`).Scan(&act)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoWriter
	}
	return act, err
}

// unmark turns a copy of a cluster's store into a plain store.
func unmark(ctx context.Context, c *conn) error {
	// The schema refuses a change of home by an unnamed writer.
	_, err := c.ExecContext(ctx, `
update writer set at = 'leaving';
delete from home;
delete from landed;
`+clearWriter)
	return err
}

// leaveCluster makes a copy of a cluster's store a plain store. It does nothing to any other copy.
func leaveCluster(ctx context.Context, c *conn) error {
	for _, query := range []string{`select exists (select 1 from sqlite_master where name = 'home')`, `select exists (select 1 from home)`} {
		var is bool
		if err := c.QueryRowContext(ctx, query).Scan(&is); err != nil || !is {
			return err
		}
	}
	return unmark(ctx, c)
}

// identity returns the id of the cluster, a new one if it has no store yet, and the number
// of its last transaction.
func (c *cluster) identity(ctx context.Context) (id string, act int64) {
	id = NewID()
	file, err := c.origin(ctx)
	if err != nil || file.version == 0 {
		return id, 0
	}
	_ = c.own.readRaw(ctx, func(n *conn) error { // id and act keep their values if they cannot be read
		return errors.Join(
			n.QueryRowContext(ctx, `select cluster from home`).Scan(&id),
			n.QueryRowContext(ctx, `select batch from writer`).Scan(&act))
	})
	return id, max(act, c.newest(ctx))
}

// newest asks the leader for the number of the last transaction; 0 if none answers.
func (c *cluster) newest(ctx context.Context) (act int64) {
	value, ok, err := c.client.Query(ctx, remote.Statement{SQL: `select batch from writer`})
	if number, isNumber := value.(json.Number); err == nil && ok && isNumber {
		act, _ = number.Int64()
	}
	return act
}

// load makes all nodes replace their files, and waits until the file of the node beside
// this process is the new one. act is the number of its last transaction.
func (c *cluster) load(ctx context.Context, file []byte, act int64, doing string) error {
	long := waitToLoad + time.Duration(len(file)>>20)*time.Second
	asking, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	sent, err := c.client.Load(asking, file)
	if err != nil && !sent {
		return fault.Wrap(fault.Unavailable, err, "%s: no node took it, and nothing was replaced; see whether they run", doing)
	}
	return c.await(ctx, long, func() (bool, error) {
		is, failed := ask[int64](ctx, c.own.readRaw, `select batch from writer, home`)
		return failed == nil && is >= act, nil // if it failed, the file is being replaced
	}, fault.Wrap(fault.OutcomeUnknown, err, "%s: the node's file does not show it; see with hence cluster status whether the nodes run, and with hence log what they hold", doing))
}

const waitToLoad = 30 * time.Second

// restoreCluster is RestoreBackup for the store of a cluster.
func restoreCluster(ctx context.Context, backup, name string, o Options) (saved string, err error) {
	c, err := newCluster(name, o)
	if err != nil {
		return "", err
	}
	file, err := c.origin(ctx)
	if err = errors.Join(err, c.close()); err != nil {
		return "", explain(err, "restore %s", backup)
	}
	if file.version > 0 && !o.ReadOnly {
		d, err := Open(ctx, name, o)
		if err != nil {
			return "", err
		}
		saved = savedName(d.path, beforeRestore)
		if err := errors.Join(d.Backup(ctx, saved), d.Close()); err != nil {
			return "", err
		}
	}
	return saved, Adopt(ctx, backup, name, o)
}
