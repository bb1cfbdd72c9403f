package walk

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"hence/edges"
	"hence/internal/db"
)

// side is one of the two breadth-first walks of a search by keys alone.
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

// meet walks from both ends, the smaller frontier first, a level at a time,
// until they meet. Then it reads the hops of all shortest paths, which are few
// compared to what was passed. It returns their number of hops, 0 if there is no
// path within the limit.
func (s *search) meet(ctx context.Context, query string, l leg) (int, error) {
	near, far := newSide(query, l.from, s.along), newSide(query, s.to, s.against)
	defer func() { s.passed += near.passed + far.passed }()
	for hops := 1; hops <= l.limit && len(near.frontier()) > 0 && len(far.frontier()) > 0; hops++ {
		moved, other := near, far
		if hops > 1 && len(far.frontier()) < len(near.frontier()) {
			moved, other = far, near
		}
		keys, err := moved.readNext(ctx, s.r, moved.frontier(), moved.rules)
		if err != nil {
			return 0, err
		}
		next, met := []int64{}, []int64{}
		for _, key := range keys {
			// Only the near side enters the start, because it knows the excluded first hops.
			excluded := l.excluded[key] || hops == 1 && l.excludedFirst[key] || moved == far && key == l.from
			if _, seen := moved.level[key]; seen || excluded {
				continue
			}
			moved.level[key] = len(moved.levels)
			next = append(next, key)
			if _, reached := other.level[key]; reached {
				met = append(met, key)
			}
		}
		moved.levels = append(moved.levels, next)
		if len(met) == 0 {
			continue
		}
		toStart, err := near.back(ctx, s.r, met, s.against)
		if err != nil {
			return 0, err
		}
		toEnd, err := far.back(ctx, s.r, met, s.along)
		if err != nil {
			return 0, err
		}
		w := s.along
		w.among = slices.Concat(toStart, met, toEnd)
		s.forth = map[int64][]hop{}
		return hops, s.read(ctx, w.among, s.forth, w)
	}
	return 0, nil
}

// back returns the memories of earlier levels on the shortest paths to the given
// ones; opposite are the rules of the way back.
func (x *side) back(ctx context.Context, r *db.Reader, keys []int64, opposite rules) ([]int64, error) {
	all := []int64{}
	for level := len(x.levels) - 2; level >= 0; level-- {
		before, err := x.readNext(ctx, r, keys, opposite)
		if err != nil {
			return nil, err
		}
		keys = slices.DeleteFunc(before, func(key int64) bool {
			at, reached := x.level[key]
			return !reached || at != level
		})
		all = append(all, keys...)
	}
	return all, nil
}

// readNext returns the keys of the memories one step from a frontier, each once.
// The query packs them into one row, because a search needs nothing else of most
// memories that it passes.
func (x *side) readNext(ctx context.Context, r *db.Reader, frontier []int64, w rules) ([]int64, error) {
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

// selectKeys passes the same edges as selectSteps without a time, also those that are
// over and those to memories that somebody has deleted without their edges. It looks up only the
// memories that must not be passed, which are few and have an index.
var selectKeys = "select coalesce(group_concat(key), '') from (" + edges.BothWays(`
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
var selectKeysExactly = "select coalesce(group_concat(key), '') from (" + edges.BothWays(`
  select e.{to_key|from_key} as key
  from json_each(?1) f
  cross join edges e on e.{from_key|to_key} = f.value
  cross join memories m on m.key = e.{to_key|from_key}
  where +e.kind in (select value from json_each({?2|?3}))
`+passable) + ")"

// front is one of the two breadth-first walks of surround.
type front struct {
	keys  []int64
	seen  map[int64]bool
	read  map[int64][]hop
	rules rules
}

// surround reads everything within the limit from both ends, the smaller
// frontier first, because the strongest path may be a long one. It returns the
// limit, or 0 if the ends do not meet within it.
func (s *search) surround(ctx context.Context, l leg) (int, error) {
	near := &front{[]int64{l.from}, map[int64]bool{l.from: true}, s.forth, s.along}
	far := &front{[]int64{s.to}, map[int64]bool{s.to: true}, s.back, s.against}
	met := false
	for range l.limit {
		if len(near.keys) == 0 || len(far.keys) == 0 {
			break
		}
		moved, other := near, far
		if len(far.keys) < len(near.keys) {
			moved, other = far, near
		}
		if err := s.read(ctx, moved.keys, moved.read, moved.rules); err != nil {
			return 0, err
		}
		next := []int64{}
		for _, at := range moved.keys {
			for _, h := range moved.read[at] {
				from, to := at, h.to
				if moved == far {
					from, to = to, from
				}
				if moved.seen[h.to] || l.excluded[h.to] || from == l.from && l.excludedFirst[to] {
					continue
				}
				moved.seen[h.to] = true
				next = append(next, h.to)
				met = met || other.seen[h.to]
			}
		}
		moved.keys = next
	}
	if !met {
		return 0, nil
	}
	return l.limit, nil
}
