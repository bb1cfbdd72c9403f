package belief

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sort"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
)

// Doubtful is a stale memory in a list.
type Doubtful struct {
	edges.Far
	Stale []Doubt `json:"stale"`
}

// DoubtfulResult is a page of the stale memories, in the order of their ids.
type DoubtfulResult struct {
	Memories      []Doubtful    `json:"memories"`
	ByReason      []edges.Count `json:"by_reason" jsonschema:"how many memories are stale for it; some for several"`
	TotalCount    int           `json:"total_count"`
	ReturnedCount int           `json:"returned_count"`
	Truncated     bool          `json:"truncated"`
	Next          string        `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Doubtful lists every stale memory, and why it is.
func (g Graph) Doubtful(ctx context.Context, a edges.PageArgs) (result DoubtfulResult, err error) {
	if err := args.Check("stale", &a); err != nil {
		return result, err
	}
	var after doubtfulMark
	if err := db.ReadCursor("stale", "stale", a.Cursor, &after); err != nil {
		return result, err
	}
	namespace, err := g.Caller.Reads("")
	if err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		all, err := reasons(ctx, r, namespace)
		if err != nil {
			return err
		}
		result.ByReason = tally(all)
		all = onceEach(all)
		result.TotalCount = len(all)
		all = all[sort.Search(len(all), func(i int) bool { return all[i].id > after.ID }):]
		if result.Truncated = len(all) > a.Limit; result.Truncated {
			all = all[:a.Limit]
			result.Next = db.Cursor("stale", doubtfulMark{all[a.Limit-1].id})
		}
		result.Memories, err = describe(ctx, r, all)
		return err
	})
	result.ReturnedCount = len(result.Memories)
	return result, err
}

// doubtfulMark is the memory that a page ended with.
type doubtfulMark struct {
	ID string `json:"d"`
}

// First returns the first stale memories of a namespace ("" for all) in the
// order of their ids, at most limit, and how many there are.
func First(ctx context.Context, r *db.Reader, namespace string, limit int) (first []StaleMemory, total int, err error) {
	all, err := reasons(ctx, r, namespace)
	if err != nil {
		return nil, 0, err
	}
	all = onceEach(all)
	doubtful, err := describe(ctx, r, all[:min(len(all), limit)])
	first = []StaleMemory{}
	for _, d := range doubtful {
		first = append(first, StaleMemory{ID: d.ID, Title: d.Title, Stale: d.Stale})
	}
	return first, len(all), err
}

// StaleMemory is a memory and why it is stale.
type StaleMemory struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Stale []Doubt `json:"stale"`
}

// reason is one of the reasons why a memory is stale.
type reason struct {
	key      int64
	id, text string
}

// reasons reads why each stale memory of a namespace is, in the order of the
// memories' ids.
func reasons(ctx context.Context, r *db.Reader, namespace string) ([]reason, error) {
	return db.Select(ctx, r, scanReason, selectReasons, namespace)
}

// onceEach keeps the first reason of each memory.
func onceEach(all []reason) []reason {
	return slices.CompactFunc(all, func(a, b reason) bool { return a.key == b.key })
}

func scanReason(row *sql.Rows) (s reason, err error) {
	err = row.Scan(&s.key, &s.id, &s.text)
	return s, err
}

const selectReasons = `
select distinct
  m.key,
  m.id,
  s.reason
from stale_because s
join memories m on m.key = s.memory
where m.status = 'current'
  and ?1 in ('', m.namespace)
order by m.id, s.reason`

// tally counts the memories of each reason, in the order of the words.
func tally(all []reason) []edges.Count {
	counts := map[string]int{}
	for _, s := range all {
		counts[s.text]++
	}
	told := []edges.Count{}
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		told = append(told, edges.Count{Name: text, Count: counts[text]})
	}
	return told
}

// describe says of stale memories why they are.
func describe(ctx context.Context, r *db.Reader, all []reason) ([]Doubtful, error) {
	keys := make([]int64, len(all))
	for i, s := range all {
		keys[i] = s.key
	}
	doubts, err := Stale(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	named, err := edges.Ends(ctx, r, keys)
	told := []Doubtful{}
	for _, key := range keys {
		told = append(told, Doubtful{named[key], doubts[key]})
	}
	return told, err
}
