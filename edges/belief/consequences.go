package belief

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

const (
	maxConsequences = 10   // memories that are listed as stale now
	maxBelow        = 5000 // memories below a change that are looked at, the nearest first
)

// Consequences are what a change did to what others believe.
type Consequences struct {
	NowStale      []NowStale `json:"now_stale"`
	NowStaleCount int        `json:"now_stale_count,omitempty"` // where more are stale than are listed
	Conflicts     []Conflict `json:"conflicts"`
}

// NoConsequences are those of a change that nothing rests on.
func NoConsequences() Consequences {
	return Consequences{NowStale: []NowStale{}, Conflicts: []Conflict{}}
}

// NowStale is a memory that a change made stale, and the first reason.
type NowStale struct {
	ref.Named
	Reason  string    `json:"reason"`
	Because ref.Named `json:"because"`
	// Successor is of Because, if it was superseded.
	Successor *ref.Named `json:"successor,omitempty"`
	Route     []string   `json:"route"`
}

// Watch is what was stale before a change below the memories that it touches.
type Watch struct {
	ids    []string
	before map[cause]bool
}

// below defines grounds as the edges that rest on the memories ?1, directly or through
// others.
const below = `
with recursive below (key) as (
  select m.key
  from json_each(?1) j
  cross join memories m on m.id = j.value
  union
  select g.memory
  from below b
  cross join main.grounds g on g.rests_on = b.key
  limit ?2
),
grounds (memory, rests_on, basis) as materialized (
  select
    g.memory,
    g.rests_on,
    g.basis
  from below b
  cross join main.grounds g on g.rests_on = b.key
)
`

// NewWatch notes what is stale below some memories, before a change touches them.
func NewWatch(ctx context.Context, r *db.Reader, ids ...string) (w Watch, err error) {
	w = Watch{ids: ids}
	w.before, err = doubtsBelow(ctx, r, ids)
	return w, err
}

// doubtsBelow returns what is stale below some memories, and why.
func doubtsBelow(ctx context.Context, r *db.Reader, ids []string) (map[cause]bool, error) {
	doubts := map[cause]bool{}
	if len(ids) == 0 {
		return doubts, nil
	}
	causes, err := db.Select(ctx, r, db.Fields(func(c *cause) []any {
		return []any{&c.memory, &c.because, &c.reason}
	}), below+`
select distinct
  s.memory,
  s.because,
  s.reason
from (`+staleness+`) s
cross join memories m on m.key = s.memory and m.status = 'current'`, db.List(ids), maxBelow)
	for _, c := range causes {
		doubts[c] = true
	}
	return doubts, err
}

// Consequences returns what has become stale since NewWatch, and the open contradictions of some
// memories.
func (w Watch) Consequences(ctx context.Context, r *db.Reader, contradicted ...string) (c Consequences, err error) {
	c = NoConsequences()
	if c.Conflicts, err = conflictsAmong(ctx, r, contradicted); err != nil {
		return c, err
	}
	after, err := doubtsBelow(ctx, r, w.ids)
	if err != nil {
		return c, err
	}
	isNew, keys := map[int64]bool{}, []int64{}
	for one := range after {
		if !w.before[one] && !isNew[one.memory] {
			isNew[one.memory] = true
			keys = append(keys, one.memory)
		}
	}
	if len(keys) == 0 {
		return c, nil
	}
	ends, err := ref.Ends(ctx, r, keys)
	if err != nil {
		return c, err
	}
	slices.SortFunc(keys, func(a, b int64) int { return cmp.Compare(ends[a].ID, ends[b].ID) })
	stale, err := Stale(ctx, r, keys[:min(len(keys), 5*maxConsequences)])
	if err != nil {
		return c, err
	}
	byID := map[string]int64{}
	for key, doubts := range stale {
		for _, d := range doubts {
			byID[d.ID] = 0
		}
		byID[ends[key].ID] = key
	}
	if err := db.Fill(ctx, r, byID, `
select
  m.id,
  m.key
from json_each(?) j
cross join memories m on m.id = j.value`, db.List(slices.Collect(maps.Keys(byID)))); err != nil {
		return c, err
	}
	for key, doubts := range stale {
		for _, d := range doubts {
			one := cause{memory: key, because: byID[d.ID], reason: d.Reason}
			if after[one] && !w.before[one] {
				c.NowStale = append(c.NowStale, NowStale{ends[key].Named, d.Reason, d.Named, d.Successor, d.Route})
				break // the first has the shortest route
			}
		}
	}
	slices.SortFunc(c.NowStale, func(a, b NowStale) int {
		return cmp.Or(cmp.Compare(len(a.Route), len(b.Route)), cmp.Compare(a.ID, b.ID))
	})
	if len(keys) > maxConsequences {
		c.NowStaleCount = len(keys)
		c.NowStale = c.NowStale[:min(len(c.NowStale), maxConsequences)]
	}
	return c, nil
}

// conflictsAmong returns the open contradictions of some memories, the newest first.
func conflictsAmong(ctx context.Context, r *db.Reader, ids []string) ([]Conflict, error) {
	if len(ids) == 0 {
		return []Conflict{}, nil
	}
	conflicts, err := db.Select(ctx, r, scanConflict, selectConflict+open+`
  and e.key in (
    select c.key
    from json_each(?3) j
    cross join memories m on m.id = j.value
    cross join edges c on c.from_key = m.key and c.kind = 'contradicts'
    union
    select c.key
    from json_each(?3) j
    cross join memories m on m.id = j.value
    cross join edges c on c.to_key = m.key and c.kind = 'contradicts'
  )
order by e.created_at desc, e.id
limit ?4`, "", db.Now(), db.List(ids), maxConsequences)
	return conflictsOf(conflicts), err
}

// LinkResult is a declared edge, and what it did to what others believe.
type LinkResult struct {
	edges.LinkResult
	Consequences
}

// Link declares an edge, as edges.Graph.Link does, and says what became stale by it.
func (g Graph) Link(ctx context.Context, a edges.LinkArgs) (result LinkResult, err error) {
	ids, watch := []string{}, Watch{}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		for _, name := range []string{a.From, a.To} {
			matches, err := g.Caller.Matches(ctx, r, name)
			if err == nil && len(matches) == 1 { // else Link says why not
				ids = append(ids, matches[0].ID)
			}
		}
		watch, err = NewWatch(ctx, r, ids...)
		return err
	})
	if err != nil {
		return result, err
	}
	if result.LinkResult, err = edges.Graph(g).Link(ctx, a); err != nil {
		return result, err
	}
	e := result.Edge
	return result, g.DB.Read(ctx, func(r *db.Reader) (err error) {
		contradicted := []string{}
		if e.Type == edges.Contradicts {
			contradicted = ids
		}
		if result.Consequences, err = watch.Consequences(ctx, r, contradicted...); err != nil {
			return err
		}
		warnings, err := edges.WarnOfSuperseded(ctx, r, "", edges.Declaration{From: e.From.ID, To: e.To.ID, Kind: e.Type})
		result.Warnings = append(result.Warnings, warnings...)
		return err
	})
}
