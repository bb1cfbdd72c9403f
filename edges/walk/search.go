package walk

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
)

// hop is the step from one memory to a neighbour: all their parallel edges, the preferred one
// first.
type hop struct {
	to    int64
	cost  int64 // cost of the strongest edge
	steps []step
}

// trail is a path: the keys of its memories, and the edges from each memory to the next.
type trail struct {
	keys  []int64
	steps [][]step
	cost  int64
}

// strongest returns the largest weight of the steps.
func strongest(steps []step) float64 {
	weight := 0.0
	for _, s := range steps {
		weight = max(weight, s.weight)
	}
	return weight
}

// search finds paths between two memories.
type search struct {
	r              *db.Reader
	along, against rules
	weighted       bool
	from, to       int64
	ahead          map[int64][]hop  // hops read from each memory, in the direction of the path
	ids            map[int64]string // ids of all memories read
	queries        []string         // with which the ends meet, one after the other: see bestOfLeg
}

// leg describes a search for the best path from a memory to the search's end.
type leg struct {
	from          int64
	limit         int            // largest number of hops
	excluded      map[int64]bool // memories that must not be passed
	excludedFirst map[int64]bool // memories that must not be the first hop
}

// passes reports whether the leg may pass a hop.
func (l leg) passes(from, to int64) bool {
	return !l.excluded[from] && !l.excluded[to] && !(from == l.from && l.excludedFirst[to])
}

func newSearch(r *db.Reader, w rules, weighted bool, from, to ref.Memory) *search {
	s := &search{
		r: r, along: w, against: w, weighted: weighted, from: from.Key, to: to.Key,
		ids: map[int64]string{from.Key: from.ID, to.Key: to.ID},
	}
	switch w.direction {
	case Forward:
		s.against.direction = Backward
	case Backward:
		s.against.direction = Forward
	}
	s.queries = []string{selectKeysExactly}
	if !weighted && !w.times.IsAsked() {
		s.queries = []string{selectKeys, selectKeysExactly}
	}
	return s
}

// best returns up to n paths of at most limit hops that contain no memory twice, the best
// first. It is Yen's algorithm with bidirectional searches.
func (s *search) best(ctx context.Context, limit, n int) ([]trail, error) {
	first, ok, err := s.bestOfLeg(ctx, leg{from: s.from, limit: limit})
	if err != nil || !ok {
		return nil, err
	}
	paths := []trail{first}
	candidates := []trail{}
	for len(paths) < n {
		last := paths[len(paths)-1]
		for i := range len(last.keys) - 1 {
			candidate, ok, err := s.detour(ctx, paths, last, i, limit)
			if err != nil {
				return nil, err
			}
			if ok && !slices.ContainsFunc(candidates, func(t trail) bool { return slices.Equal(t.keys, candidate.keys) }) {
				candidates = append(candidates, candidate)
			}
		}
		if len(candidates) == 0 {
			break
		}
		slices.SortFunc(candidates, func(a, b trail) int { // by cost, then by hops, then hop by hop
			return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(len(a.keys), len(b.keys)),
				slices.CompareFunc(a.steps, b.steps, func(a, b []step) int { return compareSteps(a[0], b[0]) }))
		})
		paths = append(paths, candidates[0])
		candidates = candidates[1:]
	}
	return paths, nil
}

// detour returns the best path that shares the first i hops of last and then differs from
// every path in paths, false if there is none.
func (s *search) detour(ctx context.Context, paths []trail, last trail, i, limit int) (trail, bool, error) {
	root := last.keys[:i+1]
	l := leg{from: last.keys[i], limit: limit - i, excluded: map[int64]bool{}, excludedFirst: map[int64]bool{}}
	for _, key := range root[:i] {
		l.excluded[key] = true
	}
	for _, p := range paths {
		if len(p.keys) > i+1 && slices.Equal(p.keys[:i+1], root) {
			l.excludedFirst[p.keys[i+1]] = true
		}
	}
	rest, ok, err := s.bestOfLeg(ctx, l)
	if err != nil || !ok {
		return trail{}, false, err
	}
	path := trail{keys: slices.Concat(root, rest.keys[1:]), steps: slices.Concat(last.steps[:i], rest.steps)}
	for _, steps := range path.steps {
		path.cost += s.cost(steps)
	}
	return path, true, nil
}

