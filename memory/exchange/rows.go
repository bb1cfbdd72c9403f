package exchange

import (
	"errors"
	"fmt"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
)

// errSomeLine is that a condition of several lines does not hold.
var errSomeLine = errors.New("a condition of some line does not hold")

// memoriesOf returns the statements that store the memories of lines, on condition
// that each is in the namespace of its line, whether it is new or not.
func (i *importer) memoriesOf(lines []numbered, each bool) (b chunk) {
	places := [][2]string{}
	for _, line := range lines {
		m := line.memory
		if m == nil {
			continue
		}
		b.add(func(changed []int64) { i.done.Memories.count(changed[0]) },
			append([]db.Stmt{i.insertMemory(line.n, m)}, memory.CutStatements(m.ID, m.Title, db.List(m.Aliases), db.List(m.Tags), m.Content)...)...)
		if each {
			b.add(nothing, db.Expect(`exists (select 1 from memories where id = ?1 and namespace = ?2)`,
				i.wrong(fault.Conflict, line.n, "the id %q belongs to a memory of another namespace than %q; give the line another id, or import it into that namespace", m.ID, m.Namespace),
				m.ID, m.Namespace))
		}
		places = append(places, [2]string{m.ID, m.Namespace})
	}
	if !each && len(places) > 0 {
		b.add(nothing, db.Expect(`
not exists (
  select 1
  from json_each(?1) j
  join memories m on m.id = j.value ->> 0
  where m.namespace <> j.value ->> 1
)`, errSomeLine, db.List(places)))
	}
	return b
}

func (i *importer) insertMemory(n int, m *memoryLine) db.Stmt {
	return db.S(`
insert into memories (
  id, namespace, kind, title, content, aliases, tags, properties, status, importance, pinned, confidence,
  origin, actor, uri, content_hash, revision, created_at, updated_at, valid_from, valid_to,
  verified_at, verify_note, forgotten_at, forget_reason
)
select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25
where not exists (select 1 from memories where id = ?1)`,
		m.ID, m.Namespace, m.Kind, m.Title, m.Content, db.List(m.Aliases), db.List(m.Tags), string(m.Properties), m.Status,
		*m.Importance, m.Pinned, m.Confidence, m.Origin, *m.Actor, m.URI, m.ContentHash, m.Revision, m.CreatedAt, m.UpdatedAt,
		m.ValidFrom, m.ValidTo, m.VerifiedAt, m.VerifyNote, m.ForgottenAt, m.ForgetReason,
	).Or(i.wrong(fault.Conflict, n, "another memory already has the uri %q", value(m.URI)))
}

// edgesOf returns the statements that store the edges of lines and the
// verifications of memories, on condition that the ends of each edge exist in one
// namespace, the importer's if it has one.
func (i *importer) edgesOf(lines []numbered, each bool) (b chunk) {
	ends := [][2]string{}
	for _, line := range lines {
		if line.edge != nil && !line.foreign {
			ends = append(ends, [2]string{line.edge.From, line.edge.To})
		}
	}
	if !each && len(ends) > 0 {
		b.add(nothing, db.Expect(`
not exists (
  select 1
  from json_each(?1) j
  left join memories f on f.id = j.value ->> 0
  left join memories t on t.id = j.value ->> 1
  where f.namespace is null
    or t.namespace is null
    or f.namespace <> t.namespace
    or ?2 not in ('', f.namespace)
)`, errSomeLine, db.List(ends), i.reader.namespace))
	}
	for _, line := range lines {
		if m := line.memory; m != nil && len(m.Verifications) > 0 {
			b.add(nothing, memory.InsertVerifications(m.ID, db.List(m.Verifications), "$"))
		}
		e := line.edge
		if e == nil {
			continue
		}
		countEdge := func(changed []int64) { i.done.Edges.count(changed[len(changed)-1]) }
		sameNamespace := db.Expect(`(select count(distinct namespace) from memories where id in (?1, ?2)) < 2`,
			i.wrong(fault.InvalidArgument, line.n, "the edge joins memories of two namespaces; an edge joins memories of one namespace"), e.From, e.To)
		switch {
		case line.foreign:
			b.add(func(changed []int64) {
				if changed[0] == 0 {
					i.done.LeftOut++
					i.warn(fmt.Sprintf("line %d was left out: the relation leads from or to an entity that is not there", line.n))
					return
				}
				countEdge(changed)
			}, append([]db.Stmt{
				// The MCP memory server keeps relations whose entities are gone.
				db.S(`insert into expectation (holds) select 1 where `+bothExist, e.From, e.To), sameNamespace,
			}, i.insertEdge(line.n, e)...)...)
		case each:
			b.add(nothing,
				db.Expect(bothExist, i.wrong(fault.InvalidArgument, line.n, "the edge leads from %q to %q, and one of them is neither in the file nor in the store", e.From, e.To), e.From, e.To),
				sameNamespace,
				db.Expect(`(select count(*) from memories where id = ?1 and ?2 not in ('', namespace)) = 0`,
					i.wrong(fault.InvalidArgument, line.n, "the edge joins memories of another namespace than %q; leave it out, or import it into that namespace", i.reader.namespace),
					e.From, i.reader.namespace))
			b.add(countEdge, i.insertEdge(line.n, e)...)
		default:
			b.add(countEdge, i.insertEdge(line.n, e)...)
		}
		if len(e.Sites) > 0 {
			b.add(nothing, db.S(insertSites, e.ID, db.List(e.Sites)))
		}
	}
	return b
}

