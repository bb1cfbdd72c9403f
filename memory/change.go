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

// Titles returns the titles of current memories that begin with a prefix,
// regardless of case, in alphabetical order.
func (s Store) Titles(ctx context.Context, prefix string, limit int) (titles []string, err error) {
	return db.Select(ctx, s.DB, db.Value[string], `
select distinct title
from memories
where title >= ?1 collate nocase
  and title < ?1 || char(1114111) collate nocase
  and status = 'current'
  and ?2 in ('', namespace)
order by title collate nocase, title
limit ?3`, prefix, s.Caller.Namespace, limit)
}

// Vaults returns the names of vaults that begin with a prefix, in order.
func (s Store) Vaults(ctx context.Context, prefix string, limit int) (names []string, err error) {
	return db.Select(ctx, s.DB, db.Value[string], `
select name
from mirrors
where substr(name, 1, length(?1)) = ?1 collate nocase
  and ?2 in ('', namespace)
order by name
limit ?3`, prefix, s.Caller.Namespace, limit)
}

// Paths returns the paths of current notes that contain a text. Those that begin
// with it come first. vault is a name, or "" for all vaults.
func (s Store) Paths(ctx context.Context, vault, text string, limit int) (paths []string, err error) {
	return db.Select(ctx, s.DB, db.Value[string], `
select distinct f.path
from files f
join mirrors v on v.key = f.mirror
join memories m on m.key = f.memory
where m.status = 'current'
  and ?1 in ('', v.name)
  and ?2 in ('', m.namespace)
  and instr(lower(f.path), lower(?3)) > 0
order by instr(lower(f.path), lower(?3)) > 1, f.path
limit ?4`, vault, s.Caller.Namespace, text, limit)
}
