package edges

import (
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

var (
	errSuperseded = fault.New(fault.Conflict, "link: the memory has been superseded already; supersede its current successor instead")
	errCycle      = fault.New(fault.Cycle, "link: the edge would close a cycle, which this type does not allow")
)

// Explain returns a refusal of declarations with what the caller needs to correct
// them: the current successor, or the cycle. It returns other errors unchanged.
func (g Graph) Explain(ctx context.Context, err error, declared ...Declaration) error {
	for _, d := range declared {
		var explained error
		switch {
		case err == errSuperseded && d.Kind == Supersedes:
			explained = g.explainSuccessor(ctx, d)
		case err == errCycle && d.Kind.Acyclic():
			explained = g.explainCycle(ctx, d)
		}
		if explained != nil {
			return explained
		}
	}
	return err
}

// explainSuccessor names the newest successor, or returns nil if there is none.
func (g Graph) explainSuccessor(ctx context.Context, d Declaration) error {
	return g.DB.Read(ctx, func(r *db.Reader) error {
		current, err := newest(ctx, r, d.To)
		if err != nil || current.ID == d.To {
			return err
		}
		return fault.New(fault.Conflict, "link: the memory has been superseded already; supersede its current successor, %q (%s), instead", current.Title, current.ID).
			With("current", current)
	})
}

// explainCycle names the path from the edge's end back to its start, which may
// pass superseded and forgotten memories. It returns nil if the path cannot be
// shown because the refused batch would have stored part of it.
func (g Graph) explainCycle(ctx context.Context, d Declaration) error {
	var back []Hop
	err := g.DB.Read(ctx, func(r *db.Reader) error {
		all, err := db.Select(ctx, r, scanEdge, edgesBetween, d.To, d.From, d.Kind)
		back = shortest(all, d.To, d.From)
		return err
	})
	if err != nil || back == nil {
		return err
	}
	first, last := back[0], back[len(back)-1]
	return fault.New(fault.Cycle, "link: %q %s %q would close a cycle: %s", last.Title, d.Kind, first.Title, Arrows(back)).
		With("path", back)
}

// edgesBetween reads the edges of kind ?3 on every path from the memory ?1 to
// the memory ?2, the preferred edges first.
var edgesBetween = `
with recursive ahead (key) as (
  select key from memories where id = ?1
  union
  select e.to_key
  from ahead a
  cross join edges e on e.from_key = a.key and e.kind = +?3
),
ways (key) as (
  select key from memories where id = ?2 and key in (select key from ahead)
  union
  select e.from_key
  from ways w
  cross join edges e on e.to_key = w.key and e.kind = +?3
  where e.from_key in (select key from ahead)
)
` + selectEdge + `
where e.from_key in (select key from ways)
  and e.to_key in (select key from ways)
  and e.kind = +?3
order by f.id, t.id, e.rel`

// shortest returns the shortest path along the edges from one memory to
// another, nil if there is none. If there are several, it is the first in the order
// of the edges.
func shortest(all []Edge, from, to string) []Hop {
	into, outOf := map[string][]Edge{}, map[string][]Edge{}
	for _, e := range all {
		into[e.To.ID] = append(into[e.To.ID], e)
		outOf[e.From.ID] = append(outOf[e.From.ID], e)
	}
	remaining := map[string]int{to: 0} // edges from a memory to the end
	for queue := []string{to}; len(queue) > 0; queue = queue[1:] {
		for _, e := range into[queue[0]] {
			if _, known := remaining[e.From.ID]; !known {
				remaining[e.From.ID] = remaining[queue[0]] + 1
				queue = append(queue, e.From.ID)
			}
		}
	}
	if remaining[from] == 0 {
		return nil
	}
	path := []Hop{}
	for at := from; at != to; {
		onward := slices.DeleteFunc(slices.Clone(outOf[at]), func(e Edge) bool { return remaining[e.To.ID] != remaining[at]-1 })
		next := onward[0].To
		hop := Hop{End: onward[0].From, Type: onward[0].Type, Direction: "out"}
		for _, e := range onward {
			if e.To == next {
				hop.Edges = append(hop.Edges, Parallel{ID: e.ID, Type: e.Type, Rel: e.Rel, Direction: "out", Weight: e.Weight})
			}
		}
		path = append(path, hop)
		if at = next.ID; at == to {
			path = append(path, Hop{End: next})
		}
	}
	return path
}

// newest returns the newest successor of a memory, or the memory itself if it
// has none.
func newest(ctx context.Context, r *db.Reader, id string) (ref.End, error) {
	end, _, err := db.First(ctx, r, db.Fields(func(e *ref.End) []any { return []any{e} }), `
with recursive line (key, step) as (
  select key, 0 from memories where id = ?
  union
  select e.from_key, l.step + 1
  from line l
  join edges e on e.to_key = l.key and e.kind = 'supersedes'
)
select
  m.id,
  m.title,
  m.status
from line l
join memories m on m.key = l.key
order by l.step desc
limit 1`, id)
	return end, err
}
