package belief

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
)

// Resting is a memory that depends on a given one, directly or through others.
type Resting struct {
	ref.Named
	Route []string `json:"route" jsonschema:"ids from this memory to what it rests on"`
}

// RestingOn returns the current memories that depend on the memories with the given ids, and
// so would be stale if these changed: at most limit, the nearest first. count is how many
// there are, among the nearest maxBelow memories.
func RestingOn(ctx context.Context, r *db.Reader, ids []string, limit int) (resting []Resting, count int, err error) {
	resting = []Resting{}
	if len(ids) == 0 {
		return resting, 0, nil
	}
	type ground struct {
		memory  ref.Named
		restsOn string
	}
	grounds, err := db.Select(ctx, r, db.Fields(func(g *ground) []any { return []any{&g.memory.ID, &g.memory.Title, &g.restsOn} }), below+`
select
  m.id,
  m.title,
  o.id
from grounds g
join memories m on m.key = g.memory and m.status = 'current'
join memories o on o.key = g.rests_on
order by m.id, o.id`, db.List(ids), maxBelow)
	if err != nil {
		return nil, 0, err
	}
	above := map[string][]ref.Named{}
	for _, g := range grounds {
		above[g.restsOn] = append(above[g.restsOn], g.memory)
	}
	level, visited := []Resting{}, map[string]bool{}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		level, visited[id] = append(level, Resting{ref.Named{ID: id}, []string{id}}), true
	}
	for len(level) > 0 {
		next := []Resting{}
		for _, lower := range level {
			for _, memory := range above[lower.ID] {
				if !visited[memory.ID] {
					visited[memory.ID] = true
					next = append(next, Resting{memory, append([]string{memory.ID}, lower.Route...)})
				}
			}
		}
		slices.SortFunc(next, func(a, b Resting) int { return cmp.Compare(a.ID, b.ID) })
		resting, level = append(resting, next...), next
	}
	return resting[:min(len(resting), limit)], len(resting), nil
}
