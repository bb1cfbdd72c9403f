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

// Kept counts the memories that agents and people have stored or changed since a time.
type Kept struct {
	Memories int // stored or changed
	Sessions int // checkpoints among them
}

// KeptSince counts what was stored or changed since a time, in the form of db.Time;
// notes of vaults do not count.
func (s Store) KeptSince(ctx context.Context, since string) (k Kept, err error) {
	k, _, err = db.First(ctx, s.DB, db.Fields(func(k *Kept) []any { return []any{&k.Memories, &k.Sessions} }), `
select
  count(*),
  count(*) filter (where kind = 'session' and created_at >= ?1)
from memories indexed by memories_recent
where status = 'current'
  and updated_at >= ?1
  and ?2 in ('', namespace)
  and origin in ('agent', 'person')`, since, s.Caller.Namespace)
	return k, err
}
