package doctor

import (
	"context"

	"hence/internal/db"
)

// These queries compare the counts that triggers maintain with the rows.
const (
	selectMiscounted = `
select printf('there are %d %s %s memories of %s in %s, and %d are counted', sum(here), status, origin, kind, namespace, sum(kept))
from (
  select namespace, status, kind, origin, 0 as here, number as kept
  from memory_counts
  union all
  select namespace, status, kind, origin, 1, 0
  from memories
)
group by namespace, status, kind, origin
having sum(here) <> sum(kept)
order by namespace, status, kind, origin`
	selectMiscountedEdges = `
select printf('there are %d edges %s in %s, and %d are counted', sum(here), kind, namespace, sum(kept))
from (
  select namespace, kind, 0 as here, number as kept
  from edge_counts
  union all
  select m.namespace, e.kind, 1, 0
  from edges e
  join memories m on m.key = e.from_key
)
group by namespace, kind
having sum(here) <> sum(kept)
order by namespace, kind`
)

// fixCounts counts all memories and edges again.
func fixCounts(ctx context.Context, d Doctor) error {
	return d.write(ctx,
		db.S(`delete from memory_counts`),
		db.S(`
insert into memory_counts (namespace, status, kind, origin, number)
select namespace, status, kind, origin, count(*)
from memories
group by namespace, status, kind, origin`),
		db.S(`delete from edge_counts`),
		db.S(`
insert into edge_counts (namespace, kind, number)
select m.namespace, e.kind, count(*)
from edges e
join memories m on m.key = e.from_key
group by m.namespace, e.kind`))
}
