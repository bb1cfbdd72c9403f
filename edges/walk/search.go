package walk

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"hence/edges/walk/adjacency"
	"hence/internal/db"
	"hence/internal/fault"
)

// hop is everything between two neighbouring memories: their parallel edges,
// the one that comes first in order in front.
type hop struct {
	to    int64
	toID  string
	cost  int64 // of the strongest edge
	steps []step
}

// trail is a path: memories, and the edges between each and the next.
type trail struct {
	keys  []int64
	ids   []string
	steps [][]step
	cost  int64
}

// strength is the product of the weights of the strongest edges.
func (t trail) strength() float64 {
	product := 1.0
	for _, steps := range t.steps {
		product *= strongest(steps)
	}
	return product
}

func strongest(steps []step) float64 {
	weight := 0.0
	for _, s := range steps {
		weight = max(weight, s.weight)
	}
	return weight
}

// search finds paths between two memories. It keeps what it has read, so
// that each memory's edges are read once.
type search struct {
	r              *db.Reader
	along, against rules
	weighted       bool
	from, to       end
	forth, back    map[int64][]hop  // neighbours of what has been read, each way
	ids            map[int64]string // of every memory met
	approaches     []approach
	copy           *adjacency.Copy // to be paid for what the search passes; nil where it is of no use
	passed         int64           // edges, by SQL and by keys alone
}

// approach finds out how many hops the best path has and reads the hops that
// it is made of, among others: 0 when there is no path of at most limit, and
// unsaid when another is to be asked. It may count on an edge that there is
// not, and then the best path is not among what it has read; it never
// overlooks one.
type approach func(ctx context.Context, from end, limit int, gone, taken map[int64]bool) (hops int, err error)

const unsaid = -1

// end is one end of a search.
type end struct {
	key int64
	id  string
}

func newSearch(r *db.Reader, w rules, weighted bool, from int64, fromID string, to int64, toID string) *search {
	s := &search{
		r: r, along: w, against: w, weighted: weighted,
		from: end{from, fromID}, to: end{to, toID},
		forth: map[int64][]hop{}, back: map[int64][]hop{},
		ids: map[int64]string{from: fromID, to: toID},
	}
	switch w.direction {
	case Forward:
		s.against.direction = Backward
	case Backward:
		s.against.direction = Forward
	}
	switch {
	case weighted:
		s.approaches = []approach{s.surround}
	case w.asOf != "":
		s.approaches = []approach{s.meetExactly}
	default:
		s.approaches = []approach{s.meetQuickly, s.meetExactly}
	}
	return s
}

// best returns up to n paths of at most limit hops without a memory twice,
// best first: Yen's algorithm over bidirectional searches.
func (s *search) best(ctx context.Context, limit, n int) ([]trail, error) {
	first, ok, err := s.one(ctx, s.from, limit, nil, nil)
	if err != nil || !ok {
		return nil, err
	}
	found := []trail{first}
	candidates := []trail{}
	for len(found) < n {
		last := found[len(found)-1]
		for i := range len(last.keys) - 1 {
			candidate, ok, err := s.detour(ctx, found, last, i, limit)
			if err != nil {
				return nil, err
			}
			if ok && !containsTrail(candidates, candidate) {
				candidates = append(candidates, candidate)
			}
		}
		if len(candidates) == 0 {
			break
		}
		slices.SortFunc(candidates, s.compare)
		found = append(found, candidates[0])
		candidates = candidates[1:]
	}
	return found, nil
}

// detour returns the best path that shares the first i hops of last and then
// leaves every path found so far.
func (s *search) detour(ctx context.Context, found []trail, last trail, i, limit int) (trail, bool, error) {
	root := last.keys[:i+1]
	gone := map[int64]bool{}
	for _, key := range root[:i] {
		gone[key] = true
	}
	taken := map[int64]bool{}
	for _, f := range found {
		if len(f.keys) > i+1 && slices.Equal(f.keys[:i+1], root) {
			taken[f.keys[i+1]] = true
		}
	}
	rest, ok, err := s.one(ctx, end{last.keys[i], last.ids[i]}, limit-i, gone, taken)
	if err != nil || !ok {
		return trail{}, false, err
	}
	whole := trail{
		keys:  append(slices.Clone(root), rest.keys[1:]...),
		ids:   append(slices.Clone(last.ids[:i+1]), rest.ids[1:]...),
		steps: append(slices.Clone(last.steps[:i]), rest.steps...),
	}
	for _, steps := range whole.steps {
		whole.cost += s.cost(steps)
	}
	return whole, true, nil
}

