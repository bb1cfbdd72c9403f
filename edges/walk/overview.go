package walk

import (
	"context"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
)

// OverviewArgs ask for counts and highlights of the graph.
type OverviewArgs struct {
	Namespace    string `json:"namespace,omitempty"`
	Limit        int    `json:"limit,omitempty" default:"10" min:"1" max:"100" jsonschema:"entries of each list"`
	AsOf         string `json:"as_of,omitempty"`
	KnownAt      string `json:"known_at,omitempty"`
	IncludeEnded bool   `json:"include_ended,omitempty"`
	TokenBudget  int    `json:"token_budget,omitempty" min:"64"`
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

// OverviewResult holds exact counts and the first entries of each list. It begins with
// what needs somebody: contradictions, stale memories and causal loops. Edges found by a heuristic, and forgotten memories with their edges, count in the
// counts by kind, origin and status only. An edge counts by its kind whatever the
// memories at its ends.
type OverviewResult struct {
	Conflicts        []belief.Conflict    `json:"conflicts"`
	ConflictCount    int                  `json:"conflict_count"`
	ConflictAmong    int                  `json:"conflict_among,omitempty"`
	Stale            []belief.StaleMemory `json:"stale"`
	StaleCount       int                  `json:"stale_count"`
	StaleAmong       int                  `json:"stale_among,omitempty"`
	CausalLoops      []Loop               `json:"causal_loops"`
	CausalLoopCount  int                  `json:"causal_loop_count"`
	Memories         int                  `json:"memories" jsonschema:"current ones"`
	ByKind           []edges.Count        `json:"by_kind"`
	ByOrigin         []edges.Count        `json:"by_origin"`
	ByStatus         []edges.Count        `json:"by_status"`
	EdgesByKind      []edges.Count        `json:"edges_by_kind"`
	MostLinked       []Linked             `json:"most_linked"`
	Orphans          []ref.End            `json:"orphans" jsonschema:"without an edge"`
	OrphanCount      int                  `json:"orphan_count"`
	Components       int                  `json:"components"`
	LargestComponent int                  `json:"largest_component"`
	MemoriesAmong    int                  `json:"memories_among,omitempty"`
	EdgesAmong       int                  `json:"edges_among,omitempty"`
	Truncated        bool                 `json:"truncated,omitempty"`
	Next             string               `json:"next,omitempty"`
}

// Overview counts the memories and edges of a namespace and finds what stands
// out. It reads the ends of every edge, and is exact but for what is stale or
// contradicted: see belief.First and belief.FirstConflicts. For a time (as_of, known_at)
// it examines up to a bound of memories and edges, and says so if there are more. Which
// memories are stale it says by what is known now.
func (g Graph) Overview(ctx context.Context, a OverviewArgs) (OverviewResult, error) {
	return g.overview(ctx, a, usualBound)
}

func (g Graph) overview(ctx context.Context, a OverviewArgs, most bound) (result OverviewResult, err error) {
	if err := args.Check("overview", &a); err != nil {
		return result, err
	}
	namespace, err := g.Caller.Reads(a.Namespace)
	if err != nil {
		return result, err
	}
	times, err := edges.ParseTimes(a.AsOf, a.KnownAt, a.IncludeEnded)
	if err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) (err error) {
		var s *shape
		if times.IsAsked() {
			s, err = result.countThen(ctx, r, namespace, times, most)
		} else if err = result.countNow(ctx, r, namespace, times); err == nil {
			s, err = readShape(ctx, r, namespace, times)
		}
		if err != nil {
			return err
		}
		if err := result.describeShape(ctx, r, s, times, a.Limit); err != nil {
			return err
		}
		if result.Stale, result.StaleCount, result.StaleAmong, err = belief.First(ctx, r, namespace, times, a.Limit); err != nil {
			return err
		}
		result.Conflicts, result.ConflictCount, result.ConflictAmong, err = belief.FirstConflicts(ctx, r, namespace, times, a.Limit)
		return err
	})
	if err != nil {
		return result, err
	}
	return budget.Hold(ctx, "overview", a.TokenBudget, result.entries(), result.shorten)
}

// countNow counts by the numbers that the store keeps, without what is over.
func (o *OverviewResult) countNow(ctx context.Context, r *db.Reader, namespace string, times edges.Times) error {
	for _, c := range []struct {
		into  *[]edges.Count
		query string
	}{
		{&o.ByKind, sumBy("kind", keptCounts, "status = 'current'")},
		{&o.ByOrigin, sumBy("origin", keptCounts, "status = 'current'")},
		{&o.ByStatus, sumBy("status", keptCounts, "true")},
		{&o.EdgesByKind, sumBy("kind", keptEdgeCounts, "true")},
	} {
		var err error
		scan := db.Fields(func(n *edges.Count) []any { return []any{&n.Name, &n.Count} })
		if *c.into, err = db.Select(ctx, r, scan, c.query, namespace, times.Over); err != nil {
			return err
		}
	}
	o.countMemories()
	return nil
}

// sumBy returns the query that sums the numbers of the namespace ?1 by a column.
func sumBy(column, from, where string) string {
	return `
select ` + column + `, sum(number)
from ` + from + `
where ` + where + ` and ?1 in ('', namespace)
group by ` + column + `
having sum(number) > 0
order by 2 desc, 1`
}

// keptCounts are the counts of memories, and keptEdgeCounts those of edges, less what is
// over by the time ?2.
const (
	keptCounts = `(
  select namespace, status, kind, origin, number
  from memory_counts
  union all
  select namespace, status, kind, origin, -1
  from memories indexed by memories_ending
  where valid_to <= ?2
)`
	keptEdgeCounts = `(
  select namespace, kind, number
  from edge_counts
  union all
  select (select namespace from memories where key = from_key), kind, -1
  from edges indexed by edges_ending
  where valid_to <= ?2
)`
)

func (o *OverviewResult) countMemories() {
	for _, n := range o.ByKind {
		o.Memories += n.Count
	}
}

// describeShape finds the memories with the most edges, those without one, the components and the causal loops.
func (o *OverviewResult) describeShape(ctx context.Context, r *db.Reader, s *shape, times edges.Times, limit int) error {
	o.Components, o.LargestComponent = s.components()
	orphans, loops := s.orphans(), s.loops()
	o.OrphanCount, o.CausalLoopCount = len(orphans), len(loops)
	loops = loops[:min(len(loops), limit)]
	linked := s.mostLinked(limit)
	orphans = orphans[:min(len(orphans), limit)]
	nodes, err := describe(ctx, r, slices.Concat(linked, orphans, slices.Concat(loops...)), times)
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
