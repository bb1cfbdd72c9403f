package walk

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
)

// OverviewArgs ask for a picture of the whole.
type OverviewArgs struct {
	Namespace string `json:"namespace,omitempty"`
	Limit     int    `json:"limit,omitempty" default:"10" min:"1" max:"100" jsonschema:"entries of each list"`
}

// Linked is a memory and the number of its edges.
type Linked struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Edges int    `json:"edges"`
}

// Loop is a set of memories each of which is, by way of the others, among its
// own causes.
type Loop struct {
	Size     int         `json:"size"`
	Memories []edges.End `json:"memories"`
}

// OverviewResult is a picture of the whole: exact counts, and the first few of
// each list. Edges found by a heuristic, forgotten memories and what only they
// are tied to are left out of all but the counts by kind.
type OverviewResult struct {
	Memories         int                  `json:"memories" jsonschema:"current ones"`
	ByKind           []edges.Count        `json:"by_kind"`
	ByOrigin         []edges.Count        `json:"by_origin"`
	ByStatus         []edges.Count        `json:"by_status"`
	EdgesByKind      []edges.Count        `json:"edges_by_kind"`
	MostLinked       []Linked             `json:"most_linked"`
	Orphans          []edges.End          `json:"orphans" jsonschema:"without an edge"`
	OrphanCount      int                  `json:"orphan_count"`
	Stale            []belief.StaleMemory `json:"stale"`
	StaleCount       int                  `json:"stale_count"`
	Conflicts        []belief.Conflict    `json:"conflicts" jsonschema:"open contradictions"`
	ConflictCount    int                  `json:"conflict_count"`
	CausalLoops      []Loop               `json:"causal_loops" jsonschema:"the largest first"`
	CausalLoopCount  int                  `json:"causal_loop_count"`
	Components       int                  `json:"components" jsonschema:"pieces that no edge joins, orphans left out"`
	LargestComponent int                  `json:"largest_component"`
}

// Overview counts the memories and edges of a namespace and finds what stands
// out in them. It is exact, and reads every edge.
func (g Graph) Overview(ctx context.Context, a OverviewArgs) (result OverviewResult, err error) {
	if err := args.Check("overview", &a); err != nil {
		return result, err
	}
	namespace, err := g.Caller.Reads(a.Namespace)
	if err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		o := overview{ctx: ctx, r: r, namespace: namespace, limit: a.Limit}
		for _, part := range []func() error{o.counts, o.shape, o.stale, o.conflicts} {
			if err := part(); err != nil {
				return err
			}
		}
		result = o.OverviewResult
		return nil
	})
	return result, err
}

// overview is an Overview on its way.
type overview struct {
	OverviewResult
	ctx       context.Context
	r         *db.Reader
	namespace string
	limit     int
}

func (o *overview) counts() error {
	for _, c := range []struct {
		into  *[]edges.Count
		query string
	}{
		{&o.ByKind, `
select kind, count(*)
from memories
where status = 'current' and ?1 in ('', namespace)
group by kind
order by 2 desc, 1`},
		{&o.ByOrigin, `
select origin, count(*)
from memories
where status = 'current' and ?1 in ('', namespace)
group by origin
order by 2 desc, 1`},
		{&o.ByStatus, `
select status, count(*)
from memories
where ?1 in ('', namespace)
group by status
order by 2 desc, 1`},
		{&o.EdgesByKind, `
select e.kind, count(*)
from edges e
join memories m on m.key = e.from_key
where ?1 in ('', m.namespace)
group by e.kind
order by 2 desc, 1`},
	} {
		var err error
		if *c.into, err = db.Select(o.ctx, o.r, func(row *sql.Rows) (n edges.Count, err error) {
			err = row.Scan(&n.Name, &n.Count)
			return n, err
		}, c.query, o.namespace); err != nil {
			return err
		}
	}
	for _, n := range o.ByKind {
		o.Memories += n.Count
	}
	return nil
}

// shape reads every edge once and finds what is most linked, what is not
// linked at all, the pieces and the causal loops.
func (o *overview) shape() error {
	memories, err := db.Select(o.ctx, o.r, func(row *sql.Rows) (m member, err error) {
		err = row.Scan(&m.key, &m.current)
		return m, err
	}, `
select key, status = 'current'
from memories
where status <> 'forgotten'
  and ?1 in ('', namespace)
order by id`, o.namespace)
	if err != nil {
		return err
	}
	s := newShape(memories)
	if _, err = db.Select(o.ctx, o.r, func(row *sql.Rows) (struct{}, error) {
		var from, to int64
		var causal bool
		if err := row.Scan(&from, &to, &causal); err != nil {
			return struct{}{}, err
		}
		s.join(from, to, causal)
		return struct{}{}, nil
	}, `
select from_key, to_key, kind = 'causes'
from edges
where kind <> 'mentions'`); err != nil {
		return err
	}
	o.Components, o.LargestComponent = s.components()
	orphans := s.orphans()
	o.OrphanCount = len(orphans)
	loops := s.loops()
	o.CausalLoopCount = len(loops)
	return o.name(s, orphans, loops)
}

// name reads the titles of what is listed.
func (o *overview) name(s *shape, orphans []int64, loops [][]int64) error {
	loops = loops[:min(len(loops), o.limit)]
	linked := s.mostLinked(o.limit)
	orphans = orphans[:min(len(orphans), o.limit)]
	keys := slices.Concat(linked, orphans, slices.Concat(loops...))
	nodes, err := describe(o.ctx, o.r, keys)
	if err != nil {
		return err
	}
	o.MostLinked, o.Orphans, o.CausalLoops = []Linked{}, []edges.End{}, []Loop{}
	for _, key := range linked {
		o.MostLinked = append(o.MostLinked, Linked{ID: nodes[key].ID, Title: nodes[key].Title, Edges: s.degree(key)})
	}
	for _, key := range orphans {
		o.Orphans = append(o.Orphans, nodes[key].End)
	}
	for _, loop := range loops {
		ends := []edges.End{}
		for _, key := range loop[:min(len(loop), o.limit)] {
			ends = append(ends, nodes[key].End)
		}
		o.CausalLoops = append(o.CausalLoops, Loop{Size: len(loop), Memories: ends})
	}
	return nil
}

func (o *overview) stale() (err error) {
	o.Stale, o.StaleCount, err = belief.First(o.ctx, o.r, o.namespace, o.limit)
	return err
}

func (o *overview) conflicts() (err error) {
	o.Conflicts, o.ConflictCount, err = belief.FirstConflicts(o.ctx, o.r, o.namespace, o.limit)
	return err
}
