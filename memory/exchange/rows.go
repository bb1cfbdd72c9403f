package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
)

// takeMemories writes the memories of the file.
func (i *importer) takeMemories(ctx context.Context, in io.Reader) error {
	return i.take(ctx, in, typeEdge, func(ctx context.Context, lines []numbered) error {
		err := i.write(ctx, i.memoriesOf(lines, false))
		if errors.Is(err, errElsewhere) { // to know of which line, one after the other
			err = i.write(ctx, i.memoriesOf(lines, true))
		}
		return err
	})
}

// memoriesOf returns what writes the memories of lines. That each is where its
// line goes, new or there before, is a condition of the whole, or of each line.
func (i *importer) memoriesOf(lines []numbered, each bool) (b chunk) {
	places := [][2]string{}
	for _, line := range lines {
		m := line.memory
		if m == nil {
			continue
		}
		b.add(func(changed []int64) { i.done.Memories.count(changed[0]) }, i.insertMemory(line.n, m))
		if each {
			b.add(nothing, i.inItsNamespace(line.n, m))
		}
		places = append(places, [2]string{m.ID, m.Namespace})
	}
	if !each && len(places) > 0 {
		b.add(nothing, allInTheirNamespace(places))
	}
	return b
}

// errElsewhere is that an id of a line is that of a memory of another namespace.
var errElsewhere = errors.New("a memory is in another namespace")

// allInTheirNamespace is inItsNamespace of many memories.
func allInTheirNamespace(places [][2]string) db.Stmt {
	return db.Expect(`
not exists (
  select 1
  from json_each(?1) j
  join memories m on m.id = j.value ->> 0
  where m.namespace <> j.value ->> 1
)`, errElsewhere, db.List(places))
}

// inItsNamespace is the condition that a memory is in the namespace of its line.
func (i *importer) inItsNamespace(n int, m *memoryLine) db.Stmt {
	return db.Expect(`exists (select 1 from memories where id = ?1 and namespace = ?2)`,
		i.wrong(fault.Conflict, n, "the id %q is taken by a memory of another namespace than %q, where the line goes; give the line another id, or import it into that namespace", m.ID, m.Namespace),
		m.ID, m.Namespace)
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
		m.ID, m.Namespace, m.Kind, m.Title, m.Content, asJSON(m.Aliases), asJSON(m.Tags), string(m.Properties), m.Status,
		*m.Importance, m.Pinned, m.Confidence, m.Origin, *m.Actor, m.URI, m.ContentHash, m.Revision, m.CreatedAt, m.UpdatedAt,
		m.ValidFrom, m.ValidTo, m.VerifiedAt, m.VerifyNote, m.ForgottenAt, m.ForgetReason,
	).Or(i.wrong(fault.Conflict, n, "another memory has the uri %q already", value(m.URI)))
}

