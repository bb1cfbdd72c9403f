package memory

import (
	"context"

	"hence/internal/db"
)

// LastChange returns the number of the journal's last row, 0 if it has none. The
// number rises with every change of a memory or an edge, whoever makes it.
func (s Store) LastChange(ctx context.Context) (seq int64, err error) {
	seq, _, err = db.One[int64](ctx, s.DB, `select coalesce(max(seq), 0) from journal`)
	return seq, err
}
