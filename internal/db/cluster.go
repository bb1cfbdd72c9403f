package db

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"hence"
	"hence/internal/db/remote"
	"hence/internal/fault"
)

// cluster is a store on several machines. Reads use the file of the node beside this
// process. Writes are batches that all nodes execute in the same order.
type cluster struct {
	client *remote.Client
	own    *follower
	path   string // of the node's file
	beside beside
}

// openCluster opens the store of a cluster, and creates it if the cluster has none. It
// fails with unavailable if the node's file cannot be read, and with the errors of Open.
func openCluster(ctx context.Context, name string, o Options) (*DB, error) {
	c, err := newCluster(name, o)
	if err != nil {
		return nil, err
	}
	d := &DB{path: c.path, readOnly: o.ReadOnly, wait: o.Wait, cluster: c, migrated: o.Migrated, state: o.State}
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := d.prepareCluster(ctx, current); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// newCluster returns the connection to a cluster, which may have no store yet.
func newCluster(name string, o Options) (*cluster, error) {
	address, err := remote.Parse(name)
	if err != nil {
		return nil, err
	}
	if address.File, err = filepath.Abs(address.File); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "open %s", address.File)
	}
	client, err := remote.New(address)
	if err != nil {
		return nil, err
	}
	if o.Wait == 0 {
		o.Wait = defaultWait
	}
	client.Patience = min(client.Patience, o.Wait)
	return &cluster{client: client, own: newFollower(address.File, o), path: address.File}, nil
}

// prepareCluster brings the store of the cluster to the current version, or refuses it.
func (d *DB) prepareCluster(ctx context.Context, h history) error {
	file, err := d.cluster.origin(ctx)
	if err != nil {
		return explain(err, "open %s", d.path)
	}
	if err := file.check(h, "open "+d.path); err != nil {
		return err
	}
	switch {
	case file.version == h.version():
		return d.cluster.checkHome(ctx)
	case d.readOnly:
		return fault.New(fault.ReadOnly, "open %s: the node's file has no store yet, or one of an older version; open it once without --read-only", d.path)
	case file.version == 0:
		d.made = true
		return d.cluster.upgrade(ctx, h, 0, h.schema)
	}
	// The copy is made of this node's file. Batches that other servers write before the
	// nodes run the script are in the log of the nodes and not in the copy.
	saved := savedName(d.path, beforeSchema(h))
	if err := d.backup(ctx, saved, h); err != nil {
		return err
	}
	for version := file.version; version < h.version(); version++ {
		if err := d.cluster.upgrade(ctx, h, version, h.migrations[version-1]); err != nil {
			return err
		}
	}
	d.reportMigration(saved, file, h)
	return nil
}

// origin reads the version and the maker of the node's file.
func (c *cluster) origin(ctx context.Context) (file origin, err error) {
	err = c.own.readRaw(ctx, func(n *conn) error {
		file, err = readOrigin(ctx, n.Conn)
		return err
	})
	return file, err
}

// checkHome refuses a node's file that holds a plain store, which was loaded into the
// cluster without Hence.
func (c *cluster) checkHome(ctx context.Context) error {
	var homes int
	err := c.own.readRaw(ctx, func(n *conn) error {
		return n.QueryRowContext(ctx, `select count(*) from home`).Scan(&homes)
	})
	if err == nil && homes == 0 {
		return fault.New(fault.InvalidArgument, "open %s: the cluster holds a store that is not marked as one of a cluster; bring it in with hence cluster import", c.path)
	}
	return explain(err, "open %s", c.path)
}

// waitForStore is how long a cluster may take to create or migrate its store.
const waitForStore = 30 * time.Second

const insertHome = `insert into home (only_row, cluster) values (1, ?)`

// upgrade makes the cluster run one script, which leads from a version of the schema to the
// next, and waits until the node's file shows it. It succeeds too if another server did it.
func (c *cluster) upgrade(ctx context.Context, h history, from int, script string) error {
	doing := "open " + c.path
	batch := remote.Batch{
		Statements: []remote.Statement{{SQL: script}, {SQL: upsertStore, Args: []any{hence.ThisBuild().String(), h.hash, newTag(), rand.Text()}}},
		// The schema begins with the table store, so it fails there if the store exists.
		Claimed:  func(statement int, words string) bool { return statement == 0 },
		Patience: waitForStore,
	}
	if from == 0 {
		batch.Statements = append(batch.Statements, remote.Statement{SQL: insertHome, Args: []any{NewID()}})
	} else {
		only := remote.Statement{SQL: `insert into expectation (holds) select user_version = ? from pragma_user_version`, Args: []any{from}}
		batch.Statements = append([]remote.Statement{only}, batch.Statements...)
	}
	switch outcome := c.client.Execute(ctx, batch); outcome.Kind {
	case remote.Landed, remote.AlreadyLanded:
	case remote.Refused:
		return explain(nodeError{outcome.Words}, "%s: migrate from schema version %d", doing, from)
	default:
		return fault.Wrap(fault.Unavailable, outcome.Err, "%s: no node of the cluster has made the store; see whether they run, and open it again", doing)
	}
	return c.await(ctx, waitForStore, func() (bool, error) {
		file, err := c.origin(ctx)
		if err != nil {
			return false, explain(err, "%s", doing)
		}
		if err := file.check(h, doing); err != nil {
			return false, err
		}
		return file.version > from, nil
	}, fault.New(fault.Unavailable, "%s: the cluster has the store, and the node's file does not show it yet; try again", doing))
}

