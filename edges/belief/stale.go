// Package belief says which memories are in doubt: which are stale and why, which contradict
// each other, and which doubts somebody has verified.
//
// Staleness is not stored. The view stale_because derives it: it compares the hash of the
// memory that an edge depends on with its hash when the edge was made (edges.basis), and
// finds the memories that were superseded, forgotten or contradicted since. A verification
// names the exact doubts that were verified. It does not compare times, so neither a wrong
// clock nor two changes within a millisecond can make it wrong.
//
// The view covers every dependency of the store, which is slow in a large one. Queries about
// some memories run the view's own text, stale_because.sql, over the dependencies of
// these memories only: a table expression named grounds replaces the view grounds. So there
// is one definition of stale.
package belief

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"sort"
	"strings"

	"hence"
	"hence/edges"
	"hence/internal/budget"
	"hence/internal/components"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
)

// Graph is the edges of a store, as one caller may read and write them.
type Graph ref.View

// Doubt is one reason why a memory is stale: something it depends on, directly or
// through others, was superseded, forgotten, contradicted or changed.
type Doubt struct {
	ref.Named
	Reason    string           `json:"reason" jsonschema:"superseded, forgotten, contradicted or changed"`
	Successor *edges.Successor `json:"successor,omitempty"` // the newest successor, if Reason is superseded
	Route     []string         `json:"route" jsonschema:"ids from the stale memory to this one"`

	key int64 // of the memory that it depends on
}

const (
	leastTitle    = 40  // bytes of a title that are shown in any case
	doubtBytes    = 300 // about as many bytes does a doubt take in a result
	maxBriefRoute = 8   // ids of a route, where there is little room
)

// Brief returns the nearest of a memory's doubts and the first of those that contradict it, one at least, for an answer with
// room for a number of bytes of each text: titles are cut, and a long route is left out. So a memory in doubt says it in any
// answer. With budget.Whole all are returned as they are.
func Brief(doubts []Doubt, contradicting []ref.End, bytes int) ([]Doubt, []ref.End) {
	if bytes == budget.Whole {
		return doubts, contradicting
	}
	title := func(of *ref.Named) { of.Title, _ = budget.Cut(of.Title, max(bytes, leastTitle)) }
	most := max(1, bytes/doubtBytes)
	doubts, contradicting = slices.Clone(doubts[:min(most, len(doubts))]), slices.Clone(contradicting[:min(most, len(contradicting))])
	for n := range doubts {
		d := &doubts[n]
		title(&d.Named)
		if d.Successor != nil {
			d.Successor = new(*d.Successor)
			title(&d.Successor.Named)
		}
		if len(d.Route) > maxBriefRoute {
			d.Route = []string{}
		}
	}
	for n := range contradicting {
		title(&contradicting[n].Named)
	}
	return doubts, contradicting
}

// Text says what happened to the memory that makes another stale.
func (d Doubt) Text() string {
	text := d.Named.Text() + " " + ReasonText(d.Reason)
	if d.Successor != nil {
		text += " by " + d.Successor.Text()
	}
	return text
}

// ReasonText returns what happened to the ground of a stale memory, by the reason of its
// doubt, as it goes on after the ground's name.
func ReasonText(reason string) string {
	switch reason {
	case "contradicted":
		return "is contradicted"
	case "changed":
		return "has changed"
	}
	return "was " + reason
}

// withGrounds returns a with clause that defines grounds as the edges by which memories depend
// on each other, from those that start selects on: each edge leads from its end near to its end
// far. limit is a limit clause for the number of memories, or "".
func withGrounds(start, near, far, limit string) string {
	return strings.NewReplacer("{start}", start, "{near}", near, "{far}", far, "{limit}", limit).Replace(`
with recursive reached (key) as (
  {start}
  union
  select g.{far}
  from reached r
  cross join main.grounds g on g.{near} = r.key
  {limit}
),
grounds (memory, rests_on, basis) as materialized (
  select
    g.memory,
    g.rests_on,
    g.basis
  from reached r
  cross join main.grounds g on g.{near} = r.key
)
`)
}

