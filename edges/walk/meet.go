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
// the length of these paths, 0 if there is no path within the limit.
func (s *search) meet(ctx context.Context, query string, l leg) (int, error) {
	start, end := newSide(query, l.from, s.along), newSide(query, s.to, s.against)
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
		if len(meeting) == 0 {
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
		w := s.along
		w.among = slices.Concat(toStart, meeting, toEnd)
		s.ahead = map[int64][]hop{}
		return hops, s.read(ctx, w.among, s.ahead, w)
	}
	return 0, nil
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
	packed, err := readPacked(ctx, r, s.query, w.bind(frontier)...)
	if err != nil {
		return nil, err
	}
	keys := make([]int64, 0, packed.Len(1))
	for row := range packed.Rows(1) {
		keys = append(keys, row[0])
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
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

// weightedSide is one of the two breadth-first walks of surround.
type weightedSide struct {
	frontier []int64
	visited  map[int64]bool
	read     map[int64][]hop
	rules    rules
}

// surround reads all hops within the limit from both ends, from the smaller frontier first,
// because the strongest path may be longer than the shortest. It returns the limit, or 0 if
// no path within it joins the ends.
func (s *search) surround(ctx context.Context, l leg) (int, error) {
	start := &weightedSide{[]int64{l.from}, map[int64]bool{l.from: true}, s.ahead, s.along}
	end := &weightedSide{[]int64{s.to}, map[int64]bool{s.to: true}, s.behind, s.against}
	met := false
	for range l.limit {
		if len(start.frontier) == 0 || len(end.frontier) == 0 {
			break
		}
		advanced, other := start, end
		if len(end.frontier) < len(start.frontier) {
			advanced, other = end, start
		}
		if err := s.read(ctx, advanced.frontier, advanced.read, advanced.rules); err != nil {
			return 0, err
		}
		next := []int64{}
		for _, key := range advanced.frontier {
			for _, h := range advanced.read[key] {
				from, to := key, h.to
				if advanced == end {
					from, to = to, from
				}
				if advanced.visited[h.to] || l.excluded[h.to] || from == l.from && l.excludedFirst[to] {
					continue
				}
				advanced.visited[h.to] = true
				next = append(next, h.to)
				met = met || other.visited[h.to]
			}
		}
		advanced.frontier = next
	}
	if !met {
		return 0, nil
	}
	return l.limit, nil
}
