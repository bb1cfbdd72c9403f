package walk

import (
	"context"

	"hence/edges/walk/adjacency"
	"hence/internal/db"
)

// useCopy lets the search ask the copy of the graph first, if the copy holds
// what the search needs and is of the reader's snapshot.
func (s *search) useCopy(ctx context.Context, c *adjacency.Copy) error {
	if s.weighted || s.along.asOf != "" {
		return nil
	}
	s.copy = c
	snapshot, err := c.At(ctx, s.r)
	if snapshot != nil {
		s.approaches = append([]approach{func(ctx context.Context, from end, limit int, gone, taken map[int64]bool) (int, error) {
			return s.meetInCopy(ctx, snapshot, from, limit, gone, taken)
		}}, s.approaches...)
	}
	return err
}

// meetInCopy is meet over the copy. It reads from the store only the edges of the
// shortest paths that the copy knows.
func (s *search) meetInCopy(
	ctx context.Context, snapshot *adjacency.Snapshot, from end, limit int, gone, taken map[int64]bool,
) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	found, ok := snapshot.Meet(adjacency.Query{
		From: from.key, To: s.to.key, Limit: limit,
		Out: s.along.along(s.along.kinds, true), In: s.along.along(s.along.kinds, false),
		Superseded: s.along.includeSuperseded, Forgotten: s.along.includeForgotten, Ends: s.along.ends,
		Gone: gone, Taken: taken,
	})
	if !ok {
		return unsaid, nil
	}
	if found.Hops == 0 {
		return 0, nil
	}
	steps, err := db.Select(ctx, s.r, scanStep, selectHops, s.along.bind(found.Pairs)...)
	s.forth = map[int64][]hop{}
	s.keep(steps, s.forth)
	return found.Hops, err
}

// selectHops is selectSteps from one memory to one other: see adjacency.Ways.
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
