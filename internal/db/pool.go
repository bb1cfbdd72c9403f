package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// pool is at most a fixed number of connections to one file. The one that was used last
// is used next, because it has the most in its cache.
type pool struct {
	db    *sql.DB
	begin string        // how a transaction starts
	taken chan struct{} // one for each connection in use
	mu    sync.Mutex
	idle  []*conn
}

// conn is a connection with the statements prepared on it. The texts of
// statements are constants of the program, so they are few.
type conn struct {
	*sql.Conn
	prepared map[string]*sql.Stmt
	ranks    bool // bm25_of is registered
}

func newPool(driver, dsn, begin string, size int) (*pool, error) {
	d, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, err
	}
	d.SetMaxIdleConns(size)
	return &pool{db: d, begin: begin, taken: make(chan struct{}, size)}, nil
}

// run calls f with a connection of its own, in a transaction, which is committed if
// f returns nil and rolled back otherwise.
func (p *pool) run(ctx context.Context, f func(c *conn) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			// A caller who has gone away, or a panic, must not leave the
			// transaction open. After some errors SQLite has rolled back by
			// itself, and says so here.
			_, _ = c.ExecContext(context.WithoutCancel(ctx), "rollback")
		}
		p.release(c)
	}()
	if err := ctx.Err(); err != nil {
		kept = true // nothing was begun
		return err
	}
	if _, err := c.exec(context.WithoutCancel(ctx), p.begin); err != nil {
		return err
	}
	// Not before: this reads the schema, and here nobody can be in its way.
	if !c.ranks {
		if _, err := c.ExecContext(context.WithoutCancel(ctx), "select begin_bm25()"); err != nil {
			return err
		}
		c.ranks = true
	}
	if err := f(c); err != nil {
		return err
	}
	_, err = c.exec(context.WithoutCancel(ctx), "commit")
	kept = err == nil
	return err
}

func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case p.taken <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := p.last(); c != nil {
		return c, nil
	}
	opened, err := p.db.Conn(ctx)
	if err != nil {
		<-p.taken
		return nil, err
	}
	return &conn{Conn: opened, prepared: map[string]*sql.Stmt{}}, nil
}

// last returns the idle connection that was used last, nil if there is none.
func (p *pool) last() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return c
}

func (p *pool) release(c *conn) {
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	<-p.taken
}

// close waits for the connections that are in use. A caller who comes later gets an
// error.
func (p *pool) close() error {
	if p == nil {
		return nil
	}
	var errs []error
	for range cap(p.taken) {
		p.taken <- struct{}{}
	}
	for c := p.last(); c != nil; c = p.last() {
		// A statement that is left open keeps the file open too, and the
		// log beside it.
		for _, s := range c.prepared {
			errs = append(errs, s.Close())
		}
		errs = append(errs, c.Close())
	}
	errs = append(errs, p.db.Close())
	for range cap(p.taken) { // for those who wait
		<-p.taken
	}
	return errors.Join(errs...)
}

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

func (c *conn) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	s, err := c.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}
