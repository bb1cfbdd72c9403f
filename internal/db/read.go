package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"hence/internal/fault"
)

// Reader reads from one snapshot of the store.
type Reader struct{ c *conn }

// Read calls f with the same snapshot, so that a Reader is a Source.
func (r *Reader) Read(_ context.Context, f func(r *Reader) error) error { return f(r) }

// Source is a Reader, or a DB, which takes a snapshot for each query.
type Source interface {
	Read(ctx context.Context, f func(r *Reader) error) error
}

// Read calls f with a snapshot, and returns the error of f.
func (d *DB) Read(ctx context.Context, f func(r *Reader) error) error {
	err := d.engine.read(ctx, func(c *conn) error { return f(&Reader{c}) })
	return explain(err, "read %s", d.path)
}

// ReadBack reads what the caller has just written. On a cluster the node's file may be replaced during the read.
// ReadBack then calls f again, so f must set its results anew in each call. If the file stays unreadable, or ctx
// ends, it fails with outcome_unknown and the detail written, because the cluster has what was written.
func (d *DB) ReadBack(ctx context.Context, f func(r *Reader) error) error {
	c, isCluster := d.engine.(*cluster)
	if !isCluster {
		return d.Read(ctx, f)
	}
	return c.await(ctx, min(waitToShow, c.client.Patience), func() (bool, error) {
		err := d.Read(ctx, f)
		if fault.CodeOf(err) == fault.Unavailable {
			return false, nil
		}
		return true, err
	}, c.unseen())
}

// From returns what f reads. read is Read or ReadBack of a DB.
func From[T any](ctx context.Context, read func(ctx context.Context, f func(r *Reader) error) error, f func(r *Reader) (T, error)) (value T, err error) {
	err = read(ctx, func(r *Reader) (err error) {
		value, err = f(r)
		return err
	})
	return value, err
}

// List returns a value as JSON, for an argument that a statement reads with json_each; a nil
// list is []. It panics on values that JSON cannot represent. Invalid UTF-8 becomes U+FFFD.
func List(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // callers pass their own types, or values that were JSON
	}
	if string(text) == "null" {
		return "[]"
	}
	return string(text)
}

// Select runs a query, whose text must be a constant, and returns all rows, scanned by scan.
func Select[T any](ctx context.Context, s Source, scan func(row *sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	items := []T{}
	err := Each(ctx, s, func(row *sql.Rows) error {
		item, err := scan(row)
		if err == nil {
			items = append(items, item)
		}
		return err
	}, text, args...)
	if err != nil {
		return nil, err
	}
	return items, nil
}

// First runs a query and returns its first row, scanned by scan, and whether there is one.
func First[T any](ctx context.Context, s Source, scan func(row *sql.Rows) (T, error), text string, args ...any) (first T, ok bool, err error) {
	err = Each(ctx, s, func(row *sql.Rows) (err error) {
		if first, err = scan(row); err == nil {
			ok, err = true, errEnough
		}
		return err
	}, text, args...)
	return first, ok, err
}

// One runs a query of one column and returns the value in its first row, and whether there is a
// row.
func One[T any](ctx context.Context, s Source, text string, args ...any) (value T, ok bool, err error) {
	return First(ctx, s, Value[T], text, args...)
}

// Fill runs a query and sets the entries of a map: keys in the first column, values in the second, or in those of a Group.
func Fill[K comparable, V any](ctx context.Context, s Source, target map[K]V, text string, args ...any) error {
	return Each(ctx, s, func(row *sql.Rows) error {
		var key K
		var value V
		err := Scan(row, &key, &value)
		target[key] = value
		return err
	}, text, args...)
}

// Group is a struct that is scanned from several columns of a row.
type Group interface {
	Fields() []any // pointers to its fields, in the order of the columns
}

// Scan scans a row into pointers. A Group takes one column per field.
func Scan(row *sql.Rows, targets ...any) error {
	pointers := make([]any, 0, len(targets)+8)
	for _, pointer := range targets {
		if g, ok := pointer.(Group); ok {
			pointers = append(pointers, g.Fields()...)
		} else {
			pointers = append(pointers, pointer)
		}
	}
	return row.Scan(pointers...)
}

// Fields returns a function that scans a row into a T: pointers returns the pointers to the
// fields of the T for Scan.
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

// errEnough, returned by the function that Each calls, ends Each without an error.
var errEnough = errors.New("the rows wanted are read")

// Each runs a query, a constant text, and calls f with each row, so that a long result
// takes little memory. It stops at the first error of f, and between two rows when ctx is
// done. It does not interrupt the engine within a row: the driver would need a goroutine
// for each query, which costs more than most queries.
func Each(ctx context.Context, s Source, f func(row *sql.Rows) error, text string, args ...any) error {
	r, ok := s.(*Reader)
	if !ok {
		return s.Read(ctx, func(r *Reader) error { return Each(ctx, r, f, text, args...) })
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	prepared, err := r.c.prepare(ctx, text)
	if err != nil {
		return err
	}
	rows, err := prepared.QueryContext(context.WithoutCancel(ctx), args...)
	err = EachOf(rows, err, func(row *sql.Rows) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f(row)
	})
	if err == errEnough {
		return nil
	}
	return err
}

// EachOf calls f with each row of a query, whose error is err, and closes the rows. It stops at the first error of f.
func EachOf(rows *sql.Rows, err error, f func(row *sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
