package edges

import (
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
)

var (
	errSuperseded = fault.New(fault.Conflict, "link: the memory has been superseded already; supersede its current successor instead")
	errCycle      = fault.New(fault.Cycle, "link: the edge would close a cycle, and edges of this type have none")
)

// Explain adds to a refusal of declarations what the caller needs to mend
// them: the current successor, or the cycle. Other errors pass as they are.
func (g Graph) Explain(ctx context.Context, err error, declared ...Declaration) error {
	for _, d := range declared {
		var explained error
		switch {
		case err == errSuperseded && d.Kind == Supersedes:
			explained = g.successor(ctx, d)
		case err == errCycle && d.Kind.Acyclic():
			explained = g.cycle(ctx, d)
		}
		if explained != nil {
			return explained
		}
	}
	return err
}

// successor names what took a memory's place, nil when nothing did.
func (g Graph) successor(ctx context.Context, d Declaration) error {
	return g.DB.Read(ctx, func(r *db.Reader) error {
		newest, err := head(ctx, r, d.To)
		if err != nil || newest.ID == d.To {
			return err
		}
		return fault.New(fault.Conflict, "link: the memory has been superseded already; supersede its current successor, %q (%s), instead", newest.Title, newest.ID).
			With("current", newest)
	})
}

// cycle names the way back from the edge's end to its start, however long it
// is: the schema counts the superseded and the forgotten too. It is nil when
// there is no such way to show, such as to an end that the refused batch would
// have stored.
func (g Graph) cycle(ctx context.Context, d Declaration) error {
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

// edgesBetween reads the edges of the kind ?3 on every way from the memory ?1 to
// the memory ?2, in the order in which a path prefers them.
const edgesBetween = `
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
// another, nil when there is none. Among equals it is the first in the order of
// the edges.
func shortest(all []Edge, from, to string) []Hop {
	into, outOf := map[string][]Edge{}, map[string][]Edge{}
	for _, e := range all {
		into[e.To.ID] = append(into[e.To.ID], e)
		outOf[e.From.ID] = append(outOf[e.From.ID], e)
	}
	left := map[string]int{to: 0} // edges from a memory to the end
	for queue := []string{to}; len(queue) > 0; queue = queue[1:] {
		for _, e := range into[queue[0]] {
			if _, known := left[e.From.ID]; !known {
				left[e.From.ID] = left[queue[0]] + 1
				queue = append(queue, e.From.ID)
			}
		}
	}
	if left[from] == 0 {
		return nil
	}
	path := []Hop{}
	for at := from; at != to; {
		onward := slices.DeleteFunc(slices.Clone(outOf[at]), func(e Edge) bool { return left[e.To.ID] != left[at]-1 })
		next := onward[0].To
		hop := Hop{ID: at, Title: onward[0].From.Title, Status: onward[0].From.Status, Type: onward[0].Type, Direction: "out"}
		for _, e := range onward {
			if e.To == next {
				hop.Edges = append(hop.Edges, Parallel{ID: e.ID, Type: e.Type, Rel: e.Rel, Direction: "out", Weight: e.Weight})
			}
		}
		path = append(path, hop)
		if at = next.ID; at == to {
			path = append(path, Hop{ID: next.ID, Title: next.Title, Status: next.Status})
		}
	}
	return path
}

// head returns the newest successor of a memory, which is itself when it has
// none.
func head(ctx context.Context, r *db.Reader, id string) (End, error) {
	found, err := db.Select(ctx, r, scanEnd, `
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
	if err != nil || len(found) == 0 {
		return End{}, err
	}
	return found[0], nil
}