func nothing([]int64) {}

const bothExist = `(select count(*) from memories where id in (?1, ?2)) = 2`

// insertEdge returns the statements that store an edge. The last one changes a row
// if and only if the edge is new.
func (i *importer) insertEdge(n int, e *edgeLine) []db.Stmt {
	kind := edges.Kind(e.EdgeType)
	statements := []db.Stmt{}
	if kind == edges.Supersedes {
		statements = append(statements, db.Expect(`
not exists (
  select 1
  from edges
  where kind = 'supersedes'
    and to_key = (select key from memories where id = ?2)
    and from_key <> (select key from memories where id = ?1)
)`, i.wrong(fault.Conflict, n, "%q already has a successor, and a memory has at most one", e.To), e.From, e.To))
	}
	return append(statements, db.S(`
insert into edges (
  id, from_key, to_key, kind, rel, weight, origin, actor, note, declared, basis, valid_from, valid_to, created_at
)
select
  ?3,
  f.key,
  t.key,
  ?4,
  ?5,
  ?6,
  ?7,
  ?8,
  ?9,
  iif(?10, 'explicit', 'site'),
  nullif(?11, ''),
  ?12,
  ?13,
  ?14
from memories f
join memories t on t.id = ?2
where f.id = ?1
  and not exists (select 1 from edges where id = ?3)
  and not exists (
    select 1
    from edges e
    where e.kind = +?4
      and e.rel = ?5
      and (e.from_key = f.key and e.to_key = t.key or ?15 and e.from_key = t.key and e.to_key = f.key)
  )`, e.From, e.To, e.ID, e.EdgeType, e.Rel, *e.Weight, e.Origin, *e.Actor, e.Note, e.isDeclared(), e.Basis,
		e.ValidFrom, e.ValidTo, e.CreatedAt, kind.Symmetric(),
	).Or(i.wrong(fault.Cycle, n, "the edge would close a cycle of %s", e.EdgeType)))
}

// insertSites stores the places of a new edge. The next import of the vault adds
// what else it knows of them.
const insertSites = `
insert into sites (
  note, edge, kind, rel, backward, origin, target, target_key, anchor, line, start_byte, end_byte, context, resolved_by
)
select
  iif(j.value ->> 'backward', e.to_key, e.from_key),
  e.key,
  e.kind,
  e.rel,
  coalesce(j.value ->> 'backward', 0),
  e.origin,
  (select title from memories where key = iif(j.value ->> 'backward', e.from_key, e.to_key)),
  '',
  j.value ->> 'anchor',
  j.value ->> 'line',
  0,
  0,
  j.value ->> 'context',
  'import'
from edges e
join json_each(?2) j
where e.id = ?1
  and not exists (select 1 from sites where edge = e.key)
order by j.key`