// asJSON is a list of texts, or of structs of texts, as the store keeps it.
func asJSON(list any) string {
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// takeEdges writes the edges of the file, and what was looked at and found to
// hold, now that every memory is there.
func (i *importer) takeEdges(ctx context.Context, in io.Reader) error {
	skipped := typeMemory
	if i.verified {
		skipped = ""
	}
	return i.take(ctx, in, skipped, func(ctx context.Context, lines []numbered) error {
		err := i.write(ctx, i.edgesOf(lines, false))
		if errors.Is(err, errEnds) { // to know of which line, one after the other
			err = i.write(ctx, i.edgesOf(lines, true))
		}
		return err
	})
}

// edgesOf returns what writes the edges of lines. That their ends are there
// is a condition of the whole, or of each line.
func (i *importer) edgesOf(lines []numbered, each bool) (b chunk) {
	if ends := endsOf(lines); !each && len(ends) > 0 {
		b.add(nothing, i.bothEndsOfAll(ends))
	}
	for _, line := range lines {
		if m := line.memory; m != nil && len(m.Verifications) > 0 {
			b.add(nothing, insertVerifications(m))
		}
		e := line.edge
		switch {
		case e == nil:
		case line.foreign:
			b.add(i.countForeign(line.n), append([]db.Stmt{bothEndsOrNothing(e), i.oneNamespace(line.n, e)}, i.insertEdge(line.n, e)...)...)
		case each:
			b.add(nothing, i.bothEnds(line.n, e), i.oneNamespace(line.n, e), i.inThisNamespace(line.n, e))
			b.add(i.countEdge, i.insertEdge(line.n, e)...)
		default:
			b.add(i.countEdge, i.insertEdge(line.n, e)...)
		}
		if e != nil && len(e.Sites) > 0 {
			b.add(nothing, insertSites(e))
		}
	}
	return b
}

func nothing([]int64) {}

// countEdge counts what came of the last statement of insertEdge.
func (i *importer) countEdge(changed []int64) { i.done.Edges.count(changed[len(changed)-1]) }

// countForeign is countEdge for a relation, which is left out where an end is
// not there.
func (i *importer) countForeign(n int) func(changed []int64) {
	return func(changed []int64) {
		if changed[0] == 0 {
			i.done.LeftOut++
			i.warn(fmt.Sprintf("line %d was left out: the relation leads from or to an entity that is not there", n))
			return
		}
		i.countEdge(changed)
	}
}

// errEnds is that an end of some edge is not there, or of another namespace.
var errEnds = errors.New("an end of an edge is not there")

// endsOf are the ends of the edges of lines, of which both must be there.
func endsOf(lines []numbered) (ends [][2]string) {
	for _, line := range lines {
		if line.edge != nil && !line.foreign {
			ends = append(ends, [2]string{line.edge.From, line.edge.To})
		}
	}
	return ends
}

// bothEndsOfAll is bothEnds, oneNamespace and inThisNamespace of many edges.
func (i *importer) bothEndsOfAll(ends [][2]string) db.Stmt {
	return db.Expect(`
not exists (
  select 1
  from json_each(?1) j
  left join memories f on f.id = j.value ->> 0
  left join memories t on t.id = j.value ->> 1
  where f.namespace is null
    or t.namespace is null
    or f.namespace <> t.namespace
    or ?2 not in ('', f.namespace)
)`, errEnds, db.List(ends), i.reader.namespace)
}

const bothAreThere = `(select count(*) from memories where id in (?1, ?2)) = 2`

// bothEnds is the condition that the ends of an edge are there.
func (i *importer) bothEnds(n int, e *edgeLine) db.Stmt {
	return db.Expect(bothAreThere, i.wrong(fault.InvalidArgument, n, "the edge leads from %q to %q, and one of them is neither in the file nor in the store", e.From, e.To), e.From, e.To)
}

// oneNamespace is the condition that both are of one namespace.
func (i *importer) oneNamespace(n int, e *edgeLine) db.Stmt {
	return db.Expect(`(select count(distinct namespace) from memories where id in (?1, ?2)) < 2`,
		i.wrong(fault.InvalidArgument, n, "the edge joins memories of two namespaces, and an edge stays in one"), e.From, e.To)
}

// inThisNamespace is the condition that an end is where everything goes, if
// there is such a place.
func (i *importer) inThisNamespace(n int, e *edgeLine) db.Stmt {
	return db.Expect(`(select count(*) from memories where id = ?1 and ?2 not in ('', namespace)) = 0`,
		i.wrong(fault.InvalidArgument, n, "the edge joins memories of another namespace than %q; leave it out, or import it into that namespace", i.reader.namespace),
		e.From, i.reader.namespace)
}

// bothEndsOrNothing changes a row exactly when the ends are there. The MCP
// memory server keeps relations whose entities are gone.
func bothEndsOrNothing(e *edgeLine) db.Stmt {
	return db.S(`insert into expectation (holds) select 1 where `+bothAreThere, e.From, e.To)
}

// insertEdge returns the statements that write an edge. The last one changes a
// row exactly when the edge is new.
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
)`, i.wrong(fault.Conflict, n, "%q has a successor already, and a memory has one at most", e.To), e.From, e.To))
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

// insertSites returns the statement that writes the places of an edge that is
// new. What else a vault knows of them comes with its next import.
func insertSites(e *edgeLine) db.Stmt {
	return db.S(`
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
order by j.key`, e.ID, asJSON(e.Sites))
}

func insertVerifications(m *memoryLine) db.Stmt {
	return db.S(`
insert or ignore into verifications (memory, because, reason, evidence, at)
select
  m.key,
  b.key,
  j.value ->> 'reason',
  j.value ->> 'mark',
  j.value ->> 'at'
from memories m
join json_each(?2) j
join memories b on b.id = j.value ->> 'because'
where m.id = ?1`, m.ID, asJSON(m.Verifications))
}
