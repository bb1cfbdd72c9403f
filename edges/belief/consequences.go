package belief

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hence"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

const (
	maxConsequences = 10   // number of stale memories listed
	maxBelow        = 5000 // number of dependents of a change examined, the nearest first
)

// Consequences are the effects of a change on other memories: those that became stale, the
// open contradictions, and the edges that successors may need too.
type Consequences struct {
	NowStale      []NowStale        `json:"now_stale"`
	NowStaleCount int               `json:"now_stale_count,omitempty"` // set if more are stale than are listed
	Conflicts     []Conflict        `json:"conflicts"`
	TakesOver     []edges.Inherited `json:"takes_over,omitempty"`
}

// NoConsequences returns the consequences of a change that no memory depends on.
func NoConsequences() Consequences {
	return Consequences{NowStale: []NowStale{}, Conflicts: []Conflict{}}
}

// NowStale is a memory that a change made stale, with the reason that has the shortest route.
type NowStale struct {
	ref.Named
	Reason  string    `json:"reason"`
	Because ref.Named `json:"because"`
	// Successor is the newest successor of Because, if that was superseded.
	Successor *edges.Successor `json:"successor,omitempty"`
	Route     []string         `json:"route"`
}

// Watch holds the memories that a change touches, and the doubts about the memories that
// depend on them, as they were before the change.
type Watch struct {
	ids     []string
	Current []string // of those that were given
	before  map[cause]bool
}

// below defines grounds as the edges by which memories depend on the
// memories ?1, directly or through others. ?2 limits the number of memories depended on.
var below = withGrounds(fromIDs, "rests_on", "memory", "limit ?2")

// above defines grounds as the edges by which the memories ?1 depend on others.
var above = withGrounds(fromIDs, "memory", "rests_on", "")

const fromIDs = "select m.key from json_each(?1) j cross join memories m on m.id = j.value"

// NewWatch reads the doubts about the memories that depend on the given ones, before a change
// touches these. What makes one of these stale is watched too, because a new edge to it hands the
// doubt on; and what it contradicts, because that is in doubt again if it is restored.
func NewWatch(ctx context.Context, r *db.Reader, ids ...string) (w Watch, err error) {
	beside, err := besides(ctx, r, ids)
	if err != nil {
		return w, err
	}
	w.ids = append(slices.Clone(ids), beside...)
	if w.before, err = doubtsBelow(ctx, r, w.ids); err == nil {
		w.Current, err = db.Select(ctx, r, db.Value[string], `select id from memories where id in (select value from json_each(?)) and status = 'current'`, db.List(ids))
	}
	return w, err
}

// besides returns the ids of the memories for which some are stale, or would be if they were
// current, and of those that they contradict.
func besides(ctx context.Context, r *db.Reader, ids []string) ([]string, error) {
	if hasDoubts, _, err := db.One[bool](ctx, r, selectDoubts); err != nil || !hasDoubts {
		return nil, err
	}
	return db.Select(ctx, r, db.Value[string], above+`,
given (key) as materialized (
  select m.key
  from json_each(?1) j
  cross join memories m on m.id = j.value
),
beside (key) as (
  select s.because
  from (`+hence.StaleBecause+`) s
  where s.memory in (select key from given)
  union
  select e.from_key + e.to_key - g.key
  from given g
  cross join edges e on g.key in (e.from_key, e.to_key) and e.kind = 'contradicts'
)
select m.id
from beside b
cross join memories m on m.key = b.key`, db.List(ids))
}

