package explore

import (
	"context"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
)

// AmongArgs name the memories that the page shows.
type AmongArgs struct {
	IDs   []string `json:"ids" jsonschema:"full ids, at most 2000"`
	Types []string `json:"types,omitempty" jsonschema:"only edges of these types; default: all declared"`
}

// AmongResult lists the edges between memories, ordered by the ids of their ends.
type AmongResult struct {
	Edges     []walk.Link `json:"edges"`
	Truncated bool        `json:"truncated"`
}

const (
	maxAmong = 2000   // memories in a call
	maxLinks = 20_000 // edges in an answer
)

// ReadAmong returns the edges with both ends among the requested memories. It ignores
// unknown ids. It fails with too_large for more than maxAmong ids.
func (q reader) ReadAmong(ctx context.Context, a AmongArgs) (result AmongResult, err error) {
	if err := args.Check("among", &a); err != nil {
		return result, err
	}
	if len(a.IDs) > maxAmong {
		return result, fault.New(fault.TooLarge, "among: there are %d ids, and at most %d are allowed; send fewer", len(a.IDs), maxAmong)
	}
	kinds, err := edges.ParseFilter(a.Types)
	if err != nil {
		return result, err
	}
	result.Edges, err = db.Select(ctx, q.DB, db.Fields(func(l *walk.Link) []any {
		return []any{&l.From, &l.To, &l.Type, &l.Rel}
	}), selectAmong, db.List(a.IDs), db.List(kinds), q.Caller.Namespace, maxLinks+1)
	if result.Truncated = len(result.Edges) > maxLinks; result.Truncated {
		result.Edges = result.Edges[:maxLinks]
	}
	return result, err
}

const selectAmong = `
with chosen as materialized (
  select distinct
    m.key,
    m.id
  from json_each(?1) i
  cross join memories m on m.id = i.value
  where ?3 in ('', m.namespace)
)
select
  f.id,
  t.id,
  e.kind,
  e.rel
from chosen f
cross join edges e on e.from_key = f.key
join chosen t on t.key = e.to_key
join json_each(?2) k on k.value = e.kind
order by f.id, t.id, e.kind, e.rel
limit ?4`
