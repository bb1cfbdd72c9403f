package db

import (
	"context"
	"database/sql"
)

// Reader reads from one snapshot of the store.
type Reader struct{ c *conn }

// Read calls f with the same snapshot, so that a Reader is a Source.
func (r *Reader) Read(_ context.Context, f func(r *Reader) error) error { return f(r) }

// Source is what a query reads: a Reader, or a DB, which takes a snapshot for it.
type Source interface {
	Read(ctx context.Context, f func(r *Reader) error) error
}

// Read calls f with a snapshot, and returns the error of f.
func (d *DB) Read(ctx context.Context, f func(r *Reader) error) error {
	err := d.snapshot(ctx, func(c *conn) error { return f(&Reader{c}) })
	if changed := d.checkFrozen(); changed != nil {
		return changed
	}
	return explain(err, "read %s", d.path)
}

// snapshot calls f with a connection on which a snapshot is read.
func (d *DB) snapshot(ctx context.Context, f func(c *conn) error) error {
	switch {
	case d.cluster != nil:
		return d.cluster.own.read(ctx, f)
	case d.nodeFile != nil:
		return d.nodeFile.read(ctx, f)
	}
	return d.readers.run(ctx, f)
}

// Select runs a query, a constant text, and scans each row.
func Select[T any](ctx context.Context, s Source, scan func(row *sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	all := []T{}
	err := Each(ctx, s, func(row *sql.Rows) error {
		one, err := scan(row)
		if err == nil {
			all = append(all, one)
		}
		return err
	}, text, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// First runs a query, scans its first row, and reports whether there is one.
func First[T any](ctx context.Context, s Source, scan func(row *sql.Rows) (T, error), text string, args ...any) (one T, ok bool, err error) {
	err = Each(ctx, s, func(row *sql.Rows) (err error) {
		if one, err = scan(row); err == nil {
			ok, err = true, errEnough
		}
		return err
	}, text, args...)
	return one, ok, err
}

// One scans the only column of the first row, and reports whether there is a row.
func One[T any](ctx context.Context, s Source, text string, args ...any) (value T, ok bool, err error) {
	return First(ctx, s, Value[T], text, args...)
}

// Fill runs a query of two columns and puts the second ones into a map, by the first.
func Fill[K comparable, V any](ctx context.Context, s Source, into map[K]V, text string, args ...any) error {
	return Each(ctx, s, func(row *sql.Rows) error {
		var key K
		var value V
		err := row.Scan(&key, &value)
		into[key] = value
		return err
	}, text, args...)
}

// Group is a struct that takes several columns of a row.
type Group interface {
	Fields() []any // pointers to its fields, in the order of the columns
}

// Scan reads a row into pointers. The fields of a Group take one column each.
func Scan(row *sql.Rows, into ...any) error {
	places := make([]any, 0, len(into)+8)
	for _, place := range into {
		if g, ok := place.(Group); ok {
			places = append(places, g.Fields()...)
		} else {
			places = append(places, place)
		}
	}
	return row.Scan(places...)
}

// Fields returns a function that scans rows as Scan does into what pointers returns
// of a T.
func Fields[T any](pointers func(t *T) []any) func(row *sql.Rows) (T, error) {
	return func(row *sql.Rows) (t T, err error) {
		err = Scan(row, pointers(&t)...)
		return t, err
	}
}

// Value is a scan function for rows of one column.
func Value[T any](row *sql.Rows) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}
