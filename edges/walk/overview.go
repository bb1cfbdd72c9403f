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

// OverviewArgs are the arguments of Graph.Overview.
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

// OverviewResult has counts and the first entries of lists. It begins with the lists that
// somebody should act on: contradictions, stale memories and causal loops. Edges found by a
// heuristic, and forgotten memories with their edges, count only in the counts by kind,
// origin and status. An edge counts by its kind whatever the memories at its ends.
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

// Overview counts the memories and edges of a namespace, and lists those that need attention.
// It reads the ends of every edge, so its counts are exact, except those of stale memories and
// contradictions: see belief.First and belief.FirstConflicts. For a time (as_of, known_at) it
// examines a limited number of memories and edges; if there are more, MemoriesAmong and
// EdgesAmong are these limits. Staleness is always that of now.
func (g Graph) Overview(ctx context.Context, a OverviewArgs) (OverviewResult, error) {
	return g.overview(ctx, a, defaultLimits)
}

func (g Graph) overview(ctx context.Context, a OverviewArgs, limits scanLimits) (result OverviewResult, err error) {
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
			s, err = result.countThen(ctx, r, namespace, times, limits)
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
	return budget.HoldLists(ctx, "overview", a.TokenBudget, result,
		"Conflicts", "Stale", "CausalLoops", "MostLinked", "Orphans", "ByStatus", "ByKind", "EdgesByKind", "ByOrigin")
}

// countNow sets the counts of memories and edges from the counts in the store, without those
// that have ended.
func (o *OverviewResult) countNow(ctx context.Context, r *db.Reader, namespace string, times edges.Times) error {
	for _, c := range []struct {
		target *[]edges.Count
		query  string
	}{
		{&o.ByKind, sumBy("kind", storedCounts, "status = 'current'")},
		{&o.ByOrigin, sumBy("origin", storedCounts, "status = 'current'")},
		{&o.ByStatus, sumBy("status", storedCounts, "true")},
		{&o.EdgesByKind, sumBy("kind", storedEdgeCounts, "true")},
	} {
		var err error
		scan := db.Fields(func(n *edges.Count) []any { return []any{&n.Name, &n.Count} })
		if *c.target, err = db.Select(ctx, r, scan, c.query, namespace, times.Over); err != nil {
			return err
		}
	}
	o.countMemories()
	return nil
}

// sumBy returns the query for the sums of the numbers of the namespace ?1, by a column.
func sumBy(column, from, where string) string {
	return `
select ` + column + `, sum(number)
from ` + from + `
where ` + where + ` and ?1 in ('', namespace)
group by ` + column + `
having sum(number) > 0
order by 2 desc, 1`
}

// storedCounts are the counts of memories, and storedEdgeCounts those of edges, with -1 for
// each that has ended by the time ?2.
const (
	storedCounts = `(
  select namespace, status, kind, origin, number
  from memory_counts
  union all
  select namespace, status, kind, origin, -1
  from memories indexed by memories_ending
  where valid_to <= ?2
)`
	storedEdgeCounts = `(
  select namespace, kind, number
  from edge_counts
  union all
  select (select namespace from memories where key = from_key), kind, -1
  from edges indexed by edges_ending
  where valid_to <= ?2
)`
)

// countMemories sets Memories to the sum of ByKind.
func (o *OverviewResult) countMemories() {
	for _, n := range o.ByKind {
		o.Memories += n.Count
	}
}

// describeShape sets the memories with the most edges, those without edges, the components and
// the causal loops.
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
		ends := edges.Keys(loop[:min(len(loop), limit)], func(key int64) ref.End { return nodes[key].End() })
		o.CausalLoops = append(o.CausalLoops, Loop{Size: len(loop), Memories: ends})
	}
	return err
}
