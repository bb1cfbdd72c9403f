package walk

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
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
		{&o.ByKind, sumBy("kind", edges.MemoryCounts("?2"), "status = 'current'")},
		{&o.ByOrigin, sumBy("origin", edges.MemoryCounts("?2"), "status = 'current'")},
		{&o.ByStatus, sumBy("status", edges.MemoryCounts("?2"), "true")},
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

// storedEdgeCounts are the counts of edges, with -1 for each that has ended by the time ?2.
const storedEdgeCounts = `(
  select namespace, kind, number
  from edge_counts
  union all
  select (select namespace from memories where key = from_key), kind, -1
  from edges indexed by edges_ending
  where valid_to <= ?2
)`

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
	endOf := func(key int64) ref.End { return nodes[key].End() }
	o.MostLinked = lists.Map(linked, func(key int64) Linked { return Linked{nodes[key].Named(), s.degree(key)} })
	o.Orphans = lists.Map(orphans, endOf)
	o.CausalLoops = lists.Map(loops, func(loop []int64) Loop { return Loop{len(loop), lists.Map(loop[:min(len(loop), limit)], endOf)} })
	return err
}

// scanLimits limit how many memories and edges an overview of a time examines. The store has
// counts only of the present, and reading a row takes microseconds.
type scanLimits struct{ memories, edges int }

var defaultLimits = scanLimits{memories: 50_000, edges: 150_000}

// pastMemory is a memory with the status that it had at a time.
type pastMemory struct {
	member
	id, kind, origin, status string
}

// countThen sets the counts of the memories and edges of the graph at a time, and returns its
// shape.
func (o *OverviewResult) countThen(ctx context.Context, r *db.Reader, namespace string, times edges.Times, limits scanLimits) (*shape, error) {
	query := selectThen
	if namespace != "" {
		query = selectThenOf
	}
	examined, past := []int64{}, []pastMemory{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var m pastMemory
		err := row.Scan(&m.key, &m.id, &m.kind, &m.origin, &m.status)
		examined = append(examined, m.key)
		if m.status != "" && len(examined) <= limits.memories {
			m.current = m.status == "current"
			past = append(past, m)
		}
		return err
	}, query, namespace, times.Bind(), limits.memories+1)
	if err != nil {
		return nil, err
	}
	if len(examined) > limits.memories {
		o.MemoriesAmong, examined = limits.memories, examined[:limits.memories]
	}
	o.ByKind = countBy(past, func(m pastMemory) (string, bool) { return m.kind, m.current })
	o.ByOrigin = countBy(past, func(m pastMemory) (string, bool) { return m.origin, m.current })
	o.ByStatus = countBy(past, func(m pastMemory) (string, bool) { return m.status, true })
	o.countMemories()
	slices.SortFunc(past, func(a, b pastMemory) int { return cmp.Compare(a.id, b.id) })
	members := []member{}
	for _, m := range past {
		if m.status != "forgotten" {
			members = append(members, m.member)
		}
	}
	s := newShape(members)
	return s, o.joinThen(ctx, r, s, examined, times, limits.edges)
}

// joinThen adds to a shape the edges out of the memories from that were valid at a time, and
// counts them. It examines at most maxEdges edges.
func (o *OverviewResult) joinThen(ctx context.Context, r *db.Reader, s *shape, from []int64, times edges.Times, maxEdges int) error {
	o.EdgesByKind = []edges.Count{}
	examined := 0
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var kind edges.Kind
		var valid int
		var ends db.Packed
		if err := row.Scan(&kind, &valid, &examined, &ends); err != nil {
			return err
		}
		if valid > 0 {
			o.EdgesByKind = append(o.EdgesByKind, edges.Count{Name: string(kind), Count: valid})
		}
		if kind == edges.Mentions {
			return nil
		}
		for end := range ends.Rows(2) {
			s.join(end[0], end[1], kind == edges.Causes)
		}
		return nil
	}, selectEdgesThen, db.List(from), times.Bind(), maxEdges)
	if examined > maxEdges {
		o.EdgesAmong = maxEdges
	}
	slices.SortFunc(o.EdgesByKind, compareCounts)
	return err
}

// countBy returns how many memories have each name, the most frequent first. nameOf returns
// the name of a memory, and whether to count it.
func countBy(memories []pastMemory, nameOf func(m pastMemory) (string, bool)) []edges.Count {
	numbers := map[string]int{}
	for _, m := range memories {
		if name, counts := nameOf(m); counts {
			numbers[name]++
		}
	}
	counts := []edges.Count{}
	for name, n := range numbers {
		counts = append(counts, edges.Count{Name: name, Count: n})
	}
	slices.SortFunc(counts, compareCounts)
	return counts
}

func compareCounts(a, b edges.Count) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
}

// selectThen and selectThenOf select the memories of all namespaces, and of one, with the
// status that they had at the times ?2, empty for those that did not belong to the answer: at
// most ?3 memories, first the ones that are current now, the last changed first.
var (
	selectThen = statusThen + `
from (
  select key
  from (
    select key
    from memories indexed by memories_recent
    where status = 'current'
      and ?1 = ''
    order by updated_at desc
    limit ?3
  )
  union all
  select key
  from memories indexed by memories_gone
  where status <> 'current'
  limit ?3
) examined
cross join memories m on m.key = examined.key`
	selectThenOf = statusThen + `
from (
  select key
  from memories indexed by memories_by_update
  where namespace = ?1
  order by status, updated_at desc
  limit ?3
) examined
cross join memories m on m.key = examined.key`
)

// statusThen is the select clause of both.
var statusThen = `
select
  m.key,
  m.id,
  m.kind,
  m.origin,
  case
    when ` + edges.Stands("m", "?2", "false", "false") + ` then 'current'
    when ` + edges.Stands("m", "?2", "true", "false") + ` then 'superseded'
    when ` + edges.Stands("m", "?2", "true", "true") + ` then 'forgotten'
    else ''
  end`

// selectEdgesThen selects, for each kind, the edges out of the memories ?1 that were valid at
// the times ?2, among the first ?3; and how many edges of all kinds there are, at most one more.
var selectEdgesThen = `
with examined as materialized (
  select
    e.key,
    e.from_key,
    e.to_key,
    e.kind,
    ` + edges.Holds("e", "?2") + ` as held
  from json_each(?1) f
  cross join edges e on e.from_key = f.value
  limit ?3 + 1
)
select
  kind,
  sum(held),
  (select count(*) from examined),
  pack(from_key, to_key) filter (where held)
from (select kind, held, from_key, to_key from examined limit ?3)
group by kind`
