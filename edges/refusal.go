package edges

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/internal/components"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
)

var (
	errSuperseded = fault.New(fault.Conflict, "link: the memory has been superseded already; supersede its current successor instead")
	errCycle      = fault.New(fault.Cycle, "link: the edge would close a cycle, which this type does not allow")
)

// Explain returns the error of a batch of declarations with the details that the caller
// needs to correct them: the current successor, or the path that would become a cycle. It
// returns other errors unchanged.
func (g Graph) Explain(ctx context.Context, err error, declared ...Declaration) error {
	_, explained := g.ExplainBatch(ctx, err, nil, declared)
	return explained
}

// ExplainBatch is Explain for the declarations of a batch, in their order, which may also
// join memories that the batch stores. stored has the names of those memories, by their ids.
// It returns the index of the refused declaration, -1 if that is not known, and the error.
func (g Graph) ExplainBatch(ctx context.Context, err error, stored map[string]ref.Named, declared []Declaration) (index int, explained error) {
	for i, d := range declared {
		explained = nil
		switch {
		case err == errSuperseded && d.Kind == Supersedes:
			explained = g.DB.Read(ctx, func(r *db.Reader) error {
				current, err := newest(ctx, r, d.To)
				if err != nil || current.ID == "" {
					return err
				}
				if err := ref.Mark(ctx, r, &current); err != nil {
					return err
				}
				advice := "supersede its current successor, %q (%s)%s, instead"
				if current.Status != "" {
					advice = "its successor, %q (%s)%s, is " + current.Status + ": restore and supersede that, or unlink it first"
				}
				return fault.New(fault.Conflict, "link: the memory has been superseded already; "+advice, current.Title, current.ID, current.Mark()).
					With("current", ref.End{Named: current.Named, Status: cmp.Or(current.Status, "current")})
			})
		case err == errCycle && d.Kind.Acyclic():
			explained = g.explainCycle(ctx, d, declared[:i], stored)
		}
		if explained != nil {
			return i, explained
		}
	}
	return -1, err
}

// explainCycle returns an error that names the path from the edge's end back to its start.
// The path may pass superseded and forgotten memories, and edges that are declared earlier in
// the batch. It returns nil if there is no such path.
func (g Graph) explainCycle(ctx context.Context, d Declaration, earlier []Declaration, stored map[string]ref.Named) error {
	var path []Hop
	earlier = slices.DeleteFunc(slices.Clone(earlier), func(e Declaration) bool { return e.Kind != d.Kind })
	starts, ends := []string{d.To}, []string{d.From}
	for _, e := range earlier {
		starts, ends = append(starts, e.To), append(ends, e.From)
	}
	err := g.DB.Read(ctx, func(r *db.Reader) error {
		candidates, err := db.Select(ctx, r, scanEdge, edgesBetween, db.List(starts), db.List(ends), d.Kind)
		if err != nil {
			return err
		}
		byID, err := endsOf(ctx, r, slices.Concat(starts, ends), stored)
		for _, e := range earlier {
			candidates = append(candidates, Edge{From: byID[e.From], To: byID[e.To], Type: e.Kind, Rel: e.Rel, Weight: 1})
		}
		path = shortest(candidates, byID[d.To].ID, byID[d.From].ID)
		return cmp.Or(err, ref.Mark(ctx, r, &path))
	})
	if err != nil || path == nil {
		return err
	}
	first, last := path[0], path[len(path)-1]
	return fault.New(fault.Cycle, "link: %q%s %s %q%s would close a cycle: %s", last.Title, last.Mark(), d.Kind, first.Title, first.Mark(), Arrows(path)).
		With("path", path)
}

// endsOf returns the titles and statuses of memories, by their ids. stored are memories that
// the failed batch would have created.
func endsOf(ctx context.Context, r *db.Reader, ids []string, stored map[string]ref.Named) (map[string]ref.End, error) {
	byID := map[string]ref.End{}
	for id, memory := range stored {
		byID[id] = ref.End{Named: memory, Status: "current"}
	}
	return byID, db.Fill(ctx, r, byID, `
select
  m.id,
  m.id,
  m.title,
  m.status
from json_each(?) j
cross join memories m on m.id = j.value`, db.List(ids))
}

// edgesBetween selects the edges of kind ?3 on every path from one of the memories ?1 to one
// of the memories ?2, sorted by the ids of their ends and their word.
var edgesBetween = `
with recursive ahead (key) as (
  select key from memories where id in (select value from json_each(?1))
  union
  select e.to_key
  from ahead a
  cross join edges e on e.from_key = a.key and e.kind = +?3
),
ways (key) as (
  select key from memories where id in (select value from json_each(?2)) and key in (select key from ahead)
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

// shortest returns the shortest path along the edges from one memory to another, nil if
// there is none; of several shortest paths, the first in the order of the edges.
func shortest(edges []Edge, from, to string) []Hop {
	edgesFrom, last := map[string][]Edge{}, ref.End{}
	for _, e := range edges {
		edgesFrom[e.From.ID] = append(edgesFrom[e.From.ID], e)
	}
	path := []Hop{}
	way := components.Route(from, func(id string) bool { return id == to }, func(id string) []string {
		return lists.Map(edgesFrom[id], func(e Edge) string { return e.To.ID })
	})
	for i, next := range way[min(1, len(way)):] {
		hop := Hop{Direction: "out"}
		for _, e := range edgesFrom[way[i]] {
			if e.To.ID == next {
				hop.End, hop.Type = e.From, e.Type
				hop.Edges = append(hop.Edges, Parallel{ID: e.ID, Type: e.Type, Rel: e.Rel, Direction: "out", Weight: e.Weight})
				last = e.To
			}
		}
		path = append(path, hop)
	}
	if len(way) == 0 {
		return nil
	}
	return append(path, Hop{End: last})
}

// Successor is the newest successor of a memory. One that was forgotten holds as little as what it replaced.
type Successor struct {
	ref.Named
	Status string `json:"status,omitempty"` // unless current
}

// Text names the successor, as ref.Named.Text does, with its status.
func (s Successor) Text() string {
	if s.Status == "" {
		return s.Named.Text()
	}
	return s.Named.Text() + " [" + s.Status + "]"
}

// newest returns the newest successor of a memory, without an id if it has none.
func newest(ctx context.Context, r *db.Reader, id string) (Successor, error) {
	keys, err := db.Select(ctx, r, db.Value[int64], `select key from memories where id = ?`, id)
	if err != nil || len(keys) == 0 {
		return Successor{}, err
	}
	successors, err := Newest(ctx, r, keys)
	return successors[keys[0]], err
}

// Newest returns the newest successors of memories, by the keys of these. One without a successor
// is not in the map.
func Newest(ctx context.Context, r *db.Reader, keys []int64) (map[int64]Successor, error) {
	successors := map[int64]Successor{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key, steps int64
		var next Successor
		err := row.Scan(&key, &next.ID, &next.Title, &next.Status, &steps)
		successors[key] = next
		return err
	}, `
with recursive line (start, key, step) as (
  select value, value, 0
  from json_each(?)
  union
  select
    l.start,
    e.from_key,
    l.step + 1
  from line l
  cross join edges e on e.to_key = l.key and e.kind = 'supersedes'
)
select
  l.start,
  m.id,
  m.title,
  iif(m.status = 'current', '', m.status),
  max(l.step)
from line l
cross join memories m on m.key = l.key
where l.step > 0
group by l.start`, db.List(keys))
	return successors, err
}
