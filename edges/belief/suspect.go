package belief

import (
	"context"

	"hence"
	"hence/internal/db"
)

// suspects selects the memories that may make others stale: those that were superseded,
// forgotten, contradicted or changed. Each part of the union has an index of its own: SQLite would
// read an index of all edges and memories.
const suspects = `
  select key
  from memories indexed by memories_gone
  where status <> 'current'
  union
  select from_key
  from edges indexed by edges_of_contradiction
  where kind = 'contradicts'
  union
  select to_key
  from edges indexed by edges_of_contradiction
  where kind = 'contradicts'
  union
  select e.to_key
  from changed_grounds c
  cross join edges e on e.key = c.edge`

// suspectsOf selects the suspects of the namespace ?1, "" for all.
const suspectsOf = `
  select s.key
  from (` + suspects + `) s
  where ?1 = ''
    or ?1 = (select namespace from memories where key = s.key)`

// downstream defines grounds as the edges by which memories depend on suspects of the namespace ?1, directly or through others. Only these edges can make a
// memory of the namespace stale, so a query for all stale memories reads no others.
var downstream = withGrounds(suspectsOf, "rests_on", "memory", "")

const (
	maxSuspects = 2000 // number of suspects up to which all stale memories are found
	maxExamined = 4000 // number of memories examined if there are more suspects
	batchSize   = 250  // number of memories examined by one query
)

// Latest returns the keys of stale memories of a namespace ("" for all): at least limit, or
// all there are, in no order. In a namespace with many suspects it examines the memories that
// changed last first, and stops after maxExamined; if it found fewer than limit in these,
// examined is maxExamined, else 0.
func Latest(ctx context.Context, r *db.Reader, namespace string, limit int) (keys []int64, examined int, err error) {
	many, _, err := db.One[bool](ctx, r, haveManySuspects, namespace, maxSuspects+1)
	if err != nil {
		return nil, 0, err
	}
	if !many {
		keys, err = db.Select(ctx, r, db.Value[int64], downstream+`select distinct memory from (`+hence.StaleBecause+`)`, namespace)
		return keys, 0, err
	}
	keys, complete, err := staleAmongNewest(ctx, r, namespace, limit)
	if complete || len(keys) >= limit {
		return keys, 0, err
	}
	return keys, maxExamined, err
}

// haveManySuspects selects whether the namespace ?1 has at least ?2 suspects. It asks the counts
// first, because SQLite reads all parts before the first row of a union.
const haveManySuspects = `
select
  (select coalesce(sum(number), 0) from memory_counts where status <> 'current' and ?1 in ('', namespace)) >= ?2
  or (select count(*) = ?2 from (select 1 from (` + suspectsOf + `) limit ?2))`

// staleAmongNewest returns the keys of the stale memories among the maxExamined that changed
// last. It stops once it has limit keys. complete reports whether the namespace has no other
// current memories.
func staleAmongNewest(ctx context.Context, r *db.Reader, namespace string, limit int) (keys []int64, complete bool, err error) {
	query := newestOfAll
	if namespace != "" {
		query = newestOf
	}
	newestKeys, err := db.Select(ctx, r, db.Value[int64], query, namespace, maxExamined)
	for start := 0; start < len(newestKeys) && len(keys) < limit && err == nil; start += batchSize {
		var stale []int64
		stale, err = db.Select(ctx, r, db.Value[int64], upstreamOf+`
select distinct memory
from (`+hence.StaleBecause+`)
where memory in (select value from json_each(?1))`, db.List(newestKeys[start:min(start+batchSize, len(newestKeys))]))
		keys = append(keys, stale...)
	}
	return keys, len(newestKeys) < maxExamined, err
}

// The queries for the current memories of all namespaces, and of one, that changed last.
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