func containsTrail(all []trail, t trail) bool {
	return slices.ContainsFunc(all, func(one trail) bool { return slices.Equal(one.keys, t.keys) })
}

// compare orders paths: by cost where they are weighted, then by hops, then
// hop by hop.
func (s *search) compare(a, b trail) int {
	byCost := 0
	if s.weighted {
		byCost = cmp.Compare(a.cost, b.cost)
	}
	if c := cmp.Or(byCost, cmp.Compare(len(a.keys), len(b.keys))); c != 0 {
		return c
	}
	for i := range a.steps {
		if c := compareSteps(a.steps[i][0], b.steps[i][0]); c != 0 {
			return c
		}
	}
	return 0
}

// compareSteps is the order of steps from one memory: type of edge, out
// before in, the memory it leads to; among parallel edges their word.
func compareSteps(a, b step) int {
	return cmp.Or(
		cmp.Compare(a.kind, b.kind), compareOut(a.out, b.out), cmp.Compare(a.toID, b.toID), cmp.Compare(a.rel, b.rel))
}

// halving is the cost of a hop of weight 1/2. Costs are whole numbers, so that
// a path's cost does not depend on the order in which it is summed, and equal
// products of weights are equal; they tell weights apart to twelve digits.
const halving = 1 << 40

// cost is the price of a hop: 1, or -log of the strongest weight.
func (s *search) cost(steps []step) int64 {
	if !s.weighted {
		return 1
	}
	return int64(math.Round(-math.Log2(strongest(steps)) * halving))
}

// one returns the best path from a memory to the search's end that passes no
// memory that is gone and does not begin with a hop that is taken.
func (s *search) one(ctx context.Context, from end, limit int, gone, taken map[int64]bool) (trail, bool, error) {
	if from.key == s.to.key {
		return trail{keys: []int64{from.key}, ids: []string{from.id}}, true, nil
	}
	for _, approach := range s.approaches {
		hops, err := approach(ctx, from, limit, gone, taken)
		if err != nil || hops == 0 {
			return trail{}, false, err
		}
		if hops == unsaid {
			continue
		}
		if t, ok := s.retrace(from, hops, gone, taken); ok {
			return t, true, nil
		}
	}
	return trail{}, false, fault.New(fault.Internal, "path from %s to %s: its edges were found and are not there", from.id, s.to.id)
}

// read reads the neighbours of those of the frontier that were not read yet.
func (s *search) read(ctx context.Context, frontier []int64, read map[int64][]hop, w rules) error {
	unread := slices.DeleteFunc(slices.Clone(frontier), func(key int64) bool {
		_, ok := read[key]
		return ok
	})
	steps, err := neighbours(ctx, s.r, unread, w)
	if err != nil {
		return err
	}
	if err := s.weigh(ctx, steps); err != nil {
		return err
	}
	for _, key := range unread {
		read[key] = nil
	}
	s.keep(steps, read)
	return nil
}

// keep puts steps together into hops.
func (s *search) keep(steps []step, read map[int64][]hop) {
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[n].from == steps[0].from && steps[n].to == steps[0].to {
			n++
		}
		together := steps[:n:n]
		slices.SortFunc(together, compareSteps)
		at := steps[0].from
		s.ids[steps[0].to] = steps[0].toID
		read[at] = append(read[at], hop{to: steps[0].to, toID: steps[0].toID, cost: s.cost(together), steps: together})
		steps = steps[n:]
	}
}

// label is the best that is known of a memory's way to the end.
type label struct {
	cost int64
	hops int
}

func (a label) less(b label) bool { return a.cost < b.cost || a.cost == b.cost && a.hops < b.hops }