// upstreamOf defines grounds as the edges by which the memories ?1 depend on others, directly or
// through others.
var upstreamOf = withGrounds("select value from json_each(?1)", "memory", "rests_on", "")

// cause is one row of stale_because.
type cause struct {
	memory, because  int64
	reason, evidence string
}

// Stale returns, by the key of each given memory that is current and stale, its doubts: each
// cause once per reason, with the shortest route to it. They are sorted by the length of the
// route, the shortest first.
func Stale(ctx context.Context, r *db.Reader, keys []int64) (map[int64][]Doubt, error) {
	if hasDoubts, _, err := db.One[bool](ctx, r, selectDoubts); err != nil || !hasDoubts {
		return nil, err
	}
	grounds := map[int64][]int64{}
	endKeys := slices.Clone(keys)
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var memory, ground int64
		err := row.Scan(&memory, &ground)
		grounds[memory] = append(grounds[memory], ground)
		endKeys = append(endKeys, ground)
		return err
	}, upstreamOf+`select memory, rests_on from grounds`, db.List(keys))
	if err != nil || len(grounds) == 0 {
		return nil, err
	}
	causes, err := db.Select(ctx, r, db.Fields(func(c *cause) []any {
		return []any{&c.memory, &c.because, &c.reason, &c.evidence}
	}), upstreamOf+`
select
  memory,
  because,
  reason,
  evidence
from (`+hence.StaleBecause+`)`, db.List(keys))
	if err != nil || len(causes) == 0 {
		return nil, err
	}
	ends, err := ref.Ends(ctx, r, endKeys)
	if err != nil {
		return nil, err
	}
	for _, direct := range grounds {
		slices.SortFunc(direct, func(a, b int64) int { return cmp.Compare(ends[a].ID, ends[b].ID) })
	}
	isStaleFor := map[cause]bool{}
	for _, c := range causes {
		isStaleFor[c] = true
	}
	successors, err := edges.Newest(ctx, r, lists.Map(causes, func(c cause) int64 { return c.because }))
	if err != nil {
		return nil, err
	}
	stale := map[int64][]Doubt{}
	for _, c := range causes {
		if !slices.Contains(keys, c.memory) || ends[c.memory].Status != "current" {
			continue
		}
		d := Doubt{Named: ends[c.because].Named, Reason: c.reason, Route: routeTo(c, grounds, isStaleFor, ends), key: c.because}
		if next, ok := successors[c.because]; ok && c.reason == "superseded" {
			d.Successor = &next
		}
		stale[c.memory] = append(stale[c.memory], d)
	}
	for key, doubts := range stale {
		slices.SortFunc(doubts, func(a, b Doubt) int {
			return cmp.Or(cmp.Compare(len(a.Route), len(b.Route)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Reason, b.Reason), slices.Compare(a.Route, b.Route))
		})
		stale[key] = slices.CompactFunc(doubts, func(a, b Doubt) bool { return a.ID == b.ID && a.Reason == b.Reason })
	}
	return stale, nil
}

// selectDoubts selects whether anything in the store can make a memory stale.
const selectDoubts = `
select
  exists (select 1 from memory_counts where status <> 'current' and number > 0)
  or ` + hasConflicts + `
  or exists (select 1 from changed_grounds)`

// routeTo returns the shortest route from a stale memory to the cause, through memories that
// are stale for the same cause; of several shortest routes, the first in the order of ids.
func routeTo(c cause, grounds map[int64][]int64, isStaleFor map[cause]bool, ends map[int64]ref.Far) []string {
	way := components.Route(c.memory, func(key int64) bool { return key == c.because }, func(key int64) []int64 {
		return slices.DeleteFunc(slices.Clone(grounds[key]), func(next int64) bool {
			through := c
			through.memory = next
			return next != c.because && !isStaleFor[through]
		})
	})
	return lists.Map(way, func(key int64) string { return ends[key].ID })
}

