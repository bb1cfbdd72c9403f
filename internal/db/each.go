package db

import (
	"context"
	"database/sql"
)

// Each runs a query, a constant text, and calls f with each row, so that a long
// result takes little memory. It stops at the first error of f, and between two rows
// when ctx is done.
func Each(ctx context.Context, r *Reader, f func(row *sql.Rows) error, text string, args ...any) error {
	s, err := r.c.prepare(ctx, text)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
