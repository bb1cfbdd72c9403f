package edges

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sort"

	"hence/internal/args"
	"hence/internal/db"
)

// PageArgs ask for a page of a list of the whole store.
type PageArgs struct {
	Limit  int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// Doubtful is a stale memory in a list.
type Doubtful struct {
	Far
	Stale []Doubt `json:"stale"`
}

// DoubtfulResult is a page of the stale memories, in the order of their ids.
type DoubtfulResult struct {
	Memories      []Doubtful `json:"memories"`
	ByReason      []Count    `json:"by_reason" jsonschema:"how many memories are stale for it; some for several"`
	TotalCount    int        `json:"total_count"`
	ReturnedCount int        `json:"returned_count"`
	Truncated     bool       `json:"truncated"`
	Next          string     `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Doubtful lists every stale memory, and why it is.
func (g Graph) Doubtful(ctx context.Context, a PageArgs) (result DoubtfulResult, err error) {
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
		all, err := db.Select(ctx, r, scanReason, selectReasons, namespace)
		if err != nil {
			return err
		}
		result.ByReason = tally(all)
		all = slices.CompactFunc(all, func(a, b reason) bool { return a.key == b.key })
		result.TotalCount = len(all)
		all = all[sort.Search(len(all), func(i int) bool { return all[i].id > after.ID }):]
		if result.Truncated = len(all) > a.Limit; result.Truncated {
			all = all[:a.Limit]
			result.Next = db.Cursor("stale", doubtfulMark{all[a.Limit-1].id})
		}
		result.Memories, err = doubtful(ctx, r, all)
		return err
	})
	result.ReturnedCount = len(result.Memories)
	return result, err
}

// doubtfulMark is the memory that a page ended with.
type doubtfulMark struct {
	ID string `json:"d"`
}

// reason is one of the reasons why a memory is stale.
type reason struct {
	key      int64
	id, text string
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
func tally(all []reason) []Count {
	counts := map[string]int{}
	for _, s := range all {
		counts[s.text]++
	}
	told := []Count{}
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		told = append(told, Count{text, counts[text]})
	}
	return told
}

// doubtful says of stale memories why they are.
func doubtful(ctx context.Context, r *db.Reader, all []reason) ([]Doubtful, error) {
	keys := make([]int64, len(all))
	for i, s := range all {
		keys[i] = s.key
	}
	doubts, err := Stale(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	nodes, err := describe(ctx, r, keys)
	told := []Doubtful{}
	for _, key := range keys {
		told = append(told, Doubtful{Far{nodes[key].End, nodes[key].kind}, doubts[key]})
	}
	return told, err
}
