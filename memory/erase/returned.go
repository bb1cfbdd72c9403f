package erase

import (
	"context"

	"hence/internal/db"
	"hence/internal/ref"
)

// Returned lists what the store before this one had erased or purged, and this one has again: memories, and calls that wait.
// What else held their texts is not known.
func (s Store) Returned(ctx context.Context, before *db.DB) ([]ref.Named, error) {
	type gone struct {
		ID   string `json:"id"`
		Hash string `json:"hash"` // of the text that was rewritten, "" for what was purged
	}
	all, err := db.Select(ctx, before, db.Fields(func(g *gone) []any { return []any{&g.ID, &g.Hash} }), `
select id, '' from purged
union
select
  t.value ->> 'id',
  t.value ->> 'hash'
from erasures
join json_each(plan, '$.things') t
where t.value ->> 'do' = 'rewrite'`)
	if err != nil {
		return nil, err
	}
	return db.Select(ctx, s.DB, db.Fields(func(n *ref.Named) []any { return []any{&n.ID, &n.Title} }), `
select
  m.id,
  m.title
from json_each(?1) g
cross join memories m on m.id = g.value ->> 'id' and g.value ->> 'hash' in ('', m.content_hash)
union
select
  a.id,
  a.action
from json_each(?1) g
cross join asked a on a.id = g.value ->> 'id' and a.memory is null
order by 1`, db.List(all))
}
