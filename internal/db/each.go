package db

import (
	"context"
	"database/sql"
	"errors"
)

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
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch err := f(rows); {
		case err == errEnough:
			return nil
		case err != nil:
			return err
		}
	}
	return rows.Err()
}
