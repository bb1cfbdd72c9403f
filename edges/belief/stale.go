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
	"slices"
	"strings"

	"hence"
	"hence/edges"
	"hence/internal/components"
	"hence/internal/db"
	"hence/internal/ref"
)

// Graph is the edges of a store, as one caller may read and write them.
type Graph ref.View

// Doubt is one reason why a memory is stale: something it depends on, directly or
// through others, was superseded, forgotten, contradicted or changed.
type Doubt struct {
	ref.Named
	Reason    string     `json:"reason" jsonschema:"superseded, forgotten, contradicted or changed"`
	Successor *ref.Named `json:"successor,omitempty"` // the newest successor, if Reason is superseded
	Route     []string   `json:"route" jsonschema:"ids from the stale memory to this one"`

	key int64 // of the memory that it depends on
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
	successors, err := edges.Newest(ctx, r, edges.Keys(causes, func(c cause) int64 { return c.because }))
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
			d.Successor = &next.Named
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
  or exists (select 1 from edge_counts where kind = 'contradicts' and number > 0)
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
	return edges.Keys(way, func(key int64) string { return ends[key].ID })
}