// retrace finds the best path in what has been read. From the end backwards
// it labels each memory with the best cost of at most so many hops (Bellman
// and Ford), then it walks from the start along labels, taking the first step
// in order wherever several are as good. It reports false when what has been
// read does not lead there.
func (s *search) retrace(from end, hops int, gone, taken map[int64]bool) (trail, bool) {
	into := s.known(from, gone, taken)
	rounds := make([]map[int64]label, 1, hops+1)
	rounds[0] = map[int64]label{s.to.key: {}}
	changed := []int64{s.to.key}
	for range hops {
		last := rounds[len(rounds)-1]
		next := make(map[int64]label, len(last))
		for key, l := range last {
			next[key] = l
		}
		improved := map[int64]bool{}
		for _, at := range changed {
			for _, edge := range into[at] {
				l := label{edge.cost + last[at].cost, 1 + last[at].hops}
				if old, ok := next[edge.from]; !ok || l.less(old) {
					next[edge.from] = l
					improved[edge.from] = true
				}
			}
		}
		rounds = append(rounds, next)
		changed = changed[:0]
		for key := range improved {
			changed = append(changed, key)
		}
	}
	if _, ok := rounds[hops][from.key]; !ok {
		return trail{}, false
	}
	return s.follow(from, rounds, into), true
}

// knownHop is a hop that has been read, from either end.
type knownHop struct {
	from int64
	hop
}

// known returns the hops that have been read and are not barred, by the
// memory that they lead to.
func (s *search) known(from end, gone, taken map[int64]bool) map[int64][]knownHop {
	into := map[int64][]knownHop{}
	add := func(k knownHop) {
		if !gone[k.from] && !gone[k.to] && !(k.from == from.key && taken[k.to]) {
			into[k.to] = append(into[k.to], k)
		}
	}
	for at, hops := range s.forth {
		for _, h := range hops {
			add(knownHop{at, h})
		}
	}
	for at, hops := range s.back {
		for _, h := range hops {
			if _, both := s.forth[h.to]; !both {
				add(knownHop{h.to, reversed(at, s.ids[at], h)})
			}
		}
	}
	return into
}

// reversed is a hop that was read from its far end.
func reversed(at int64, id string, h hop) hop {
	steps := make([]step, len(h.steps))
	for i, one := range h.steps {
		one.from, one.to, one.toID, one.out = h.to, at, id, !one.out
		steps[i] = one
	}
	slices.SortFunc(steps, compareSteps)
	return hop{to: at, toID: id, cost: h.cost, steps: steps}
}

func (s *search) follow(from end, rounds []map[int64]label, into map[int64][]knownHop) trail {
	outOf := map[int64][]hop{}
	for _, hops := range into {
		for _, k := range hops {
			outOf[k.from] = append(outOf[k.from], k.hop)
		}
	}
	left := len(rounds) - 1
	t := trail{keys: []int64{from.key}, ids: []string{from.id}, cost: rounds[left][from.key].cost}
	for at := from.key; at != s.to.key; left-- {
		want := rounds[left][at]
		var best *hop
		for _, h := range outOf[at] {
			after, ok := rounds[left-1][h.to]
			if ok && h.cost+after.cost == want.cost && 1+after.hops == want.hops &&
				(best == nil || compareSteps(h.steps[0], best.steps[0]) < 0) {
				best = &h
			}
		}
		t.keys, t.ids, t.steps = append(t.keys, best.to), append(t.ids, best.toID), append(t.steps, best.steps)
		at = best.to
	}
	return t
}

// weigh reads the weights of steps, where the search goes by them.
func (s *search) weigh(ctx context.Context, steps []step) error {
	if !s.weighted {
		return nil
	}
	keys := make([]int64, len(steps))
	for i, one := range steps {
		keys[i] = one.edge
	}
	stored, err := storedEdges(ctx, s.r, keys)
	for i := range steps {
		steps[i].weight = stored[steps[i].edge].weight
	}
	return err
}

// storedEdge is what a walk does not read of an edge on its way.
type storedEdge struct {
	id     string
	weight float64
}

// storedEdges returns edges by their keys.
func storedEdges(ctx context.Context, r *db.Reader, keys []int64) (map[int64]storedEdge, error) {
	stored := map[int64]storedEdge{}
	_, err := db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
		var key int64
		var e storedEdge
		err := row.Scan(&key, &e.id, &e.weight)
		stored[key] = e
		return struct{}{}, err
	}, `
select
  e.key,
  e.id,
  e.weight
from json_each(?) f
cross join edges e on e.key = f.value`, db.List(keys))
	return stored, err
}