// suspects selects the memories that may make others stale: those that were superseded,
// forgotten, contradicted or changed. Each part of the union has an index of its own: SQLite would
// read an index of all edges and memories.
const suspects = `
  select key
  from memories indexed by memories_gone
  where status <> 'current'
  union
  select from_key
  from edges indexed by edges_of_contradiction
  where kind = 'contradicts'
  union
  select to_key
  from edges indexed by edges_of_contradiction
  where kind = 'contradicts'
  union
  select e.to_key
  from changed_grounds c
  cross join edges e on e.key = c.edge`

// suspectsOf selects the suspects of the namespace ?1, "" for all.
const suspectsOf = `
  select s.key
  from (` + suspects + `) s
  where ?1 = ''
    or ?1 = (select namespace from memories where key = s.key)`

// downstream defines grounds as the edges by which memories depend on suspects of the namespace ?1, directly or through others. Only these edges can make a
// memory of the namespace stale, so a query for all stale memories reads no others.
var downstream = withGrounds(suspectsOf, "rests_on", "memory", "")

const (
	maxSuspects = 2000 // number of suspects up to which all stale memories are found
	maxExamined = 4000 // number of memories examined if there are more suspects
	batchSize   = 250  // number of memories examined by one query
)

// Latest returns the keys of stale memories of a namespace ("" for all): at least limit, or
// all there are, in no order. In a namespace with many suspects it examines the memories that
// changed last first, and stops after maxExamined; if it found fewer than limit in these,
// examined is maxExamined, else 0.
func Latest(ctx context.Context, r *db.Reader, namespace string, limit int) (keys []int64, examined int, err error) {
	if hasDoubts, _, err := db.One[bool](ctx, r, selectDoubts); err != nil || !hasDoubts {
		return nil, 0, err
	}
	many, _, err := db.One[bool](ctx, r, haveManySuspects, namespace, maxSuspects+1)
	if err != nil {
		return nil, 0, err
	}
	if !many {
		keys, err = db.Select(ctx, r, db.Value[int64], downstream+`select distinct memory from (`+hence.StaleBecause+`)`, namespace)
		return keys, 0, err
	}
	keys, complete, err := staleAmongNewest(ctx, r, namespace, limit)
	if complete || len(keys) >= limit {
		return keys, 0, err
	}
	return keys, maxExamined, err
}

// haveManySuspects selects whether the namespace ?1 has at least ?2 suspects. It asks the counts
// first, because SQLite reads all parts before the first row of a union.
const haveManySuspects = `
select
  (select coalesce(sum(number), 0) from memory_counts where status <> 'current' and ?1 in ('', namespace)) >= ?2
  or (select count(*) = ?2 from (select 1 from (` + suspectsOf + `) limit ?2))`

// staleAmongNewest returns the keys of the stale memories among the maxExamined that changed
// last. It stops once it has limit keys. complete reports whether the namespace has no other
// current memories.
func staleAmongNewest(ctx context.Context, r *db.Reader, namespace string, limit int) (keys []int64, complete bool, err error) {
	query := newestOfAll
	if namespace != "" {
		query = newestOf
	}
	newestKeys, err := db.Select(ctx, r, db.Value[int64], query, namespace, maxExamined)
	for start := 0; start < len(newestKeys) && len(keys) < limit && err == nil; start += batchSize {
		var stale []int64
		stale, err = db.Select(ctx, r, db.Value[int64], upstreamOf+`
select distinct memory
from (`+hence.StaleBecause+`)
where memory in (select value from json_each(?1))`, db.List(newestKeys[start:min(start+batchSize, len(newestKeys))]))
		keys = append(keys, stale...)
	}
	return keys, len(newestKeys) < maxExamined, err
}

// The queries for the current memories of all namespaces, and of one, that changed last.
const (
	newestOfAll = `
select key
from memories indexed by memories_recent
where status = 'current'
  and ?1 in ('', namespace)
order by updated_at desc
limit ?2`
	newestOf = `
select key
from memories indexed by memories_by_update
where status = 'current'
  and namespace = ?1
order by updated_at desc
limit ?2`
)

// Doubtful is a stale memory with its doubts.
type Doubtful struct {
	ref.Far
	Stale []Doubt `json:"stale"`
}

