package db

import (
	"context"
	"errors"

	"hence/internal/fault"
)

// Rehearse calls f with a store whose writes only f sees: they are undone when f returns. Other writers
// wait until then. It fails with unavailable on a cluster, whose nodes write only what stays.
func (d *DB) Rehearse(ctx context.Context, f func(d *DB) error) error {
	err := d.AtOnce(ctx, func(inner *DB) error {
		if err := f(inner); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

// IsWithin reports whether the store is one that Rehearse or AtOnce made.
func (d *DB) IsWithin() bool {
	_, ok := d.engine.(*transaction)
	return ok
}

// errRehearsed rolls back what was only tried.
var errRehearsed = errors.New("only rehearsed")

// AtOnce calls f with a store whose writes are one transaction: all of them are kept if f returns nil, else
// none. It fails as Rehearse does.
func (d *DB) AtOnce(ctx context.Context, f func(d *DB) error) error {
	if err := d.mayWrite("write to " + d.path); err != nil {
		return err
	}
	switch e := d.engine.(type) {
	case *transaction:
		return e.save(ctx, func() error { return f(d) })
	case *file:
		err := e.noted(ctx, func(c *conn) error {
			inner := newDB(ctx, d.path, Options{State: d.state})
			defer inner.end()
			inner.engine = &transaction{e, c}
			return f(inner)
		})
		if err == nil {
			e.erase(ctx, nil)
		}
		if errors.Is(err, errRehearsed) {
			return err
		}
		return explain(err, "write to %s", d.path)
	}
	return fault.New(fault.Unavailable, "write to %s: a cluster cannot try a change before it is made", d.path)
}

// transaction is a store within a transaction of the connection that writes.
type transaction struct {
	*file
	c *conn
}

func (t *transaction) read(_ context.Context, f func(c *conn) error) error { return f(t.c) }

// save keeps what do writes only if it returns nil.
func (t *transaction) save(ctx context.Context, do func() error) error {
	ctx = context.WithoutCancel(ctx)
	if _, err := t.c.exec(ctx, "savepoint inner"); err != nil {
		return err
	}
	err := do()
	if err != nil {
		if _, failed := t.c.exec(ctx, "rollback to inner"); failed != nil {
			return errors.Join(err, failed)
		}
	}
	if _, failed := t.c.exec(ctx, "release inner"); failed != nil {
		return errors.Join(err, failed)
	}
	return err // as it is: callers compare it
}

func (t *transaction) write(ctx context.Context, actor, now string, statements []Stmt) (changed []int64, err error) {
	err = t.save(ctx, func() error {
		if changed, err = t.c.batch(ctx, actor, now, statements); err != nil {
			return err
		}
		return t.c.endBatch(ctx)
	})
	if err == nil && erases(statements) {
		t.erases.Store(true)
	}
	return changed, err
}

func (t *transaction) mend(ctx context.Context, _ Stmt, statements ...Stmt) error {
	return t.save(ctx, func() error { return t.c.run(ctx, statements) })
}

func (t *transaction) bulk(_ context.Context, do func() error) error { return do() }

func (t *transaction) vacuum(context.Context) (before, after int64, err error) {
	return 0, 0, fault.New(fault.Internal, "vacuum %s: it cannot be done within a transaction", t.path)
}

func (t *transaction) close() error { return nil }
