package walk

import (
	"context"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// OverviewArgs ask for counts and highlights of the graph.
type OverviewArgs struct {
	Namespace string `json:"namespace,omitempty"`
	Limit     int    `json:"limit,omitempty" default:"10" min:"1" max:"100" jsonschema:"entries of each list"`
}

// Linked is a memory and the number of its edges.
type Linked struct {
	ref.Named
	Edges int `json:"edges"`
}

// Loop is a set of memories that cause each other, directly or through others.
type Loop struct {
	Size     int       `json:"size"`
	Memories []ref.End `json:"memories"`
}

// OverviewResult holds exact counts and the first entries of each list. Edges
// found by a heuristic, and forgotten memories with their edges, count in the
// counts by kind, origin and status only.
type OverviewResult struct {
	Memories         int                  `json:"memories" jsonschema:"current ones"`
	ByKind           []edges.Count        `json:"by_kind"`
	ByOrigin         []edges.Count        `json:"by_origin"`
	ByStatus         []edges.Count        `json:"by_status"`
	EdgesByKind      []edges.Count        `json:"edges_by_kind"`
	MostLinked       []Linked             `json:"most_linked"`
	Orphans          []ref.End            `json:"orphans" jsonschema:"without an edge"`
	OrphanCount      int                  `json:"orphan_count"`
	Stale            []belief.StaleMemory `json:"stale"`
	StaleCount       int                  `json:"stale_count"`
	StaleAmong       int                  `json:"stale_among,omitempty" jsonschema:"number examined, latest first"`
	Conflicts        []belief.Conflict    `json:"conflicts" jsonschema:"open contradictions"`
	ConflictCount    int                  `json:"conflict_count"`
	CausalLoops      []Loop               `json:"causal_loops" jsonschema:"the largest first"`
	CausalLoopCount  int                  `json:"causal_loop_count"`
	Components       int                  `json:"components" jsonschema:"pieces that no edge joins, orphans left out"`
	LargestComponent int                  `json:"largest_component"`
}

// Overview counts the memories and edges of a namespace and finds what stands
// out. It reads the ends of every edge, and is exact but for what is stale: see
// belief.First.
func (g Graph) Overview(ctx context.Context, a OverviewArgs) (result OverviewResult, err error) {
	if err := args.Check("overview", &a); err != nil {
		return result, err
	}
	namespace, err := g.Caller.Reads(a.Namespace)
	if err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		if err := result.count(ctx, r, namespace); err != nil {
			return err
		}
		if err := result.describeShape(ctx, r, namespace, a.Limit); err != nil {
			return err
		}
		if result.Stale, result.StaleCount, result.StaleAmong, err = belief.First(ctx, r, namespace, a.Limit); err != nil {
			return err
		}
		result.Conflicts, result.ConflictCount, err = belief.FirstConflicts(ctx, r, namespace, a.Limit)
		return err
	})
	return result, err
}

func (o *OverviewResult) count(ctx context.Context, r *db.Reader, namespace string) error {
	for _, c := range []struct {
		into  *[]edges.Count
		query string
	}{
		{&o.ByKind, `
select kind, sum(number)
from memory_counts
where status = 'current' and number > 0 and ?1 in ('', namespace)
group by kind
order by 2 desc, 1`},
		{&o.ByOrigin, `
select origin, sum(number)
from memory_counts
where status = 'current' and number > 0 and ?1 in ('', namespace)
group by origin
order by 2 desc, 1`},
		{&o.ByStatus, `
select status, sum(number)
from memory_counts
where number > 0 and ?1 in ('', namespace)
group by status
order by 2 desc, 1`},
		{&o.EdgesByKind, `
select kind, sum(number)
from edge_counts
where number > 0 and ?1 in ('', namespace)
group by kind
order by 2 desc, 1`},
	} {
		var err error
		scan := db.Fields(func(n *edges.Count) []any { return []any{&n.Name, &n.Count} })
		if *c.into, err = db.Select(ctx, r, scan, c.query, namespace); err != nil {
			return err
		}
	}
	for _, n := range o.ByKind {
		o.Memories += n.Count
	}
	return nil
}

// describeShape finds the memories with the most edges, those without one, the components and the causal loops.
func (o *OverviewResult) describeShape(ctx context.Context, r *db.Reader, namespace string, limit int) error {
	s, err := readShape(ctx, r, namespace)
	if err != nil {
		return err
	}
	o.Components, o.LargestComponent = s.components()
	orphans, loops := s.orphans(), s.loops()
	o.OrphanCount, o.CausalLoopCount = len(orphans), len(loops)
	loops = loops[:min(len(loops), limit)]
	linked := s.mostLinked(limit)
	orphans = orphans[:min(len(orphans), limit)]
	nodes, err := describe(ctx, r, slices.Concat(linked, orphans, slices.Concat(loops...)), edges.Today())
	o.MostLinked, o.Orphans, o.CausalLoops = []Linked{}, []ref.End{}, []Loop{}
	for _, key := range linked {
		o.MostLinked = append(o.MostLinked, Linked{nodes[key].Named(), s.degree(key)})
	}
	for _, key := range orphans {
		o.Orphans = append(o.Orphans, nodes[key].End())
	}
	for _, loop := range loops {
		ends := []ref.End{}
		for _, key := range loop[:min(len(loop), limit)] {
			ends = append(ends, nodes[key].End())
		}
		o.CausalLoops = append(o.CausalLoops, Loop{Size: len(loop), Memories: ends})
	}
	return err
}
