package walk

import (
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

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
