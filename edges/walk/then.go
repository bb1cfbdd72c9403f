package walk

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// bound is how many memories and edges an overview of a time examines. The store keeps
// counts of what there is now only, and each row takes microseconds.
type bound struct{ memories, edges int }

var usualBound = bound{memories: 50_000, edges: 150_000}

// pastMemory is a memory as it stood at a time.
type pastMemory struct {
	member
	id, kind, origin, status string
}

// countThen counts the memories and edges that stood at a time, and returns the shape
// of the graph then.
func (o *OverviewResult) countThen(ctx context.Context, r *db.Reader, namespace string, times edges.Times, most bound) (*shape, error) {
	query := selectThen
	if namespace != "" {
		query = selectThenOf
	}
	examined, stood := []int64{}, []pastMemory{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var t pastMemory
		err := row.Scan(&t.key, &t.id, &t.kind, &t.origin, &t.status)
		examined = append(examined, t.key)
		if t.status != "" && len(examined) <= most.memories {
			t.current = t.status == "current"
			stood = append(stood, t)
		}
		return err
	}, query, namespace, times.Bind(), most.memories+1)
	if err != nil {
		return nil, err
	}
	if len(examined) > most.memories {
		o.MemoriesAmong, examined = most.memories, examined[:most.memories]
	}
	o.ByKind = countBy(stood, func(t pastMemory) (string, bool) { return t.kind, t.current })
	o.ByOrigin = countBy(stood, func(t pastMemory) (string, bool) { return t.origin, t.current })
	o.ByStatus = countBy(stood, func(t pastMemory) (string, bool) { return t.status, true })
	o.countMemories()
	slices.SortFunc(stood, func(a, b pastMemory) int { return cmp.Compare(a.id, b.id) })
	members := []member{}
	for _, t := range stood {
		if t.status != "forgotten" {
			members = append(members, t.member)
		}
	}
	s := newShape(members)
	return s, o.joinThen(ctx, r, s, examined, times, most.edges)
}

// joinThen joins the members of a shape by the edges that held at a time, and counts
// those from some memories.
func (o *OverviewResult) joinThen(ctx context.Context, r *db.Reader, s *shape, from []int64, times edges.Times, most int) error {
	o.EdgesByKind = []edges.Count{}
	examined := 0
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var kind edges.Kind
		var held int
		var joints db.Packed
		if err := row.Scan(&kind, &held, &examined, &joints); err != nil {
			return err
		}
		if held > 0 {
			o.EdgesByKind = append(o.EdgesByKind, edges.Count{Name: string(kind), Count: held})
		}
		if kind == edges.Mentions {
			return nil
		}
		for joint := range joints.Rows(2) {
			s.join(joint[0], joint[1], kind == edges.Causes)
		}
		return nil
	}, selectJointsThen, db.List(from), times.Bind(), most)
	if err == nil && examined == most {
		var more bool
		if more, _, err = db.One[bool](ctx, r, existMoreJoints, db.List(from), most); more {
			o.EdgesAmong = most
		}
	}
	slices.SortFunc(o.EdgesByKind, compareCounts)
	return err
}

// countBy counts the memories by what of returns, the most first.
func countBy(stood []pastMemory, of func(t pastMemory) (string, bool)) []edges.Count {
	numbers := map[string]int{}
	for _, t := range stood {
		if name, counts := of(t); counts {
			numbers[name]++
		}
	}
	counts := []edges.Count{}
	for name, n := range numbers {
		counts = append(counts, edges.Count{Name: name, Count: n})
	}
	slices.SortFunc(counts, compareCounts)
	return counts
}

func compareCounts(a, b edges.Count) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
}

// The memories of a namespace with the status that they had at the times ?2, ” for
// those that did not stand: the current ones that changed last before all others.
var (
	selectThen = statusThen + `
from (
  select key
  from (
    select key
    from memories indexed by memories_recent
    where status = 'current'
      and ?1 = ''
    order by updated_at desc
    limit ?3
  )
  union all
  select key
  from memories indexed by memories_gone
  where status <> 'current'
  limit ?3
) examined
cross join memories m on m.key = examined.key`
	selectThenOf = statusThen + `
from (
  select key
  from memories indexed by memories_by_update
  where namespace = ?1
  order by status, updated_at desc
  limit ?3
) examined
cross join memories m on m.key = examined.key`
)

var statusThen = `
select
  m.key,
  m.id,
  m.kind,
  m.origin,
  case
    when ` + edges.Stands("m", "?2", "false", "false") + ` then 'current'
    when ` + edges.Stands("m", "?2", "true", "false") + ` then 'superseded'
    when ` + edges.Stands("m", "?2", "true", "true") + ` then 'forgotten'
    else ''
  end`

// selectJointsThen reads the edges from the memories ?1 that held at the times ?2, by
// kind, and how many it examined: up to ?3.
var selectJointsThen = `
with examined as materialized (
  select
    e.key,
    e.from_key,
    e.to_key,
    e.kind,
    ` + edges.Holds("e", "?2") + ` as held
  from json_each(?1) f
  cross join edges e on e.from_key = f.value
  limit ?3
)
select
  kind,
  sum(held),
  (select count(*) from examined),
  pack(from_key, to_key) filter (where held)
from examined
group by kind`

const existMoreJoints = `
select exists (
  select 1
  from json_each(?1) f
  cross join edges e on e.from_key = f.value
  limit 1 offset ?2
)`
