package belief

import (
	"context"

	"hence/internal/db"
)

// suspects are the memories that something may have put in doubt, by the indexes of
// what can. Each arm is read from an index alone.
const suspects = `
  select to_key
  from edges
  where kind = 'supersedes'
  union
  select key
  from memories
  where status <> 'current'
  union
  select from_key
  from edges
  where kind = 'contradicts'
  union
  select to_key
  from edges
  where kind = 'contradicts'
  union
  select e.to_key
  from changed_grounds c
  cross join edges e on e.key = c.edge`

// suspectsOf are the suspects of the namespace ?1, "" for all.
const suspectsOf = `
  select s.to_key
  from (` + suspects + `) s
  where ?1 = ''
    or ?1 = (select namespace from memories where key = s.to_key)`

// downstream defines grounds as the edges that rest on suspects of the namespace ?1,
// directly or through others. Only these can make a memory of it stale, so that the
// staleness of a whole store is found without reading its other edges.
const downstream = `
with recursive suspect (key) as (` + suspectsOf + `
  union
  select g.memory
  from suspect s
  cross join main.grounds g on g.rests_on = s.key
),
grounds (memory, rests_on, basis) as materialized (
  select
    g.memory,
    g.rests_on,
    g.basis
  from suspect s
  cross join main.grounds g on g.rests_on = s.key
)
`

const (
	fewSuspects = 2000 // up to which all stale memories are found
	examined    = 4000 // memories that are examined otherwise, those that changed last
	together    = 250  // memories that are examined by one query
)

// Latest returns stale memories of a namespace ("" for all), those that changed last
// first, in no order among those of one time: at least limit of them, or all there are.
// In a namespace with many suspects it looks at the memories that changed last only;
// among is how many these are if it stopped there, else 0.
func Latest(ctx context.Context, r *db.Reader, namespace string, limit int) (keys []int64, among int, err error) {
	many, err := hasManySuspects(ctx, r, namespace)
	if err != nil {
		return nil, 0, err
	}
	if !many {
		keys, err = db.Select(ctx, r, db.Value[int64], downstream+`select distinct memory from (`+staleness+`)`, namespace)
		return keys, 0, err
	}
	keys, all, err := staleAmongNewest(ctx, r, namespace, limit)
	if all || len(keys) >= limit {
		return keys, 0, err
	}
	return keys, examined, err
}

// haveManySuspects looks at two arms of suspects first, because all arms are read before
// the first row of their union.
const haveManySuspects = `
select case
  when (
    select count(*) = ?2
    from (
      select 1
      from edges e indexed by one_successor
      where e.kind = 'supersedes'
        and (?1 = '' or ?1 = (select namespace from memories where key = e.to_key))
      limit ?2
    )
  ) then 1
  when (
    select count(*) = ?2
    from (
      select 1
      from memories indexed by memories_gone
      where status <> 'current'
        and (?1 = '' or ?1 = namespace)
      limit ?2
    )
  ) then 1
  else (select count(*) = ?2 from (select 1 from (` + suspectsOf + `) limit ?2))
end`

func hasManySuspects(ctx context.Context, r *db.Reader, namespace string) (bool, error) {
	many, _, err := db.One[bool](ctx, r, haveManySuspects, namespace, fewSuspects+1)
	return many, err
}

// staleAmongNewest examines the examined memories that changed last, and stops once
// limit of them are stale. all reports whether the namespace has no other memories.
func staleAmongNewest(ctx context.Context, r *db.Reader, namespace string, limit int) (keys []int64, all bool, err error) {
	newest := newestOfAll
	if namespace != "" {
		newest = newestOf
	}
	last, err := db.Select(ctx, r, db.Value[int64], newest, namespace, examined)
	for n := 0; n < len(last) && len(keys) < limit && err == nil; n += together {
		var some []int64
		some, err = db.Select(ctx, r, db.Value[int64], upstreamOf+`
select distinct memory
from (`+staleness+`)
where memory in (select value from json_each(?1))`, db.List(last[n:min(n+together, len(last))]))
		keys = append(keys, some...)
	}
	return keys, len(last) < examined, err
}

// The current memories that changed last.
const (
	newestOfAll = `
select key
from memories indexed by memories_recent
where status = 'current'
  and ?1 in ('', namespace)
order by updated_at desc
limit ?2`
	newestOf = `
select key
from memories indexed by memories_by_update
where status = 'current'
  and namespace = ?1
order by updated_at desc
limit ?2`
)
