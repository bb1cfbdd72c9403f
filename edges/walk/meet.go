package walk

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"hence/internal/db"
)

// side is one of the two breadth-first walks of a search, by keys alone.
type side struct {
	query  string // selectKeys or selectKeysExactly
	rules  rules
	levels [][]int64
	level  map[int64]int // of each memory that was reached
	passed int64         // edges
}

func newSide(query string, start int64, w rules) *side {
	return &side{query: query, rules: w, levels: [][]int64{{start}}, level: map[int64]int{start: 0}}
}

func (x *side) frontier() []int64 { return x.levels[len(x.levels)-1] }

// advance moves the frontier one level on, past what is barred.
func (x *side) advance(ctx context.Context, r *db.Reader, barred func(key int64) bool) error {
	keys, err := x.beyond(ctx, r, x.frontier(), x.rules)
	if err != nil {
		return err
	}
	next := []int64{}
	for _, key := range keys {
		if _, seen := x.level[key]; !seen && !barred(key) {
			x.level[key] = len(x.levels)
			next = append(next, key)
		}
	}
	x.levels = append(x.levels, next)
	return nil
}

// within returns those of the frontier that the other side has reached.
func (x *side) within(other *side) []int64 {
	return slices.DeleteFunc(slices.Clone(x.frontier()), func(key int64) bool {
		_, reached := other.level[key]
		return !reached
	})
}

// meetQuickly looks at what may not be passed, which is little.
func (s *search) meetQuickly(ctx context.Context, from end, limit int, gone, taken map[int64]bool) (int, error) {
	return s.meet(ctx, selectKeys, from, limit, gone, taken)
}

// meetExactly looks at every memory that it passes.
func (s *search) meetExactly(ctx context.Context, from end, limit int, gone, taken map[int64]bool) (int, error) {
	return s.meet(ctx, selectKeysExactly, from, limit, gone, taken)
}

// meet walks from both ends, the smaller frontier first, a level at a time,
// until they meet. Then it reads the hops of all shortest paths, which are few
// beside what was passed. It returns their number of hops, 0 when there is no
// path of at most limit.
func (s *search) meet(ctx context.Context, query string, from end, limit int, gone, taken map[int64]bool) (int, error) {
	near, far := newSide(query, from.key, s.along), newSide(query, s.to.key, s.against)
	defer func() { s.passed += near.passed + far.passed }()
	for hops := 1; hops <= limit && len(near.frontier()) > 0 && len(far.frontier()) > 0; hops++ {
		moved, other := near, far
		barred := func(key int64) bool { return gone[key] || hops == 1 && taken[key] }
		if hops > 1 && len(far.frontier()) < len(near.frontier()) {
			// The start is left to the near side, which knows what is taken.
			moved, other = far, near
			barred = func(key int64) bool { return gone[key] || key == from.key }
		}
		if err := moved.advance(ctx, s.r, barred); err != nil {
			return 0, err
		}
		if met := moved.within(other); len(met) > 0 {
			return hops, s.readBetween(ctx, near, far, met)
		}
	}
	return 0, nil
}

// readBetween reads the hops among all memories that lie on a shortest path:
// those where the sides met, and level by level back to each start.
func (s *search) readBetween(ctx context.Context, near, far *side, met []int64) error {
	toStart, err := near.back(ctx, s.r, met, s.against)
	if err != nil {
		return err
	}
	toEnd, err := far.back(ctx, s.r, met, s.along)
	if err != nil {
		return err
	}
	w := s.along
	w.among = slices.Concat(toStart, met, toEnd)
	s.forth = map[int64][]hop{}
	return s.read(ctx, w.among, s.forth, w)
}

// back returns the memories of earlier levels from which some were reached;
// opposite are the rules of the way back.
func (x *side) back(ctx context.Context, r *db.Reader, some []int64, opposite rules) ([]int64, error) {
	all := []int64{}
	for level := len(x.levels) - 2; level >= 0; level-- {
		keys, err := x.beyond(ctx, r, some, opposite)
		if err != nil {
			return nil, err
		}
		some = slices.DeleteFunc(keys, func(key int64) bool {
			at, reached := x.level[key]
			return !reached || at != level
		})
		all = append(all, some...)
	}
	return all, nil
}

