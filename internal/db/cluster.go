package db

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hence"
	"hence/internal/db/remote"
	"hence/internal/fault"
	"hence/internal/pause"
)

// cluster is a store on several machines. Reads use the file of the node beside this
// process. Writes are batches that all nodes execute in the same order.
type cluster struct {
	client *remote.Client
	own    *follower
	path   string // of the node's file
}

// openCluster opens the store of a cluster, and creates it if the cluster has none. It
// fails with unavailable if the node's file cannot be read, and with the errors of Open.
func openCluster(ctx context.Context, name string, o Options) (*DB, error) {
	c, err := newCluster(name, o)
	if err != nil {
		return nil, err
	}
	d := newDB(ctx, c.path, o)
	d.engine = c
	err = d.migrate(ctx, current)
	if err == nil {
		err = c.checkHome(ctx)
	}
	if err != nil {
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
	o.Wait = cmp.Or(o.Wait, defaultWait)
	client.Patience = min(client.Patience, o.Wait)
	return &cluster{client: client, own: newFollower(address.File, o), path: address.File}, nil
}

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
	homes, err := ask[int](ctx, c.own.readRaw, `select count(*) from home`)
	if err == nil && homes == 0 {
		return fault.New(fault.InvalidArgument, "open %s: the cluster holds a store that is not marked as one of a cluster; bring it in with hence cluster import", c.path)
	}
	return explain(err, "open %s", c.path)
}

// waitForStore is how long a cluster may take to create or migrate its store.
const waitForStore = 30 * time.Second

const insertHome = `insert into home (only_row, cluster) values (1, ?)`

// upgrade waits until the node's file shows the new version. The copy is made of this node's file.
// Batches that other servers write before the nodes run the script are in the log of the nodes
// and not in the copy.
func (c *cluster) upgrade(ctx context.Context, d *DB, h history, from int, script, saved string) (copied bool, err error) {
	if saved != "" {
		if err := d.backup(ctx, saved, h); err != nil {
			return false, err
		}
	}
	return saved != "", c.runScript(ctx, h, from, script)
}

// runScript makes the cluster run a script of upgrade.
func (c *cluster) runScript(ctx context.Context, h history, from int, script string) error {
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
	for between := 500 * time.Microsecond; ; {
		ok, err := done()
		if err != nil || ok {
			return err
		}
		waited := time.Since(begun)
		if waited > long {
			return late
		}
		between = max(between, min(waited/8, 20*time.Millisecond))
		if pause.For(ctx, between) != nil {
			return late
		}
	}
}

func (c *cluster) close() error {
	err := c.own.close()
	c.client.Close()
	return explain(err, "close %s", c.path)
}

func (c *cluster) mend(ctx context.Context, shown Stmt, statements ...Stmt) error {
	batch := remote.Batch{Claimed: func(int, string) bool { return false }} // running it twice does no harm
	for _, s := range statements {
		batch.Statements = append(batch.Statements, remote.Statement{SQL: s.SQL, Args: s.Args})
	}
	outcome := c.client.Execute(ctx, batch)
	if outcome.Kind != remote.Landed {
		failed := outcome.Err
		if outcome.Words != "" {
			failed = errors.Join(failed, nodeError{outcome.Words})
		}
		return fault.Wrap(fault.Unavailable, failed, "write to %s: it was not mended", c.path)
	}
	return c.await(ctx, c.client.Patience, func() (bool, error) {
		is, err := ask[bool](ctx, c.own.readRaw, shown.SQL, shown.Args...)
		return is, explain(err, "read %s", c.path)
	}, fault.New(fault.Unavailable, "write to %s: it is mended, and the node's file does not show it yet", c.path))
}

func (c *cluster) read(ctx context.Context, f func(c *conn) error) error { return c.own.read(ctx, f) }

func (c *cluster) bulk(_ context.Context, do func() error) error { return do() }

func (c *cluster) vacuum(context.Context) (before, after int64, err error) {
	return 0, 0, fault.New(fault.InvalidArgument, "vacuum %s: the nodes of a cluster keep their files themselves; to drop the space of deleted rows run hence backup FILE, then hence backup --restore FILE", c.path)
}

func (c *cluster) keepsErased() string {
	return "the logs of the cluster's nodes keep the text until the nodes shorten them"
}

func (c *cluster) detached() ([]string, error) { return nil, nil }

// private returns the folder: a node makes its files readable for everybody.
func (c *cluster) private() (paths []string, mode os.FileMode) {
	return []string{filepath.Dir(c.path)}, 0o700
}

// long calls f with a plain copy.
func (c *cluster) long(ctx context.Context, d *DB, f func(d *DB) error) (err error) {
	return InScratch(ctx, "read "+c.path, d, f)
}

// Cluster returns the client of the cluster that holds the store, nil for a plain file.
func (d *DB) Cluster() *remote.Client {
	if c, ok := d.engine.(*cluster); ok {
		return c.client
	}
	return nil
}

// Act is the number of the last transaction that a read sees.
func (d *DB) Act(ctx context.Context) (number int64, err error) {
	number, err = ask[int64](ctx, d.engine.read, `select batch from writer`)
	return number, explain(err, "read %s", d.path)
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