// compareSteps compares steps from one memory: by type of edge, out before in, next memory,
// and, for parallel edges, the edge's word.
func compareSteps(a, b step) int {
	return cmp.Or(
		cmp.Compare(a.kind, b.kind), lists.CompareFlags(a.out, b.out), cmp.Compare(a.toID, b.toID), cmp.Compare(a.rel, b.rel))
}

// costOfHalf is the cost of a hop of weight 1/2. Costs are integers, so that the cost of a
// path does not depend on the order of summation, and equal products of weights have equal
// costs. They distinguish weights to twelve digits.
const costOfHalf = 1 << 40

// cost returns the cost of a hop: 1, or in a weighted search -log2 of the largest weight, times
// costOfHalf.
func (s *search) cost(steps []step) int64 {
	if !s.weighted {
		return 1
	}
	return int64(math.Round(-math.Log2(strongest(steps)) * costOfHalf))
}

// bestOfLeg returns the best path of a leg, false if there is none. A query never misses an edge,
// but it may rely on one that does not exist; then the hops that were read do not contain the best
// path, and the next query is used.
func (s *search) bestOfLeg(ctx context.Context, l leg) (trail, bool, error) {
	if l.from == s.to {
		return trail{keys: []int64{l.from}}, true, nil
	}
	for _, query := range s.queries {
		hops, err := s.meet(ctx, query, l)
		if err != nil || hops == 0 {
			return trail{}, false, err
		}
		if t, ok := s.retrace(l, hops); ok {
			return t, true, nil
		}
	}
	return trail{}, false, fault.New(fault.Internal, "path from %s to %s: the edges that the search passed are not in the store", s.ids[l.from], s.ids[s.to])
}

// readAmong reads the hops from each of some memories to another of them.
func (s *search) readAmong(ctx context.Context, keys []int64) error {
	slices.Sort(keys)
	w := s.along
	w.among = slices.Compact(keys)
	steps, err := neighbours(ctx, s.r, w.among, w)
	if err != nil {
		return err
	}
	if s.weighted {
		stored, err := storedEdges(ctx, s.r, steps, w.times)
		if err != nil {
			return err
		}
		for i := range steps {
			steps[i].weight = stored[steps[i].edge].weight
		}
	}
	s.ahead = map[int64][]hop{}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for len(steps) > 0 {
		first, n := steps[0], 1
		for n < len(steps) && steps[n].from == first.from && steps[n].to == first.to {
			n++
		}
		parallel := steps[:n:n]
		slices.SortFunc(parallel, compareSteps)
		s.ids[first.to] = first.toID
		s.ahead[first.from] = append(s.ahead[first.from], hop{to: first.to, cost: s.cost(parallel), steps: parallel})
		steps = steps[n:]
	}
	return nil
}

// label is the cost and length of the best known path from a memory to the end.
type label struct {
	cost int64
	hops int
}

// retrace returns the best path along the hops that were read, false if they do not contain
// one. From the end backward it labels each memory with the lowest cost for every number of
// hops (Bellman-Ford). Then it follows the labels from the start, and takes the first of
// equally good steps.
func (s *search) retrace(l leg, hops int) (trail, bool) {
	hopsInto := s.knownHops(l)
	rounds := make([]map[int64]label, 1, hops+1)
	rounds[0] = map[int64]label{s.to: {}}
	changed := map[int64]bool{s.to: true}
	for range hops {
		last := rounds[len(rounds)-1]
		next := maps.Clone(last)
		improved := map[int64]bool{}
		for key := range changed {
			for _, h := range hopsInto[key] {
				better := label{h.cost + last[key].cost, 1 + last[key].hops}
				if old, ok := next[h.from]; !ok || better.cost < old.cost || better.cost == old.cost && better.hops < old.hops {
					next[h.from] = better
					improved[h.from] = true
				}
			}
		}
		rounds = append(rounds, next)
		changed = improved
	}
	if _, ok := rounds[hops][l.from]; !ok {
		return trail{}, false
	}
	return s.follow(l, rounds), true
}

