// Package belief says which memories no longer stand on what they were stored
// on: what is stale and why, what contradicts what, and who has looked at it.
package belief

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// Graph is the edges of a store, as one caller may read and write them.
type Graph ref.View

// Doubt is one reason why a memory is stale: something it rests on, at any
// remove, was superseded, forgotten or contradicted, or reads otherwise now.
type Doubt struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Reason string   `json:"reason" jsonschema:"superseded, forgotten, contradicted or changed"`
	Route  []string `json:"route" jsonschema:"ids from the stale memory to this one"`
}

// staleness is the text of the view stale_because. There is one definition of
// what is stale, the schema's: the queries below run this text over a part of
// grounds, which a table expression of that name puts in the view's place.
var staleness = viewText("stale_because")

func viewText(name string) string {
	_, text, ok := strings.Cut(hence.Schema, "\ncreate view "+name+" ")
	_, text, isBody := strings.Cut(text, " as\n")
	text, _, ends := strings.Cut(text, ";\n")
	if !ok || !isBody || !ends {
		panic("schema.sql has no view " + name)
	}
	return text
}

// upstreamOf are the edges by which the memories ?1 rest on others, at any
// remove, under the name of the view grounds.
const upstreamOf = `
with recursive upstream (key) as (
  select value from json_each(?1)
  union
  select g.rests_on
  from upstream u
  cross join main.grounds g on g.memory = u.key
),
grounds (memory, rests_on, basis) as materialized (
  select
    g.memory,
    g.rests_on,
    g.basis
  from upstream u
  cross join main.grounds g on g.memory = u.key
)
`

// cause is one row of stale_because.
type cause struct {
	memory, because  int64
	reason, evidence string
}

func scanCause(row *sql.Rows) (c cause, err error) {
	err = row.Scan(&c.memory, &c.because, &c.reason, &c.evidence)
	return c, err
}

// Stale returns why each of the memories is stale, by its key; those that are
// not stale, or not current, are not in the map. A memory is named once for a
// reason, with the shortest route to it.
func Stale(ctx context.Context, r *db.Reader, keys []int64) (map[int64][]Doubt, error) {
	rests, err := db.Select(ctx, r, func(row *sql.Rows) (pair [2]int64, err error) {
		err = row.Scan(&pair[0], &pair[1])
		return pair, err
	}, upstreamOf+`select memory, rests_on from grounds`, db.List(keys))
	if err != nil || len(rests) == 0 {
		return nil, err
	}
	causes, err := db.Select(ctx, r, scanCause, upstreamOf+`
select
  memory,
  because,
  reason,
  evidence
from (`+staleness+`)`, db.List(keys))
	if err != nil || len(causes) == 0 {
		return nil, err
	}
	named := slices.Clone(keys)
	for _, pair := range rests {
		named = append(named, pair[1])
	}
	ends, err := edges.Ends(ctx, r, named)
	if err != nil {
		return nil, err
	}
	return doubts(keys, rests, causes, ends), nil
}

// doubts finds the route of every cause of the memories asked for.
func doubts(keys []int64, rests [][2]int64, causes []cause, ends map[int64]edges.Far) map[int64][]Doubt {
	on := map[int64][]int64{}
	for _, pair := range rests {
		on[pair[0]] = append(on[pair[0]], pair[1])
	}
	for _, list := range on {
		slices.SortFunc(list, func(a, b int64) int { return cmp.Compare(ends[a].ID, ends[b].ID) })
	}
	transmits := map[cause]bool{}
	for _, c := range causes {
		transmits[c] = true
	}
	stale := map[int64][]Doubt{}
	for _, c := range causes {
		if !slices.Contains(keys, c.memory) || ends[c.memory].Status != "current" {
			continue
		}
		d := Doubt{ID: ends[c.because].ID, Title: ends[c.because].Title, Reason: c.reason, Route: routeTo(c, on, transmits, ends)}
		stale[c.memory] = append(stale[c.memory], d)
	}
	for key, list := range stale {
		slices.SortFunc(list, compareDoubts)
		stale[key] = slices.CompactFunc(list, func(a, b Doubt) bool { return a.ID == b.ID && a.Reason == b.Reason })
	}
	return stale
}

func compareDoubts(a, b Doubt) int {
	return cmp.Or(cmp.Compare(len(a.Route), len(b.Route)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Reason, b.Reason), slices.Compare(a.Route, b.Route))
}

// routeTo is the shortest way from a stale memory to the cause, through
// memories that are stale because of the same; among equals the first by ids.
func routeTo(c cause, on map[int64][]int64, transmits map[cause]bool, ends map[int64]edges.Far) []string {
	came := map[int64]int64{c.memory: 0}
	for queue := []int64{c.memory}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, next := range on[at] {
			through := c
			through.memory = next
			if _, seen := came[next]; seen || next != c.because && !transmits[through] {
				continue
			}
			came[next] = at
			if next == c.because {
				route := []string{}
				for ; next != 0; next = came[next] {
					route = append(route, ends[next].ID)
				}
				slices.Reverse(route)
				return route
			}
			queue = append(queue, next)
		}
	}
	return []string{}
}
