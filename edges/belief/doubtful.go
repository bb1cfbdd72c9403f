package belief

import (
	"context"
	"maps"
	"slices"
	"sort"

	"hence"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
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

// doubtfulCursor identifies the last memory of a page.
type doubtfulCursor struct {
	ID string `json:"d"`
}

// Doubtful returns a page of the stale memories with their doubts.
func (g Graph) Doubtful(ctx context.Context, a edges.PageArgs) (result DoubtfulResult, err error) {
	var after doubtfulCursor
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
		result.ByReason = []edges.Count{}
		for _, text := range slices.Sorted(maps.Keys(counts)) {
			result.ByReason = append(result.ByReason, edges.Count{Name: text, Count: counts[text]})
		}
		memories := onePerMemory(reasons)
		result.TotalCount = len(memories)
		memories = memories[sort.Search(len(memories), func(i int) bool { return memories[i].id > after.ID }):]
		memories, result.Next = edges.Cut("stale", memories, a.Limit, func(s reason) any { return doubtfulCursor{s.id} })
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
	first = edges.Keys(doubtful, func(d Doubtful) StaleMemory { return StaleMemory{Named: d.Named, Stale: d.Stale} })
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

// onePerMemory returns the first reason of each memory.
func onePerMemory(reasons []reason) []reason {
	return slices.CompactFunc(reasons, func(a, b reason) bool { return a.key == b.key })
}

// describe returns the given stale memories with all their doubts.
func describe(ctx context.Context, r *db.Reader, memories []reason) ([]Doubtful, error) {
	keys := edges.Keys(memories, func(s reason) int64 { return s.key })
	doubts, err := Stale(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	ends, err := ref.Ends(ctx, r, keys)
	doubtful := edges.Keys(keys, func(key int64) Doubtful { return Doubtful{ends[key], doubts[key]} })
	return doubtful, err
}