// knownHop is a hop from a memory.
type knownHop struct {
	from int64
	hop
}

// knownHops returns the hops that were read and that the leg does not exclude, by the
// memory that they lead to.
func (s *search) knownHops(l leg) map[int64][]knownHop {
	hopsInto := map[int64][]knownHop{}
	for key, hops := range s.ahead {
		for _, h := range hops {
			if l.passes(key, h.to) {
				hopsInto[h.to] = append(hopsInto[h.to], knownHop{key, h})
			}
		}
	}
	return hopsInto
}

// follow returns the path of a leg along the labels. rounds[n] has the labels of paths of at most n
// hops.
func (s *search) follow(l leg, rounds []map[int64]label) trail {
	remaining := len(rounds) - 1
	t := trail{keys: []int64{l.from}, cost: rounds[remaining][l.from].cost}
	for key := l.from; key != s.to; remaining-- {
		want := rounds[remaining][key]
		var best *hop
		for _, h := range s.ahead[key] {
			next, ok := rounds[remaining-1][h.to]
			if ok && l.passes(key, h.to) && h.cost+next.cost == want.cost && 1+next.hops == want.hops &&
				(best == nil || compareSteps(h.steps[0], best.steps[0]) < 0) {
				best = &h
			}
		}
		t.keys, t.steps = append(t.keys, best.to), append(t.steps, best.steps)
		key = best.to
	}
	return t
}

// storedEdge has the columns of an edge that are not in a step.
type storedEdge struct {
	id     string
	weight float64
	ended  string
}

// Fields returns the columns of storedEdges.
func (e *storedEdge) Fields() []any { return []any{&e.id, &e.weight, &e.ended} }

// storedEdges returns the edges of steps, by their keys.
func storedEdges(ctx context.Context, r *db.Reader, steps []step, times edges.Times) (map[int64]storedEdge, error) {
	stored := map[int64]storedEdge{}
	return stored, db.Fill(ctx, r, stored, `
select
  e.key,
  e.id,
  e.weight,
  `+ref.EndedAt("e", "?2")+`
from json_each(?1) f
cross join edges e on e.key = f.value`, db.List(lists.Map(steps, func(s step) int64 { return s.edge })), times.Bind())
}

// side is one of the two walks of a bidirectional breadth-first search that reads only keys.
type side struct {
	query  string // selectKeys or selectKeysExactly
	rules  rules
	levels [][]int64
	level  map[int64]int // level of each memory that was reached
}

func newSide(query string, start int64, w rules) *side {
	return &side{query: query, rules: w, levels: [][]int64{{start}}, level: map[int64]int{start: 0}}
}

// frontier returns the last level.
func (s *side) frontier() []int64 { return s.levels[len(s.levels)-1] }

