package walk

import (
	"context"

	"hence/edges"
	"hence/edges/walk/adjacency"
	"hence/internal/db"
)

// useCopy makes the search look for shortest paths in the copy of the graph first, if the
// copy has the data that the search needs and matches the reader's snapshot. The search then
// reads from the store only the edges of the shortest paths found in the copy.
func (s *search) useCopy(ctx context.Context, c *adjacency.Copy) error {
	if s.weighted || s.along.times.IsAsked() {
		return nil
	}
	s.copy = c
	snapshot, err := c.Snapshot(ctx, s.r)
	if err != nil || snapshot == nil {
		return err
	}
	meetInCopy := func(ctx context.Context, l leg) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		paths, ok := snapshot.Meet(adjacency.Query{
			From: l.from, To: s.to, Limit: l.limit,
			Out: s.along.passKinds(s.along.kinds, true), In: s.along.passKinds(s.along.kinds, false),
			Superseded: s.along.includeSuperseded, Forgotten: s.along.includeForgotten, Ends: s.along.ends,
			Excluded: l.excluded, ExcludedFirst: l.excludedFirst,
		})
		if !ok {
			return unknown, nil
		}
		if paths.Hops == 0 {
			return 0, nil
		}
		steps, err := db.Select(ctx, s.r, scanStep, selectHops, s.along.bind(paths.Pairs)...)
		s.ahead = map[int64][]hop{}
		s.addHops(steps, s.ahead)
		return paths.Hops, err
	}
	s.approaches = append([]approach{meetInCopy}, s.approaches...)
	return nil
}

// selectHops is selectSteps for pairs of memories, in the form of adjacency.Paths.Pairs.
var selectHops = edges.BothWays(`
select
  f.value >> 32,
  e.{to_key|from_key},
  e.key,
  e.kind,
  e.rel,
  {true|false},
  m.id,
  false
from json_each(?1) f
cross join edges e on e.{from_key|to_key} = f.value >> 32 and e.{to_key|from_key} = f.value & 4294967295
cross join memories m on m.key = e.{to_key|from_key}
where +e.kind in (select value from json_each({?2|?3}))
` + passable)
