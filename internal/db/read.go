package db

import (
	"context"
	"database/sql"
	"errors"
)

// Reader reads from one snapshot of the store.
type Reader struct{ c *conn }

// Read calls f with a snapshot, and returns the error of f.
func (d *DB) Read(ctx context.Context, f func(r *Reader) error) error {
	err := d.readers.with(ctx, func(c *conn) error { return f(&Reader{c}) })
	return explain(err, "read %s", d.path)
}

// Select runs a query, a constant text, and scans each row. A cancelled context stops
// the next query and not a running one: the driver would start a goroutine for each,
// which costs more than most queries.
func Select[T any](ctx context.Context, r *Reader, scan func(row *sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := r.c.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// First runs a query, scans its first row, and reports whether there is one.
func First[T any](ctx context.Context, r *Reader, scan func(row *sql.Rows) (T, error), text string, args ...any) (one T, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return one, false, err
	}
	err = Each(ctx, r, func(row *sql.Rows) (err error) {
		if one, err = scan(row); err == nil {
			ok, err = true, errFirst
		}
		return err
	}, text, args...)
	if err == errFirst {
		err = nil
	}
	return one, ok, err
}

// errFirst ends Each after the first row.
var errFirst = errors.New("the first row is read")

// One scans the only column of the first row, and reports whether there is a row.
func One[T any](ctx context.Context, r *Reader, text string, args ...any) (value T, ok bool, err error) {
	return First(ctx, r, Value[T], text, args...)
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
