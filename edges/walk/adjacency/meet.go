package adjacency

import (
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// Snapshot is a copy that matches a reader's snapshot.
type Snapshot struct {
	copy    *Copy
	version version
}

// Snapshot returns the copy for a reader's snapshot, updated from at most a hundred rows
// of the journal; nil if that is not possible.
func (a *Copy) Snapshot(ctx context.Context, r *db.Reader) (*Snapshot, error) {
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
	Superseded, Forgotten bool           // enter such memories too
	Ends                  [2]int64       // memories that may be entered whatever their status
	Excluded              map[int64]bool // memories that must not be entered
	ExcludedFirst         map[int64]bool // memories that must not be the first hop
}

// Meet finds the shortest paths, some of which may rely on edges that are gone. It
// reports false if the copy does not hold the two memories, or no longer matches
// the snapshot.
func (s *Snapshot) Meet(q Query) (Paths, bool) {
	a := s.copy
	a.mu.RLock()
	defer a.mu.RUnlock()
	last := int64(len(a.near) - 1)
	if a.version != s.version || !inRange(q.From, last) || !inRange(q.To, last) {
		return Paths{}, false
	}
	return a.meet(q), true
}

// flank is one of the two walks of a search in memory. The mark of a reached
// memory is its level plus one, in four bits of the memory's byte, because no path
// has more than ten hops.
type flank struct {
	shift    int    // of its four bits
	follow   uint32 // the codes that it follows
	frontier []int64
	level    uint8
}

// Paths are the single hops of all shortest paths between two memories. A pair is
// a hop as one number: the key of its first memory in the high 32 bits, the key
// of the next one in the low bits.
type Paths struct {
	Hops  int // of each path; 0: there is no path
	Pairs []int64
}

func pair(from, to int64) int64 { return from<<32 | to }

// meet walks from both ends, the smaller frontier first, a level at a time,
// until they meet. The caller holds the lock.
func (a *Copy) meet(q Query) Paths {
	marks, ok := a.marks.Get().(*[]uint8) // a byte for each memory, all zero
	if !ok || len(*marks) < len(a.near) {
		marks = new(make([]uint8, len(a.near)))
	}
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
	statuses := standsCurrent
	if q.Superseded {
		statuses |= standsSuperseded
	}
	if q.Forgotten {
		statuses |= standsForgotten
	}
	for hops := 1; hops <= q.Limit && len(near.frontier) > 0 && len(far.frontier) > 0; hops++ {
		moved := near
		if hops > 1 && len(far.frontier) < len(near.frontier) {
			moved = far
		}
		met := []int64{}
		next := []int64{}
		moved.level++
		for _, at := range moved.frontier {
			for _, h := range a.near[at] {
				to := h.target()
				mark := (*marks)[to]
				if moved.follow>>h.code()&1 == 0 || mark>>moved.shift&15 != 0 ||
					a.status[to]&statuses == 0 && to != q.Ends[0] && to != q.Ends[1] ||
					q.Excluded[to] || hops == 1 && q.ExcludedFirst[to] || moved == far && to == q.From {
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
			return Paths{hops, pairs}
		}
	}
	return Paths{}
}

// back returns the hops by which a flank reached some memories of its last level;
// follow are the codes of the way back.
func (a *Copy) back(f *flank, follow uint32, some []int64, marks []uint8, hop func(at, before int64) int64) []int64 {
	pairs := []int64{}
	for level := f.level; level > 0; level-- {
		before := []int64{}
		for _, at := range some {
			for _, h := range a.near[at] {
				if to := h.target(); follow>>h.code()&1 != 0 && marks[to]>>f.shift&15 == level {
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
