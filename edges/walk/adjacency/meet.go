package adjacency

import (
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// Snapshot is a copy of which it is known that it is of a reader's snapshot.
type Snapshot struct {
	copy    *Copy
	version version
}

// At returns the copy as it stands for a reader's snapshot, brought there by at
// most a hundred rows of the journal; nil where that is not possible.
func (a *Copy) At(ctx context.Context, r *db.Reader) (*Snapshot, error) {
	v, ok, err := a.follow(ctx, r, atOnce)
	if err != nil || !ok {
		return nil, err
	}
	return &Snapshot{a, v}, nil
}

// Query asks for the shortest paths between two memories, by their keys.
type Query struct {
	From, To              int64
	Limit                 int            // hops, at most 10
	Out, In               []edges.Kind   // kinds followed as stored, and against
	Superseded, Forgotten bool           // step on such memories too
	Ends                  [2]int64       // memories that may be stepped on whatever their status
	Gone                  map[int64]bool // not to be stepped on
	Taken                 map[int64]bool // not to be the first hop
}

// standings returns the statuses that a path steps on.
func (q Query) standings() standing {
	set := standsCurrent
	if q.Superseded {
		set |= standsSuperseded
	}
	if q.Forgotten {
		set |= standsForgotten
	}
	return set
}

// Meet finds the shortest paths. Some of them may count on edges that are gone.
// It reports false where the copy does not hold the two memories, or has moved on
// to another state of the store.
func (s *Snapshot) Meet(q Query) (Ways, bool) {
	a := s.copy
	a.mu.RLock()
	defer a.mu.RUnlock()
	last := int64(len(a.near) - 1)
	if a.version != s.version || !within(q.From, last) || !within(q.To, last) {
		return Ways{}, false
	}
	return a.meet(q), true
}

// flank is one of the two walks of a search in memory. The mark of a memory
// that it has reached is its level plus one, in four bits of the memory's
// byte: no path of this search has more than ten hops.
type flank struct {
	shift    int    // of its four bits
	follow   uint32 // the codes that it follows
	frontier []int64
	level    uint8
}

// Ways are the single hops of all shortest paths between two memories. A pair
// is a hop as one number: the key that it leads from in the high 32 bits, the key
// that it leads to in the low ones.
type Ways struct {
	Hops  int // of each path; 0: there is none
	Pairs []int64
}

// pair packs two keys of the copy into one number, for a query that is to find
// the edges between them.
func pair(from, to int64) int64 { return from<<32 | to }

// meet walks from both ends, the smaller frontier first, a level at a time,
// until they meet. The caller holds the lock.
func (a *Copy) meet(q Query) Ways {
	marks := a.blank()
	reached := []int64{q.From, q.To}
	defer func() {
		for _, key := range reached {
			(*marks)[key] = 0
		}
		a.marks.Put(marks)
	}()
	near := &flank{shift: 0, follow: codesOf(q.Out, q.In), frontier: []int64{q.From}}
	far := &flank{shift: 4, follow: codesOf(q.In, q.Out), frontier: []int64{q.To}}
	(*marks)[q.From], (*marks)[q.To] = 1<<near.shift, 1<<far.shift
	stands, ends := q.standings(), q.Ends
	for hops := 1; hops <= q.Limit && len(near.frontier) > 0 && len(far.frontier) > 0; hops++ {
		moved := near
		barred := func(key int64) bool { return q.Gone[key] || hops == 1 && q.Taken[key] }
		if hops > 1 && len(far.frontier) < len(near.frontier) {
			moved = far
			barred = func(key int64) bool { return q.Gone[key] || key == q.From }
		}
		met := []int64{}
		next := []int64{}
		moved.level++
		for _, at := range moved.frontier {
			for _, h := range a.near[at] {
				to := h.to()
				mark := (*marks)[to]
				if moved.follow>>h.code()&1 == 0 || mark>>moved.shift&15 != 0 ||
					a.status[to]&stands == 0 && to != ends[0] && to != ends[1] || barred(to) {
					continue
				}
				(*marks)[to] |= (moved.level + 1) << moved.shift
				next = append(next, to)
				if mark == 0 {
					reached = append(reached, to)
				} else {
					met = append(met, to)
				}
			}
		}
		moved.frontier = next
		if len(met) > 0 {
			pairs := slices.Concat(
				a.back(near, far.follow, met, *marks, func(at, before int64) int64 { return pair(before, at) }),
				a.back(far, near.follow, met, *marks, pair))
			return Ways{hops, pairs}
		}
	}
	return Ways{}
}

// back returns the hops by which a flank came to some memories of its last
// level; follow are the codes of the way back.
func (a *Copy) back(f *flank, follow uint32, some []int64, marks []uint8, hop func(at, before int64) int64) []int64 {
	pairs := []int64{}
	for level := f.level; level > 0; level-- {
		before := []int64{}
		for _, at := range some {
			for _, h := range a.near[at] {
				if to := h.to(); follow>>h.code()&1 != 0 && marks[to]>>f.shift&15 == level {
					before = append(before, to)
					pairs = append(pairs, hop(at, to))
				}
			}
		}
		slices.Sort(before)
		some = slices.Compact(before)
	}
	slices.Sort(pairs) // parallel edges make one hop
	return slices.Compact(pairs)
}

// blank returns a byte for each memory, all zero.
func (a *Copy) blank() *[]uint8 {
	if marks, ok := a.marks.Get().(*[]uint8); ok && len(*marks) >= len(a.near) {
		return marks
	}
	marks := make([]uint8, len(a.near))
	return &marks
}
