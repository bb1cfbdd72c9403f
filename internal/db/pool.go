package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// pool is a pool of a limited number of connections to one file. It reuses the connection that
// was used last, because that has the fullest cache.
type pool struct {
	db    *sql.DB
	begin string         // statement that starts a transaction
	wait  time.Duration  // for another process, if a context can shorten it: see WaitAtMost
	inUse chan struct{}  // has one element for each connection in use
	inner sync.WaitGroup // reads within others
	mu    sync.Mutex
	idle  []*conn // the one that was used last at the end
	// keepLog has the connections leave the log alone when they are closed.
	keepLog atomic.Bool
}

// conn is a connection with the statements prepared on it. There are few, because the texts of
// statements are constants of the program.
type conn struct {
	*sql.Conn
	prepared map[string]*sql.Stmt // by their text
	hasBM25  bool                 // the function bm25_of is registered
	inner    bool                 // in use by a read within another one
}

type innerKey struct{}

// Within returns a context for a read that may run within another one. It does not wait for a
// connection, because reads that hold all of them would wait for each other.
func Within(ctx context.Context) context.Context { return context.WithValue(ctx, innerKey{}, true) }

type waitKey struct{}

// WaitAtMost returns a context for a write that fails if another process writes to a plain file for longer.
func WaitAtMost(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, waitKey{}, limit)
}

func newPool(driver, dsn, begin string, size int) (*pool, error) {
	d, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, err
	}
	d.SetMaxIdleConns(size)
	return &pool{db: d, begin: begin, inUse: make(chan struct{}, size)}, nil
}

// run calls f with a connection of its own in a transaction. It commits the transaction if f
// returns nil, and rolls it back otherwise.
func (p *pool) run(ctx context.Context, f func(c *conn) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended {
			// A cancelled context, or a panic, must not leave the transaction
			// open. After some errors SQLite has already rolled back, and this
			// returns an error.
			_, _ = c.ExecContext(context.WithoutCancel(ctx), "rollback")
		}
		p.release(c)
	}()
	if err := ctx.Err(); err != nil {
		ended = true // no transaction was begun
		return err
	}
	if limit, ok := ctx.Value(waitKey{}).(time.Duration); ok && limit < p.wait {
		if err := c.waitFor(ctx, limit); err != nil {
			return err
		}
		defer func() { _ = c.waitFor(ctx, p.wait) }()
	}
	if _, err := c.exec(context.WithoutCancel(ctx), p.begin); err != nil {
		return err
	}
	// Only within the transaction: this reads the schema, and here no lock of another can be in the way.
	if !c.hasBM25 {
		if _, err := c.ExecContext(context.WithoutCancel(ctx), "select begin_bm25()"); err != nil {
			return err
		}
		c.hasBM25 = true
	}
	if err := f(c); err != nil {
		return err
	}
	_, err = c.exec(context.WithoutCancel(ctx), "commit")
	ended = err == nil
	return err
}

// take returns an idle connection or a new one, and waits until the pool may have another.
func (p *pool) take(ctx context.Context) (*conn, error) {
	inner := ctx.Value(innerKey{}) != nil
	if inner {
		p.inner.Add(1)
	} else {
		select {
		case p.inUse <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if c := p.popIdle(); c != nil {
		c.inner = inner
		return c, nil
	}
	opened, err := p.db.Conn(ctx)
	if err != nil {
		p.leave(inner)
		return nil, err
	}
	return &conn{Conn: opened, prepared: map[string]*sql.Stmt{}, inner: inner}, nil
}

// leave ends the use of a connection.
func (p *pool) leave(inner bool) {
	if inner {
		p.inner.Done()
	} else {
		<-p.inUse
	}
}

// popIdle removes and returns the idle connection that was used last, nil if there is none.
func (p *pool) popIdle() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return c
}

// release makes a connection idle.
func (p *pool) release(c *conn) {
	inner := c.inner
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	p.leave(inner)
}

// close waits until no connection is in use, and closes them all. Later calls of run fail.
func (p *pool) close() error {
	if p == nil {
		return nil
	}
	var errs []error
	for range cap(p.inUse) {
		p.inUse <- struct{}{}
	}
	p.inner.Wait()
	for c := p.popIdle(); c != nil; c = p.popIdle() {
		if p.keepLog.Load() {
			_, err := c.ExecContext(context.Background(), "select keep_log()")
			errs = append(errs, err)
		}
		errs = append(errs, c.close())
	}
	errs = append(errs, p.db.Close())
	for range cap(p.inUse) { // lets the waiting callers fail
		<-p.inUse
	}
	return errors.Join(errs...)
}

// close closes the connection and its statements: an open one would keep the file and its log open.
func (c *conn) close() error {
	var errs []error
	for _, s := range c.prepared {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.Close())...)
}

// ask returns the value of a query of one row and one column, with a connection from read.
func ask[T any](ctx context.Context, read func(context.Context, func(*conn) error) error, query string, args ...any) (value T, err error) {
	err = read(ctx, func(c *conn) error { return c.QueryRowContext(ctx, query, args...).Scan(&value) })
	return value, err
}

// waitFor sets how long the connection waits for another process.
func (c *conn) waitFor(ctx context.Context, limit time.Duration) error {
	_, err := c.ExecContext(context.WithoutCancel(ctx), fmt.Sprint("pragma busy_timeout = ", limit.Milliseconds()))
	return err
}

// prepare returns the statement with a text, and prepares it on first use.
func (c *conn) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if s := c.prepared[text]; s != nil {
		return s, nil
	}
	s, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	c.prepared[text] = s
	return s, nil
}

// exec prepares and runs a statement.
func (c *conn) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	s, err := c.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}
