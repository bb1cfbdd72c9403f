package memory

import (
	"context"

	"hence/internal/db"
)

// LastChange returns the place of the last change in the journal. It moves
// with every change of a memory or an edge, whoever makes it, and tells
// nothing of what changed.
func (s Store) LastChange(ctx context.Context) (seq int64, err error) {
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		seq, _, err = db.One[int64](ctx, r, `select coalesce(max(seq), 0) from journal`)
		return err
	})
	return seq, err
}