// meet is a bidirectional breadth-first search: it advances the side with the smaller
// frontier by one level at a time, until both have reached the same memory. Then it reads
// the hops of all shortest paths, which are few compared to the edges passed. It returns
// the length of these paths, 0 if there is no path within the limit. A weighted search goes
// on to the limit, which it returns, and reads the hops among all memories that may be on a
// path, because the strongest may be longer than the shortest.
func (s *search) meet(ctx context.Context, query string, l leg) (int, error) {
	start, end, met := newSide(query, l.from, s.along), newSide(query, s.to, s.against), false
	for hops := 1; hops <= l.limit && len(start.frontier()) > 0 && len(end.frontier()) > 0; hops++ {
		advanced, other := start, end
		if hops > 1 && len(end.frontier()) < len(start.frontier()) {
			advanced, other = end, start
		}
		keys, err := advanced.readNext(ctx, s.r, advanced.frontier(), advanced.rules)
		if err != nil {
			return 0, err
		}
		next, meeting := []int64{}, []int64{}
		for _, key := range keys {
			// The side from the end must not enter the start: it cannot check excludedFirst.
			excluded := l.excluded[key] || hops == 1 && l.excludedFirst[key] || advanced == end && key == l.from
			if _, seen := advanced.level[key]; seen || excluded {
				continue
			}
			advanced.level[key] = len(advanced.levels)
			next = append(next, key)
			if _, reached := other.level[key]; reached {
				meeting = append(meeting, key)
			}
		}
		advanced.levels = append(advanced.levels, next)
		if met = met || len(meeting) > 0; len(meeting) == 0 || s.weighted {
			continue
		}
		toStart, err := start.readBack(ctx, s.r, meeting, s.against)
		if err != nil {
			return 0, err
		}
		toEnd, err := end.readBack(ctx, s.r, meeting, s.along)
		if err != nil {
			return 0, err
		}
		return hops, s.readAmong(ctx, slices.Concat(toStart, meeting, toEnd))
	}
	if !met {
		return 0, nil
	}
	return l.limit, s.readAmong(ctx, slices.Concat(start.within(end), end.within(start)))
}

// within returns the memories that may be on a path within the limit, which those of the last
// level are only if the other side has reached them.
func (s *side) within(other *side) []int64 {
	last := slices.DeleteFunc(slices.Clone(s.frontier()), func(key int64) bool {
		_, reached := other.level[key]
		return !reached
	})
	return slices.Concat(slices.Concat(s.levels[:len(s.levels)-1]...), last)
}

// readBack returns the memories of earlier levels on the shortest paths to the given ones.
// opposite are the rules of the way back.
func (s *side) readBack(ctx context.Context, r *db.Reader, keys []int64, opposite rules) ([]int64, error) {
	onPaths := []int64{}
	for level := len(s.levels) - 2; level >= 0; level-- {
		previous, err := s.readNext(ctx, r, keys, opposite)
		if err != nil {
			return nil, err
		}
		keys = slices.DeleteFunc(previous, func(key int64) bool {
			reachedLevel, reached := s.level[key]
			return !reached || reachedLevel != level
		})
		onPaths = append(onPaths, keys...)
	}
	return onPaths, nil
}

// readNext returns the keys of the memories one step from a frontier, each once. The query
// returns them in one row, because a search needs only the keys of most memories.
func (s *side) readNext(ctx context.Context, r *db.Reader, frontier []int64, w rules) ([]int64, error) {
	if len(frontier) == 0 {
		return nil, nil
	}
	keys, err := db.Keys(ctx, r, s.query, w.bind(frontier)...)
	slices.Sort(keys)
	return slices.Compact(keys), err
}

// selectKeys passes the same edges as selectSteps without a time, and also edges that have
// ended and edges to memories that were deleted without their edges. It looks up only the
// memories that must not be passed, which are few and have an index.
var selectKeys = "select pack(key) from (" + edges.BothWays(`
  select e.{to_key|from_key} as key
  from json_each(?1) f
  cross join edges e on e.{from_key|to_key} = f.value
  where +e.kind in (select value from json_each({?2|?3}))
    and (?5 = 0 or e.rel in (select value from json_each(?4)))
    and not exists (
      select 1
      from memories g indexed by memories_gone
      where g.key = e.{to_key|from_key}
        and g.status <> 'current'
        and not (?6 and g.status = 'superseded')
        and not (?10 and g.status = 'forgotten')
        and g.key not in (?8, ?9)
    )`) + ")"

// selectKeysExactly passes the same edges as selectSteps.
var selectKeysExactly = "select pack(key) from (" + edges.BothWays(`
  select e.{to_key|from_key} as key
  from json_each(?1) f
  cross join edges e on e.{from_key|to_key} = f.value
  cross join memories m on m.key = e.{to_key|from_key}
  where +e.kind in (select value from json_each({?2|?3}))
`+passable) + ")"