// beyond returns the memories one step from a frontier, each once: the keys of
// neighbours, packed in one row, because most of what a search passes is of no
// other interest.
func (x *side) beyond(ctx context.Context, r *db.Reader, frontier []int64, w rules) ([]int64, error) {
	if len(frontier) == 0 {
		return nil, nil
	}
	packed, _, err := db.One[string](ctx, r, x.query, w.bind(frontier)...)
	if err != nil || packed == "" {
		return nil, err
	}
	keys := make([]int64, 0, 8*len(frontier))
	for word := range strings.SplitSeq(packed, ",") {
		key, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	x.passed += int64(len(keys))
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// selectKeys passes the same as selectSteps does without a time, and memories
// that somebody has removed in a way that left their edges behind. It looks only
// for what may not be passed, which is little and has an index.
const selectKeys = `
select coalesce(group_concat(key), '')
from (
  select e.to_key as key
  from json_each(?1) f
  cross join edges e on e.from_key = f.value
  where +e.kind in (select value from json_each(?2))
    and (?5 = 0 or e.rel in (select value from json_each(?4)))
    and ?7 = ''
    and not exists (
      select 1
      from memories g indexed by memories_gone
      where g.key = e.to_key
        and g.status <> 'current'
        and not (?6 and g.status = 'superseded')
        and not (?10 and g.status = 'forgotten')
        and g.key not in (?8, ?9)
    )
  union all
  select e.from_key
  from json_each(?1) f
  cross join edges e on e.to_key = f.value
  where +e.kind in (select value from json_each(?3))
    and (?5 = 0 or e.rel in (select value from json_each(?4)))
    and not exists (
      select 1
      from memories g indexed by memories_gone
      where g.key = e.from_key
        and g.status <> 'current'
        and not (?6 and g.status = 'superseded')
        and not (?10 and g.status = 'forgotten')
        and g.key not in (?8, ?9)
    )
)`

// selectKeysExactly passes what selectSteps does, at a time too.
const selectKeysExactly = `
select coalesce(group_concat(key), '')
from (
  select e.to_key as key
  from json_each(?1) f
  cross join edges e on e.from_key = f.value
  cross join memories m on m.key = e.to_key
  where +e.kind in (select value from json_each(?2))
` + passable + `
  union all
  select e.from_key
  from json_each(?1) f
  cross join edges e on e.to_key = f.value
  cross join memories m on m.key = e.from_key
  where +e.kind in (select value from json_each(?3))
` + passable + `
)`

// surround reads everything within the limit from both ends, the smaller
// frontier first: the strongest path may be a long one. It returns the limit,
// or 0 when the ends do not meet within it.
func (s *search) surround(ctx context.Context, from end, limit int, gone, taken map[int64]bool) (int, error) {
	near, far := map[int64]bool{from.key: true}, map[int64]bool{s.to.key: true}
	nearFrontier, farFrontier := []int64{from.key}, []int64{s.to.key}
	met := false
	for range limit {
		var err error
		switch {
		case len(nearFrontier) == 0 || len(farFrontier) == 0:
		case len(nearFrontier) <= len(farFrontier):
			nearFrontier, err = s.level(ctx, nearFrontier, near, s.forth, s.along, func(at, to int64) bool {
				return gone[to] || at == from.key && taken[to]
			})
			met = met || overlap(nearFrontier, far)
		default:
			farFrontier, err = s.level(ctx, farFrontier, far, s.back, s.against, func(at, to int64) bool {
				return gone[to] || to == from.key && taken[at]
			})
			met = met || overlap(farFrontier, near)
		}
		if err != nil {
			return 0, err
		}
	}
	if !met {
		return 0, nil
	}
	return limit, nil
}

// level reads the neighbours of a frontier and returns the next one.
func (s *search) level(
	ctx context.Context, frontier []int64, seen map[int64]bool, read map[int64][]hop, w rules,
	barred func(at, to int64) bool,
) ([]int64, error) {
	if err := s.read(ctx, frontier, read, w); err != nil {
		return nil, err
	}
	next := []int64{}
	for _, at := range frontier {
		for _, h := range read[at] {
			if !seen[h.to] && !barred(at, h.to) {
				seen[h.to] = true
				next = append(next, h.to)
			}
		}
	}
	return next, nil
}

func overlap(frontier []int64, other map[int64]bool) bool {
	return slices.ContainsFunc(frontier, func(key int64) bool { return other[key] })
}