// await calls done until it returns true or an error. After long, or when ctx is done, it
// returns late. The pauses grow from 0.5 to 20 ms: most waits take milliseconds.
func (c *cluster) await(ctx context.Context, long time.Duration, done func() (bool, error), late error) error {
	begun := time.Now()
	for pause := 500 * time.Microsecond; ; {
		ok, err := done()
		if err != nil || ok {
			return err
		}
		waited := time.Since(begun)
		if waited > long {
			return late
		}
		pause = max(pause, min(waited/8, 20*time.Millisecond))
		select {
		case <-ctx.Done():
			return late
		case <-time.After(pause):
		}
	}
}

func (c *cluster) close() error {
	err := errors.Join(c.beside.close(), c.own.close())
	c.client.Close()
	return explain(err, "close %s", c.path)
}

// mendWriter is MendWriter on a cluster.
func (c *cluster) mendWriter(ctx context.Context) error {
	batch := remote.Batch{
		Statements: []remote.Statement{{SQL: insertWriter}, {SQL: clearWriter}}, // running them twice does no harm
		Claimed:    func(int, string) bool { return false },
	}
	outcome := c.client.Execute(ctx, batch)
	if outcome.Kind != remote.Landed {
		failed := outcome.Err
		if outcome.Words != "" {
			failed = errors.Join(failed, nodeError{outcome.Words})
		}
		return fault.Wrap(fault.Unavailable, failed, "write to %s: the table writer was not mended", c.path)
	}
	return c.await(ctx, c.client.Patience, func() (bool, error) {
		var rows int
		err := c.own.readRaw(ctx, func(n *conn) error { return n.QueryRowContext(ctx, `select count(*) from writer`).Scan(&rows) })
		return rows == 1, explain(err, "read %s", c.path)
	}, fault.New(fault.Unavailable, "write to %s: the table writer is mended, and the node's file does not show it yet", c.path))
}

// Cluster returns the client of the cluster that holds the store, nil for a plain file.
func (d *DB) Cluster() *remote.Client {
	if d.cluster == nil {
		return nil
	}
	return d.cluster.client
}

// Act is the number of the last transaction that a read sees.
func (d *DB) Act(ctx context.Context) (number int64, err error) {
	err = d.snapshot(ctx, func(c *conn) error {
		return c.QueryRowContext(ctx, `select batch from writer`).Scan(&number)
	})
	return number, explain(err, "read %s", d.path)
}

// keepFromNodeFile reopens the store read-only if it is the file of a cluster's node: a
// change would be on this node only, and closing the last connection would write the log
// into the file without the node's knowledge.
func (d *DB) keepFromNodeFile(ctx context.Context, o Options) error {
	var homes int
	if d.frozen != nil { // already read-only
		return nil
	}
	err := d.snapshot(ctx, func(c *conn) error {
		return c.QueryRowContext(ctx, `select count(*) from home`).Scan(&homes)
	})
	if err != nil || homes == 0 {
		return explain(err, "open %s", d.path)
	}
	own := newFollower(d.path, o)
	// It is opened before the others are closed, so that none of them is the last.
	if err := own.read(ctx, func(*conn) error { return nil }); err != nil {
		return explain(errors.Join(err, own.close()), "open %s", d.path)
	}
	err = d.file.close()
	d.file, d.nodeFile, d.readOnly = nil, own, true
	return explain(err, "open %s", d.path)
}

// IsCluster reports whether a name that Open takes is that of a cluster's store.
func IsCluster(name string) bool { return remote.Is(name) }

// AbsoluteName returns the name of a store with an absolute path, for use in any folder.
func AbsoluteName(name string) (string, error) {
	file, parameters := remote.Cut(name)
	file, err := filepath.Abs(file)
	if err == nil && remote.Is(name) {
		file = remote.Scheme + file + parameters
	}
	return file, err
}

// HoldsSecret reports whether the name of a store has a password in it.
func HoldsSecret(name string) bool {
	_, parameters := remote.Cut(name)
	query, _ := url.ParseQuery(strings.TrimPrefix(parameters, "?")) // it returns the valid ones even if it fails
	return remote.Is(name) && query.Has("password")
}
