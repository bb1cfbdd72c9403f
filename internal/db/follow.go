package db

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// follower reads the file of a cluster's node, which the node deletes and creates again
// when it starts or takes over another's state. A connection to a deleted file goes on
// reading it for ever, and one whose log was deleted reads pages that do not belong
// together. So each transaction compares which files it reads with those that are there,
// before and after.
type follower struct {
	path    string
	open    func() (*pool, error)
	seen    atomic.Int64 // the number of the last transaction that a reader has seen
	mu      sync.Mutex
	held    *generation   // nil: none is open
	leaving []*generation // dropped, and still in use
}

func newFollower(path string, o Options) *follower {
	o.ReadOnly = true
	return &follower{path: path, open: func() (*pool, error) {
		return newPool(driver, dsn(path, o, true), "begin", readerCount())
	}}
}

// generation is the readers of the files that were there when they were opened.
type generation struct {
	pool  *pool
	files files
	users int  // under the follower's lock
	gone  bool // others are there now: the last user closes the pool
}

// files are a database, its log and the index of that; nil stands for one that is missing.
type files [3]os.FileInfo

func (is files) same(as files) bool {
	for i := range is {
		if (is[i] == nil) != (as[i] == nil) || is[i] != nil && !os.SameFile(is[i], as[i]) {
			return false
		}
	}
	return true
}

// The bounds of waiting. A node that starts replays its log: for as long as its file is
// older than what was seen before, or has no tables, nothing is answered from it. A backup
// that was loaded into the cluster by other means may be older for good.
const (
	waitForFile  = 5 * time.Second
	waitForOlder = 2 * time.Second
	fileRetry    = 5 * time.Millisecond
)

var (
	errMoved = errors.New("the node has other files now")
	errOlder = errors.New("the node's file is older than what was read before")
)

// look returns which files are there.
func (f *follower) look() (is files) {
	for i, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(f.path + suffix); err == nil {
			is[i] = info
		}
	}
	return is
}

// first is the first read of a transaction: it takes the snapshot, and fails if nothing may
// be read from it. floor is the number of a transaction that it must have.
type first func(ctx context.Context, c *conn, floor int64) error

// read calls read with a connection on which a snapshot is read. Until read is called
// it tries again; it fails with unavailable if the files changed while read ran.
func (f *follower) read(ctx context.Context, read func(c *conn) error) error {
	return f.retry(ctx, f.ready, read)
}

// raw is with for a file that may have no tables.
func (f *follower) raw(ctx context.Context, read func(c *conn) error) error {
	return f.retry(ctx, func(ctx context.Context, c *conn, _ int64) error {
		var objects int
		return c.QueryRowContext(ctx, `select count(*) from sqlite_master`).Scan(&objects)
	}, read)
}

// ready takes the snapshot, and refuses one that is older than what was seen.
func (f *follower) ready(ctx context.Context, c *conn, floor int64) error {
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

func (f *follower) retry(ctx context.Context, first first, read func(c *conn) error) error {
	begun := time.Now()
	for {
		err, final := f.once(ctx, begun, first, read)
		if final {
			return err
		}
		if time.Since(begun) > waitForFile {
			if errors.Is(err, errMoved) || IsDamaged(err) {
				err = nil // its words would say that the store is damaged
			}
			return f.unavailable(err, "cannot be read now; see whether the node runs, and try again")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(fileRetry):
		}
	}
}

func (f *follower) unavailable(err error, what string) error {
	if err == nil {
		return fault.New(fault.Unavailable, "read %s: the file of the cluster's node %s", f.path, what)
	}
	return fault.Wrap(fault.Unavailable, err, "read %s: the file of the cluster's node %s", f.path, what)
}

// once makes one try, and reports whether its outcome is final.
func (f *follower) once(ctx context.Context, begun time.Time, first first, read func(c *conn) error) (err error, final bool) {
	g, err := f.take()
	if err != nil {
		return err, false
	}
	defer f.release(g)
	reading := false
	floor := f.seen.Load()
	err = g.pool.run(ctx, func(c *conn) error {
		// The driver starts a goroutine for a query that can be cancelled.
		err := first(context.WithoutCancel(ctx), c, floor)
		if errors.Is(err, errOlder) && time.Since(begun) > waitForOlder {
			f.seen.CompareAndSwap(floor, 0)
			err = first(context.WithoutCancel(ctx), c, 0)
		}
		if err == nil && !f.look().same(g.files) {
			err = errMoved
		}
		if err != nil {
			return err
		}
		reading = true
		return read(c)
	})
	moved := !f.look().same(g.files)
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
		return fault.Wrap(fault.Internal, err, "read %s: the file of the cluster's node is damaged; remove the node's folder and start it again, or restore a backup if there is no other node", f.path), true
	}
	return err, true
}

// transient reports whether an error before the first row may be of a file that is just
// being made.
func transient(err error) bool {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return errors.Is(err, errMoved)
	}
	switch e.Code {
	case sqlite3.ErrCantOpen, sqlite3.ErrNotADB, sqlite3.ErrCorrupt, sqlite3.ErrIoErr, sqlite3.ErrReadonly,
		sqlite3.ErrBusy, sqlite3.ErrProtocol, sqlite3.ErrSchema, sqlite3.ErrError:
		return true
	}
	return false
}

// take returns the readers of the files that are there. A node may keep its database when
// it starts again, and make the log and its index anew. The engine has one index for all
// connections of a process to a database, so that the new ones would go on with the
// deleted one: they would miss what the node writes, and the node would not see their
// locks. They wait until the old ones are closed.
func (f *follower) take() (*generation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held == nil {
		is := f.look()
		if is[0] == nil {
			return nil, os.ErrNotExist
		}
		for _, old := range f.leaving {
			if os.SameFile(old.files[0], is[0]) {
				return nil, errMoved
			}
		}
		p, err := f.open()
		if err != nil {
			return nil, err
		}
		f.held = &generation{pool: p, files: is}
	}
	f.held.users++
	return f.held, nil
}

func (f *follower) release(g *generation) {
	f.mu.Lock()
	g.users--
	last := g.gone && g.users == 0
	f.mu.Unlock()
	if !last {
		return
	}
	_ = g.pool.close() // of files that are gone
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leaving = slices.DeleteFunc(f.leaving, func(old *generation) bool { return old == g })
}

// drop makes the next reader open the files again.
func (f *follower) drop(g *generation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !g.gone {
		g.gone = true
		f.leaving = append(f.leaving, g)
	}
	if f.held == g {
		f.held = nil
	}
}

// close waits for what runs.
func (f *follower) close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	g := f.held
	f.held = nil
	f.mu.Unlock()
	if g == nil {
		return nil
	}
	return g.pool.close()
}
