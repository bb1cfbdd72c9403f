package adjacency

import (
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// Snapshot is the copy as it matches a reader's snapshot. It is valid until the copy is
// updated.
type Snapshot struct {
	copy    *Copy
	version version
}

// Snapshot returns the copy for a reader's snapshot, after it has updated the copy from at
// most maxSearchRows rows of the journal; nil if that is not possible.
func (a *Copy) Snapshot(ctx context.Context, r *db.Reader) (*Snapshot, error) {
	v, ok, err := a.follow(ctx, r, maxSearchRows)
	if err != nil || !ok {
		return nil, err
	}
	return &Snapshot{a, v}, nil
}

// Query describes a search for the shortest paths between two memories, by their keys.
type Query struct {
	From, To              int64
	Limit                 int            // largest number of hops, at most 10
	Out, In               []edges.Kind   // kinds followed in the stored direction, and against it
	Superseded, Forgotten bool           // whether the paths may enter such memories
	Ends                  [2]int64       // memories that may be entered whatever their status
	Excluded              map[int64]bool // memories that must not be entered
	ExcludedFirst         map[int64]bool // memories that must not be the first hop
}

// Meet returns the shortest paths, some of which may use edges that were deleted. It returns
// false if the copy does not have the two memories, or no longer matches the snapshot.
func (s *Snapshot) Meet(q Query) (Paths, bool) {
	a := s.copy
	a.mu.RLock()
	defer a.mu.RUnlock()
	last := int64(len(a.adjacent) - 1)
	if a.version != s.version || !inRange(q.From, last) || !inRange(q.To, last) {
		return Paths{}, false
	}
	return a.meet(q), true
}

// side is one of the two walks of a bidirectional search. The mark of a memory that it has
// reached is its level plus one, in four bits of the memory's byte. Four bits suffice because
// no path has more than ten hops.
type side struct {
	shift    int    // position of its four bits
	follow   uint32 // set of the codes that it follows
	frontier []int64
	level    uint8
}

// Paths is the set of hops of all shortest paths between two memories. A pair is one hop: the
// key of its first memory in the high 32 bits, and that of the next one in the low 32 bits.
type Paths struct {
	Hops  int // length of each path; 0: there is no path
	Pairs []int64
}

func pair(from, to int64) int64 { return from<<32 | to }

// meet is a bidirectional breadth-first search: it advances the side with the smaller
// frontier by one level at a time, until both sides have reached the same memory. The caller
// holds the lock.
func (a *Copy) meet(q Query) Paths {
	marks, ok := a.marks.Get().(*[]uint8) // a byte for each memory, all zero
	if !ok || len(*marks) < len(a.adjacent) {
		marks = new(make([]uint8, len(a.adjacent)))
	}
	reached := []int64{q.From, q.To}
	defer func() {
		for _, key := range reached {
			(*marks)[key] = 0
		}
		a.marks.Put(marks)
	}()
	start := &side{shift: 0, follow: codesOf(q.Out, q.In), frontier: []int64{q.From}}
	end := &side{shift: 4, follow: codesOf(q.In, q.Out), frontier: []int64{q.To}}
	(*marks)[q.From], (*marks)[q.To] = 1<<start.shift, 1<<end.shift
	statuses := currentBit
	if q.Superseded {
		statuses |= supersededBit
	}
	if q.Forgotten {
		statuses |= forgottenBit
	}
	for hops := 1; hops <= q.Limit && len(start.frontier) > 0 && len(end.frontier) > 0; hops++ {
		advanced := start
		if hops > 1 && len(end.frontier) < len(start.frontier) {
			advanced = end
		}
		meeting := []int64{}
		next := []int64{}
		advanced.level++
		for _, key := range advanced.frontier {
			for _, h := range a.adjacent[key] {
				to := h.target()
				mark := (*marks)[to]
				if advanced.follow>>h.code()&1 == 0 || mark>>advanced.shift&15 != 0 ||
					a.status[to]&statuses == 0 && to != q.Ends[0] && to != q.Ends[1] ||
					q.Excluded[to] || hops == 1 && q.ExcludedFirst[to] || advanced == end && to == q.From {
					continue
				}
				(*marks)[to] |= (advanced.level + 1) << advanced.shift
				next = append(next, to)
				if mark == 0 {
					reached = append(reached, to)
				} else {
					meeting = append(meeting, to)
				}
			}
		}
		advanced.frontier = next
		if len(meeting) > 0 {
			pairs := slices.Concat(
				a.hopsBack(start, end.follow, meeting, *marks, func(key, previous int64) int64 { return pair(previous, key) }),
				a.hopsBack(end, start.follow, meeting, *marks, pair))
			return Paths{hops, pairs}
		}
	}
	return Paths{}
}

// hopsBack returns the hops by which a side reached the given memories of its last level.
// follow is the set of codes of the way back; hop makes a pair of a memory and the previous
// one on the way.
func (a *Copy) hopsBack(s *side, follow uint32, keys []int64, marks []uint8, hop func(key, previous int64) int64) []int64 {
	pairs := []int64{}
	for level := s.level; level > 0; level-- {
		previous := []int64{}
		for _, key := range keys {
			for _, h := range a.adjacent[key] {
				if to := h.target(); follow>>h.code()&1 != 0 && marks[to]>>s.shift&15 == level {
					previous = append(previous, to)
					pairs = append(pairs, hop(key, to))
				}
			}
		}
		slices.Sort(previous)
		keys = slices.Compact(previous)
	}
	slices.Sort(pairs) // so that Compact makes parallel edges one hop
	return slices.Compact(pairs)
}
