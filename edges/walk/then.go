package walk

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// scanLimits limit how many memories and edges an overview of a time examines. The store has
// counts only of the present, and reading a row takes microseconds.
type scanLimits struct{ memories, edges int }

var defaultLimits = scanLimits{memories: 50_000, edges: 150_000}

// pastMemory is a memory with the status that it had at a time.
type pastMemory struct {
	member
	id, kind, origin, status string
}

// countThen sets the counts of the memories and edges of the graph at a time, and returns its
// shape.
func (o *OverviewResult) countThen(ctx context.Context, r *db.Reader, namespace string, times edges.Times, limits scanLimits) (*shape, error) {
	query := selectThen
	if namespace != "" {
		query = selectThenOf
	}
	examined, past := []int64{}, []pastMemory{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var m pastMemory
		err := row.Scan(&m.key, &m.id, &m.kind, &m.origin, &m.status)
		examined = append(examined, m.key)
		if m.status != "" && len(examined) <= limits.memories {
			m.current = m.status == "current"
			past = append(past, m)
		}
		return err
	}, query, namespace, times.Bind(), limits.memories+1)
	if err != nil {
		return nil, err
	}
	if len(examined) > limits.memories {
		o.MemoriesAmong, examined = limits.memories, examined[:limits.memories]
	}
	o.ByKind = countBy(past, func(m pastMemory) (string, bool) { return m.kind, m.current })
	o.ByOrigin = countBy(past, func(m pastMemory) (string, bool) { return m.origin, m.current })
	o.ByStatus = countBy(past, func(m pastMemory) (string, bool) { return m.status, true })
	o.countMemories()
	slices.SortFunc(past, func(a, b pastMemory) int { return cmp.Compare(a.id, b.id) })
	members := []member{}
	for _, m := range past {
		if m.status != "forgotten" {
			members = append(members, m.member)
		}
	}
	s := newShape(members)
	return s, o.joinThen(ctx, r, s, examined, times, limits.edges)
}

// joinThen adds to a shape the edges out of the memories from that were valid at a time, and
// counts them. It examines at most maxEdges edges.
func (o *OverviewResult) joinThen(ctx context.Context, r *db.Reader, s *shape, from []int64, times edges.Times, maxEdges int) error {
	o.EdgesByKind = []edges.Count{}
	examined := 0
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var kind edges.Kind
		var valid int
		var ends db.Packed
		if err := row.Scan(&kind, &valid, &examined, &ends); err != nil {
			return err
		}
		if valid > 0 {
			o.EdgesByKind = append(o.EdgesByKind, edges.Count{Name: string(kind), Count: valid})
		}
		if kind == edges.Mentions {
			return nil
		}
		for end := range ends.Rows(2) {
			s.join(end[0], end[1], kind == edges.Causes)
		}
		return nil
	}, selectEdgesThen, db.List(from), times.Bind(), maxEdges)
	if examined > maxEdges {
		o.EdgesAmong = maxEdges
	}
	slices.SortFunc(o.EdgesByKind, compareCounts)
	return err
}

// countBy returns how many memories have each name, the most frequent first. nameOf returns
// the name of a memory, and whether to count it.
func countBy(memories []pastMemory, nameOf func(m pastMemory) (string, bool)) []edges.Count {
	numbers := map[string]int{}
	for _, m := range memories {
		if name, counts := nameOf(m); counts {
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

// selectThen and selectThenOf select the memories of all namespaces, and of one, with the
// status that they had at the times ?2, empty for those that did not belong to the answer: at
// most ?3 memories, first the ones that are current now, the last changed first.
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

// statusThen is the select clause of both.
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

// selectEdgesThen selects, for each kind, the edges out of the memories ?1 that were valid at
// the times ?2, among the first ?3; and how many edges of all kinds there are, at most one more.
var selectEdgesThen = `
with examined as materialized (
  select
    e.key,
    e.from_key,
    e.to_key,
    e.kind,
    ` + edges.Holds("e", "?2") + ` as held
  from json_each(?1) f
  cross join edges e on e.from_key = f.value
  limit ?3 + 1
)
select
  kind,
  sum(held),
  (select count(*) from examined),
  pack(from_key, to_key) filter (where held)
from (select kind, held, from_key, to_key from examined limit ?3)
group by kind`
