package walk

import (
	"context"
	"slices"

	"hence/internal/db"
)

// recall has the search ask first what is kept in memory, where that says
// enough and is true of the reader's snapshot.
func (s *search) recall(ctx context.Context, a *adjacency) error {
	if s.weighted || s.along.asOf != "" {
		return nil
	}
	v, ok, err := a.follow(ctx, s.r, atOnce)
	s.kept = a
	if ok {
		s.version = v
		s.approaches = append([]approach{s.meetInMemory}, s.approaches...)
	}
	return err
}

// meetInMemory is meet over the copy. It reads of the store only the edges of
// the shortest paths that the copy knows.
func (s *search) meetInMemory(ctx context.Context, from end, limit int, gone, taken map[int64]bool) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	found, ok := s.kept.between(s, from, limit, gone, taken)
	if !ok {
		return unsaid, nil
	}
	if found.hops == 0 {
		return 0, nil
	}
	steps, err := db.Select(ctx, s.r, scanStep, selectHops, s.along.bind(found.pairs)...)
	s.forth = map[int64][]hop{}
	s.keep(steps, s.forth)
	return found.hops, err
}

// selectHops is selectSteps from one memory to one other: see pair.
const selectHops = `
select
  f.value >> 32,
  e.to_key,
  e.key,
  e.kind,
  e.rel,
  true,
  m.id
from json_each(?1) f
cross join edges e on e.from_key = f.value >> 32 and e.to_key = f.value & 4294967295
cross join memories m on m.key = e.to_key
where +e.kind in (select value from json_each(?2))
` + passable + `
union all
select
  f.value >> 32,
  e.from_key,
  e.key,
  e.kind,
  e.rel,
  false,
  m.id
from json_each(?1) f
cross join edges e on e.to_key = f.value >> 32 and e.from_key = f.value & 4294967295
cross join memories m on m.key = e.from_key
where +e.kind in (select value from json_each(?3))
` + passable

// between is meet, where the copy still is of the version that the search
// takes it for.
func (a *adjacency) between(s *search, from end, limit int, gone, taken map[int64]bool) (ways, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	last := int64(len(a.near) - 1)
	if a.version != s.version || !within(from.key, last) || !within(s.to.key, last) {
		return ways{}, false
	}
	return a.meet(s, from, limit, gone, taken), true
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

// ways are the single hops of all shortest paths between two memories, each
// as one number: see pair.
type ways struct {
	hops  int
	pairs []int64
}

// pair packs two keys of the copy into one number, for a query that is to find
// the edges between them.
func pair(from, to int64) int64 { return from<<32 | to }

// meet does over the copy what search.meet does by SQL: it walks from both
// ends, the smaller frontier first, a level at a time, until they meet. It
// returns no hops when there is no path of at most limit. The lock is the
// caller's.
func (a *adjacency) meet(s *search, from end, limit int, gone, taken map[int64]bool) ways {
	marks := a.blank()
	reached := []int64{from.key, s.to.key}
	defer func() {
		for _, key := range reached {
			(*marks)[key] = 0
		}
		a.marks.Put(marks)
	}()
	near := &flank{shift: 0, follow: s.along.codes(), frontier: []int64{from.key}}
	far := &flank{shift: 4, follow: s.against.codes(), frontier: []int64{s.to.key}}
	(*marks)[from.key], (*marks)[s.to.key] = 1<<near.shift, 1<<far.shift
	stands, ends := s.along.standings(), s.along.ends
	for hops := 1; hops <= limit && len(near.frontier) > 0 && len(far.frontier) > 0; hops++ {
		moved := near
		barred := func(key int64) bool { return gone[key] || hops == 1 && taken[key] }
		if hops > 1 && len(far.frontier) < len(near.frontier) {
			moved = far
			barred = func(key int64) bool { return gone[key] || key == from.key }
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
			return ways{hops, pairs}
		}
	}
	return ways{}
}

// back returns the hops by which a flank came to some memories of its last
// level; follow are the codes of the way back.
func (a *adjacency) back(f *flank, follow uint32, some []int64, marks []uint8, hop func(at, before int64) int64) []int64 {
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
func (a *adjacency) blank() *[]uint8 {
	if marks, ok := a.marks.Get().(*[]uint8); ok && len(*marks) >= len(a.near) {
		return marks
	}
	marks := make([]uint8, len(a.near))
	return &marks
}