// DoubtfulResult is a page of the stale memories, sorted by id.
type DoubtfulResult struct {
	Memories []Doubtful    `json:"memories"`
	ByReason []edges.Count `json:"by_reason" jsonschema:"how many memories are stale for it; some for several"`
	edges.Page
}

// Doubtful returns a page of the stale memories with their doubts.
func (g Graph) Doubtful(ctx context.Context, a edges.PageArgs) (result DoubtfulResult, err error) {
	after := "" // the id of the last memory of the page before
	namespace, err := a.Start("stale", g.Caller, &after)
	if err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		reasons, err := readReasons(ctx, r, namespace, edges.Today())
		if err != nil {
			return err
		}
		counts := map[string]int{}
		for _, s := range reasons {
			counts[s.text]++
		}
		result.ByReason = lists.Map(slices.Sorted(maps.Keys(counts)), func(text string) edges.Count { return edges.Count{Name: text, Count: counts[text]} })
		memories := slices.CompactFunc(reasons, func(a, b reason) bool { return a.key == b.key }) // the first reason of each
		result.TotalCount = len(memories)
		memories = memories[sort.Search(len(memories), func(i int) bool { return memories[i].id > after }):]
		memories, result.Next = edges.Cut("stale", memories, a.Limit, func(s reason) any { return s.id })
		result.Memories, err = describe(ctx, r, memories)
		return err
	})
	result.Truncated, result.ReturnedCount = result.Next != "", len(result.Memories)
	return result, err
}

// First returns the memories of a namespace ("" for all) that are stale now and belong to the
// answer for the times (see edges.Stands), sorted by id, at most limit, and how many there
// are. In a namespace with many suspects it examines only the memories that changed last, and
// examined is how many; else examined is 0.
func First(ctx context.Context, r *db.Reader, namespace string, times edges.Times, limit int) (first []StaleMemory, total, examined int, err error) {
	keys, examined, err := Latest(ctx, r, namespace, maxExamined)
	if err != nil {
		return nil, 0, 0, err
	}
	memories, err := db.Select(ctx, r, scanReason, `
select
  m.key,
  m.id,
  ''
from json_each(?1) j
cross join memories m on m.key = j.value
where m.status = 'current'
  and ?3 in ('', m.namespace)
  and `+edges.Stands("m", "?2", "false", "false")+`
order by m.id`, db.List(keys), times.Bind(), namespace)
	if err != nil {
		return nil, 0, 0, err
	}
	doubtful, err := describe(ctx, r, memories[:min(len(memories), limit)])
	first = lists.Map(doubtful, func(d Doubtful) StaleMemory { return StaleMemory{Named: d.Named, Stale: d.Stale} })
	return first, len(memories), examined, err
}

// StaleMemory is a stale memory with its doubts.
type StaleMemory struct {
	ref.Named
	Stale []Doubt `json:"stale"`
}

// reason is one of the reasons why a memory is stale.
type reason struct {
	key      int64
	id, text string
}

var scanReason = db.Fields(func(s *reason) []any { return []any{&s.key, &s.id, &s.text} })

// readReasons returns the reasons for which the memories of a namespace ("" for all) are stale
// that belong to the answer for the times, sorted by id and reason.
func readReasons(ctx context.Context, r *db.Reader, namespace string, times edges.Times) ([]reason, error) {
	return db.Select(ctx, r, scanReason, downstream+`
select distinct
  m.key,
  m.id,
  s.reason
from (`+hence.StaleBecause+`) s
join memories m on m.key = s.memory
where m.status = 'current'
  and ?1 in ('', m.namespace)
  and `+edges.Stands("m", "?2", "false", "false")+`
order by m.id, s.reason`, namespace, times.Bind())
}

// describe returns the given stale memories with all their doubts.
func describe(ctx context.Context, r *db.Reader, memories []reason) ([]Doubtful, error) {
	keys := lists.Map(memories, func(s reason) int64 { return s.key })
	doubts, err := Stale(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	ends, err := ref.Ends(ctx, r, keys)
	doubtful := lists.Map(keys, func(key int64) Doubtful { return Doubtful{ends[key], doubts[key]} })
	return doubtful, err
}