// doubtsBelow returns the causes for which memories that depend on the given ones are stale.
// Evidence is not set.
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
from (`+hence.StaleBecause+`) s
cross join memories m on m.key = s.memory and m.status = 'current'`, db.List(ids), maxBelow)
	for _, c := range causes {
		doubts[c] = true
	}
	return doubts, err
}

// Consequences returns the memories that have become stale since NewWatch, the open
// contradictions of the memories contradicted, and what successors of those replaced since may take over.
func (w Watch) Consequences(ctx context.Context, r *db.Reader, contradicted ...string) (c Consequences, err error) {
	c = NoConsequences()
	if c.Conflicts, err = conflictsAmong(ctx, r, contradicted); err != nil {
		return c, err
	}
	if c.TakesOver, err = edges.ReadInherited(ctx, r, false, w.Current...); err != nil {
		return c, err
	}
	after, err := doubtsBelow(ctx, r, w.ids)
	if err != nil {
		return c, err
	}
	isNew, keys := map[int64]bool{}, []int64{}
	for candidate := range after {
		if !w.before[candidate] && !isNew[candidate.memory] {
			isNew[candidate.memory] = true
			keys = append(keys, candidate.memory)
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
	for key, doubts := range stale {
		for _, d := range doubts {
			candidate := cause{memory: key, because: d.key, reason: d.Reason}
			if after[candidate] && !w.before[candidate] {
				c.NowStale = append(c.NowStale, NowStale{ends[key].Named, d.Reason, d.Named, d.Successor, d.Route})
				break // Stale sorts by length of the route, the shortest first
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

// conflictsAmong returns the open contradictions of the given memories, the newest first, at
// most maxConsequences.
func conflictsAmong(ctx context.Context, r *db.Reader, ids []string) ([]Conflict, error) {
	if len(ids) == 0 {
		return []Conflict{}, nil
	}
	times := edges.Today()
	return db.Select(ctx, r, scanConflict, selectConflict+open+`
  and (
    e.from_key in (select m.key from json_each(?4) j cross join memories m on m.id = j.value)
    or e.to_key in (select m.key from json_each(?4) j cross join memories m on m.id = j.value)
  )
order by e.created_at desc, e.id
limit ?5`, "", times.Over, times.Bind(), db.List(ids), maxConsequences)
}

// withoutSent returns a note, "" if it is one of those that the caller has just sent.
func withoutSent(note string, sent []string) string {
	if slices.Contains(sent, note) {
		return ""
	}
	return note
}

// maxLinked is the most edges that the answer to a declaration of several lists.
const maxLinked = 20

// LinkResult is a declared edge with its consequences.
type LinkResult struct {
	edges.LinkResult
	Consequences
}

// Link declares an edge, as edges.Graph.Link does, and returns its consequences.
func (g Graph) Link(ctx context.Context, a edges.LinkArgs) (result LinkResult, err error) {
	return g.LinkAll(ctx, edges.LinkAllArgs{LinkArgs: a})
}

// LinkAll declares one edge or several, as edges.Graph.LinkAll does, and returns the
// consequences of all, without the notes that the caller sent and at most maxLinked edges.
func (g Graph) LinkAll(ctx context.Context, a edges.LinkAllArgs) (result LinkResult, err error) {
	ids, watch, names, notes := []string{}, Watch{}, []string{a.From, a.To}, []string{a.Note}
	for _, one := range a.Links {
		names, notes = append(names, one.From, one.To), append(notes, one.Note)
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		for _, name := range names {
			matches, err := g.Caller.Matches(ctx, r, name)
			if err == nil && len(matches) == 1 { // else edges.Graph.LinkAll fails with the reason
				ids = append(ids, matches[0].ID)
			}
		}
		watch, err = NewWatch(ctx, r, ids...)
		return err
	})
	if err != nil {
		return result, err
	}
	if result.LinkResult, err = edges.Graph(g).LinkAll(ctx, a); err != nil {
		return result, err
	}
	declared, contradicted := []edges.Declaration{}, []string{}
	for _, one := range result.All() {
		e := one.Edge
		declared = append(declared, edges.Declaration{From: e.From.ID, To: e.To.ID, Kind: e.Type})
		if e.Type == edges.Contradicts {
			contradicted = append(contradicted, e.From.ID, e.To.ID)
		}
	}
	said := result.Warnings
	for i, one := range result.Edges {
		result.Edges[i].Edge.Note = withoutSent(one.Edge.Note, notes)
	}
	result.Edge.Note = withoutSent(result.Edge.Note, notes)
	if n := len(result.Edges) - maxLinked; n > 0 {
		result.Edges, said = result.Edges[:maxLinked], append(said, fmt.Sprintf("the first %d edges are listed; %d more were linked too", maxLinked, n))
	}
	return result, g.DB.ReadBack(ctx, func(r *db.Reader) (err error) {
		if result.Consequences, err = watch.Consequences(ctx, r, contradicted...); err != nil {
			return err
		}
		warnings, err := edges.WarnOfSuperseded(ctx, r, "", declared...)
		result.Warnings = append(slices.Clip(said), warnings...)
		return err
	})
}

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
