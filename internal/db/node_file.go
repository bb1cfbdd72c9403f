package db

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
	"hence/internal/pause"
)

// follower reads the file of a cluster's node. The node deletes and recreates this file when it
// starts, or when it loads the state of another node. A connection to a deleted file would read
// it forever, and a connection whose log was deleted would read inconsistent pages. So each
// transaction compares the files that it reads with the current ones, before and after.
type follower struct {
	holder
	seen atomic.Int64 // number of the last transaction that a reader has seen
}

// nodeFile is the file of a cluster's node, opened by its own path. It is only read: a change
// would be on this node only, and closing the last connection would write the log into the file
// without the node's knowledge.
type nodeFile struct {
	*file // closed
	node  *follower
}

func (n nodeFile) read(ctx context.Context, f func(c *conn) error) error { return n.node.read(ctx, f) }

func (n nodeFile) detached() ([]string, error) { return nil, nil }

func (n nodeFile) close() error { return n.node.close() }

// keepFromNodeFile reopens the store read-only if it is the file of a cluster's node.
func (d *DB) keepFromNodeFile(ctx context.Context, o Options) error {
	homes, err := ask[int](ctx, d.engine.read, `select count(*) from home`)
	if err != nil || homes == 0 {
		return explain(err, "open %s", d.path)
	}
	own := newFollower(d.path, o)
	// It is opened before the others are closed, so that none of them is the last.
	if err := own.read(ctx, func(*conn) error { return nil }); err != nil {
		return explain(errors.Join(err, own.close()), "open %s", d.path)
	}
	f := d.engine.(*file)
	err = f.holder.close()
	f.readOnly = true
	d.engine = nodeFile{f, own}
	d.readOnly = "the file belongs to a cluster's node, and a change would be on this node only; name the store with --db 'rqlite:" + d.path + "?at=HOST:PORT'"
	return explain(err, "open %s", d.path)
}

func newFollower(path string, o Options) *follower {
	o.ReadOnly = true
	return &follower{holder: holder{path: path, open: func() (*generation, error) {
		readers, err := newPool(driver, dsn(path, o, true), "begin", readerCount())
		return &generation{readers: readers}, err
	}}}
}

// A node that starts replays its log. While its file is older than one that was read before, or
// has no tables, reads are retried. After waitForOlder an older file is accepted, because
// somebody may have loaded an older backup into the cluster by other means.
const (
	waitForFile  = 5 * time.Second
	waitForOlder = 2 * time.Second
	fileRetry    = 5 * time.Millisecond
)

var (
	errMoved = errors.New("the node has other files now")
	errOlder = errors.New("the node's file is older than what was read before")
)

// firstRead is the first read of a transaction: it takes the snapshot, and fails if that must
// not be used. floor is the number of a transaction that the snapshot must contain.
type firstRead func(ctx context.Context, c *conn, floor int64) error

// read calls read with a connection that has a snapshot. It retries until it can call read. It
// fails with unavailable if that takes too long, or if the files changed while read ran.
func (f *follower) read(ctx context.Context, read func(c *conn) error) error {
	return f.retry(ctx, f.readBatch, read)
}

// readRaw is read for a file that may have no tables.
func (f *follower) readRaw(ctx context.Context, read func(c *conn) error) error {
	return f.retry(ctx, func(ctx context.Context, c *conn, _ int64) error {
		var objects int
		return c.QueryRowContext(ctx, `select count(*) from sqlite_master`).Scan(&objects)
	}, read)
}

// readBatch takes the snapshot, and fails with errOlder if it does not contain the transaction
// floor.
func (f *follower) readBatch(ctx context.Context, c *conn, floor int64) error {
	s, err := c.prepare(ctx, `select coalesce((select batch from writer), 0)`)
	if err != nil {
		return err
	}
	var batch int64
	if err := s.QueryRowContext(ctx).Scan(&batch); err != nil {
		return err
	}
	if batch < floor {
		return errOlder
	}
	for seen := f.seen.Load(); batch > seen && !f.seen.CompareAndSwap(seen, batch); seen = f.seen.Load() {
	}
	return nil
}

// retry calls try until its outcome is final, for at most waitForFile.
func (f *follower) retry(ctx context.Context, first firstRead, read func(c *conn) error) error {
	start := time.Now()
	for {
		err, isFinal := f.try(ctx, start, first, read)
		if isFinal {
			return err
		}
		if time.Since(start) > waitForFile {
			if errors.Is(err, errMoved) || IsDamaged(err) {
				err = nil // its message would say that the store is damaged
			}
			return f.unavailable(err, "cannot be read now; see whether the node runs, and try again")
		}
		if err := pause.For(ctx, fileRetry); err != nil {
			return err
		}
	}
}

// unavailable returns an error with a problem of the file, and its cause if err is not nil.
func (f *follower) unavailable(err error, problem string) error {
	if err == nil {
		return fault.New(fault.Unavailable, "read %s: the file of the cluster's node %s", f.path, problem)
	}
	return fault.Wrap(fault.Unavailable, err, "read %s: the file of the cluster's node %s", f.path, problem)
}

// try tries to read once, and reports whether the outcome is final.
func (f *follower) try(ctx context.Context, start time.Time, first firstRead, read func(c *conn) error) (err error, isFinal bool) {
	g, err := f.take()
	if err != nil {
		return err, false
	}
	defer f.release(g)
	reading := false
	floor := f.seen.Load()
	err = g.readers.run(ctx, func(c *conn) error {
		// WithoutCancel, because the driver starts a goroutine for a query that can be cancelled.
		err := first(context.WithoutCancel(ctx), c, floor)
		if errors.Is(err, errOlder) && time.Since(start) > waitForOlder {
			f.seen.CompareAndSwap(floor, 0)
			err = first(context.WithoutCancel(ctx), c, 0)
		}
		if err == nil && !f.statFiles().same(g.files) {
			err = errMoved
		}
		if err != nil {
			return err
		}
		reading = true
		return read(c)
	})
	moved := !f.statFiles().same(g.files)
	if moved {
		f.drop(g)
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err, true
	case !reading:
		if !moved && !errors.Is(err, errOlder) && !transient(err) {
			return err, true
		}
		f.drop(g)
		return err, false
	case moved:
		return f.unavailable(nil, "was replaced while it was read, because the node has started again; try again"), true
	case IsDamaged(err):
		return fault.Wrap(fault.Unavailable, err, "read %s: the file of the cluster's node is damaged; remove the node's folder and start it again, or restore a backup if there is no other node", f.path), true
	}
	return err, true
}

// transient reports whether an error of the first read may be caused by a file that is just
// being created.
func transient(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return errors.Is(err, errMoved)
	}
	switch e.Code {
	case sqlite3.ErrCantOpen, sqlite3.ErrNotADB, sqlite3.ErrCorrupt, sqlite3.ErrIoErr, sqlite3.ErrReadonly,
		sqlite3.ErrBusy, sqlite3.ErrProtocol, sqlite3.ErrSchema, sqlite3.ErrError:
		return true
	}
	return false
}
