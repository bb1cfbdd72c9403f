package lines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/record"
)

// errSomeLine means that a condition for several lines does not hold. The lines are then
// stored one by one, to find the one that breaks it.
var errSomeLine = errors.New("a condition of some line does not hold")

// memoryStatements returns the statements that store the memories of lines. They fail if a memory
// with the id of a line is in another namespace than the line, or its uri is in use. One
// statement stores all new ones, because the full-text index flushes its buffer whenever a statement
// begins. With a single line, errors name it.
func (i *importer) memoryStatements(ctx context.Context, lines []numberedRecord) (b chunk, err error) {
	inserts, changes, err := i.decideMemories(ctx, lines)
	if err != nil {
		return b, err
	}
	// A text of an earlier namespace would make the index flush its buffer too.
	slices.SortStableFunc(inserts, func(a, b numberedRecord) int { return cmp.Compare(a.Memory.Namespace, b.Memory.Namespace) })
	places, texts, rows, stamps := [][2]string{}, []memory.Whole{}, db.Rows{}, db.Rows{}
	inUse, elsewhere := errSomeLine, errSomeLine
	for _, line := range inserts {
		m := line.Memory
		if len(lines) == 1 {
			inUse = i.wrong(fault.Conflict, line.n, "another memory already has the uri %q", m.URI)
			elsewhere = i.wrong(fault.Conflict, line.n, "the id %q belongs to a memory of another namespace than %q; give the line another id, or import it into that namespace", m.ID, m.Namespace)
		}
		rows.Row(record.Values(columns, m)...)
		m.Changed.addRows(&stamps, m.ID)
		places = append(places, [2]string{m.ID, m.Namespace})
		texts = append(texts, m.searchTexts())
	}
	b.add(changes.count, changes.statements...)
	if len(places) == 0 {
		return b, nil
	}
	b.add(ignore, stampsOfNew("memories", stamps)...)
	b.add(func(changed []int64) { i.done.Memories.count(changed[0], len(places)) }, db.S(insertMemories, rows.Arg()).Or(inUse))
	b.add(ignore, memory.CutStatements(texts...)...)
	b.add(ignore, db.Expect(`
not exists (
  select 1
  from json_each(?1) j
  join memories m on m.id = j.value ->> 0
  where m.namespace <> j.value ->> 1
)`, elsewhere, db.List(places)))
	return b, nil
}

// searchTexts returns the texts of the memory that search indexes.
func (m *Memory) searchTexts() memory.Whole {
	return memory.Whole{ID: m.ID, Title: m.Title, Aliases: db.List(m.Aliases), Tags: db.List(m.Tags), Content: m.Content, Properties: string(m.Properties)}
}

// edgeStatements returns the statements that store the edges of lines, the removals, and the
// verifications of memories. They fail if an end of an edge does not exist, or the ends are
// not both in the importer's namespace, or in one namespace if it has none. With a single
// line, errors name it.
func (i *importer) edgeStatements(ctx context.Context, all []numberedRecord) (b chunk, err error) {
	if err := i.proposeClaims(ctx, all); err != nil {
		return b, err
	}
	lines, changes, err := i.decideEdges(ctx, all)
	if err != nil {
		return b, err
	}
	b.add(changes.count, changes.statements...)
	rows, stamps := db.Rows{}, db.Rows{}
	isSingle := len(all) == 1
	for _, line := range lines {
		switch {
		case line.Removed != nil:
			b.add(ignore, insertRemoved(line.Removed))
		case line.Edge == nil, line.Foreign, line.Edge.mayBeProposal():
		case line.Edge.Unsettled != "":
			b.add(ignore, InsertUnsettled(line.Edge, i.reader.Namespace))
		default:
			line.Edge.Changed.addRows(&stamps, line.Edge.ID)
			if !isSingle {
				line.Edge.addRow(&rows)
			}
		}
	}
	b.add(ignore, stampsOfNew("edges", stamps)...)
	if len(rows) > 0 {
		b.add(ignore, db.Expect(eachInOneNamespace, errSomeLine, rows.Arg(), i.reader.Namespace))
		b.add(func(changed []int64) { i.done.Edges.count(changed[0], len(rows)) }, db.S(insertEdges, rows.Arg()).Or(errSomeLine))
	}
	for _, line := range lines {
		if m := line.Memory; m != nil && len(m.Verifications) > 0 {
			b.add(ignore, memory.InsertVerifications(m.ID, db.List(m.Verifications), "$"))
		}
		e := line.Edge
		if e == nil || e.Unsettled != "" {
			continue
		}
		countEdge := func(changed []int64) {
			if e.mayBeProposal() && changed[len(changed)-2] > 0 {
				i.warn(fmt.Sprintf("line %d is kept as a proposal: the edge %s joins a memory to one that is trusted more; hence tidy lists it", line.n, e.EdgeType))
				return
			}
			i.done.Edges.count(changed[len(changed)-1], 1)
		}
		sameNamespace := db.Expect(`(select count(distinct namespace) from memories where id in (?1, ?2)) < 2`,
			i.wrong(fault.InvalidArgument, line.n, "the edge joins memories of two namespaces; choose two memories of one namespace"), e.From, e.To)
		switch {
		case line.Foreign:
			b.add(func(changed []int64) {
				if changed[0] == 0 {
					i.leftOut.Add("line %d was left out: the relation leads from or to an entity that does not exist", line.n)
					return
				}
				countEdge(changed)
			}, append([]db.Stmt{
				// The MCP memory server keeps relations whose entities are gone.
				db.S(`insert into expectation (holds) select 1 where `+bothExist, e.From, e.To), sameNamespace,
			}, i.insertEdge(line.n, e)...)...)
		case isSingle || e.mayBeProposal():
			b.add(ignore, i.expectEnds(line.n, e), sameNamespace, i.expectNamespace(line.n, e))
			b.add(countEdge, i.insertEdge(line.n, e)...)
		}
		if len(e.Sites) > 0 {
			b.add(ignore, db.S(insertSites, e.ID, db.List(e.Sites)))
		}
	}
	return b, nil
}

// expectEnds returns the condition that both ends of an edge exist.
func (i *importer) expectEnds(n int, e *Edge) db.Stmt {
	return db.Expect(bothExist, i.wrong(fault.InvalidArgument, n, "the edge leads from %q to %q, and one of them is neither in the file nor in the store", e.From, e.To), e.From, e.To)
}

// expectNamespace returns the condition that an edge is in the importer's namespace, if it has
// one.
func (i *importer) expectNamespace(n int, e *Edge) db.Stmt {
	return db.Expect(`(select count(*) from memories where id = ?1 and ?2 not in ('', namespace)) = 0`,
		i.wrong(fault.InvalidArgument, n, "the edge joins memories of another namespace than %q; leave it out, or import it into that namespace", i.reader.Namespace),
		e.From, i.reader.Namespace)
}

// eachInOneNamespace is the condition that both ends of each edge in ?1 exist in one
// namespace, which is ?2 unless that is "".
const eachInOneNamespace = `
not exists (
  select 1
  from json_each(?1) g
  left join memories f on f.id = g.value ->> 1
  left join memories t on t.id = g.value ->> 2
  where f.namespace is null
    or t.namespace is null
    or f.namespace <> t.namespace
    or ?2 not in ('', f.namespace)
)`

// ignore is a callback for statements whose numbers of changed rows do not matter.
func ignore([]int64) {}

const bothExist = `(select count(*) from memories where id in (?1, ?2)) = 2`

// insertEdge returns the statements that store an edge. The last one changes a row
// if and only if the edge is new.
func (i *importer) insertEdge(n int, e *Edge) []db.Stmt {
	statements := []db.Stmt{}
	if edges.Kind(e.EdgeType) == edges.Supersedes {
		statements = append(statements, db.Expect(`
not exists (
  select 1
  from edges
  where kind = 'supersedes'
    and to_key = (select key from memories where id = ?2)
    and from_key <> (select key from memories where id = ?1)
)`, i.wrong(fault.Conflict, n, "%q already has a successor, and a memory has at most one", e.To), e.From, e.To))
	}
	row := db.Rows{}
	e.addRow(&row)
	insert := db.S(insertEdges, row.Arg())
	if e.mayBeProposal() { // see edges.Proposed: one of two statements stores the edge
		declaration := edges.Declaration{ID: e.ID, From: e.From, To: e.To, Kind: edges.Kind(e.EdgeType), Note: e.Note}
		statements = append(statements, declaration.Proposal(e.Origin, *e.Actor, e.CreatedAt, e.Word))
		insert = db.S(insertEdges+"\n  and not "+edges.IsOutranked("g.value ->> 14", "?2"), row.Arg(), e.Word)
	}
	return append(statements, insert.Or(i.wrong(fault.Cycle, n, "the edge would close a cycle of %s", e.EdgeType)))
}

// insertEdges stores the edges that do not exist yet, from rows of addRow.
const insertEdges = `
insert into edges (
  id, from_key, to_key, kind, rel, weight, origin, actor, note, declared, basis, valid_from, valid_to, created_at
)
select
  g.value ->> 0,
  f.key,
  t.key,
  g.value ->> 3,
  g.value ->> 4,
  g.value ->> 5,
  g.value ->> 6,
  g.value ->> 7,
  g.value ->> 8,
  iif(g.value ->> 9, 'explicit', 'site'),
  nullif(g.value ->> 10, ''),
  g.value ->> 11,
  g.value ->> 12,
  g.value ->> 13
from json_each(?1) g
cross join memories f on f.id = g.value ->> 1
cross join memories t on t.id = g.value ->> 2
where not exists (select 1 from edges where id = g.value ->> 0)
  and not exists (
    select 1
    from edges e
    where e.from_key = f.key
      and e.to_key = t.key
      and e.kind = g.value ->> 3
      and e.rel = g.value ->> 4
  )
  and not (
    g.value ->> 14
    and exists (
      select 1
      from edges e
      where e.from_key = t.key
        and e.to_key = f.key
        and e.kind = g.value ->> 3
        and e.rel = g.value ->> 4
    )
  )`

// addRow adds the row of an edge, for insertEdges.
func (e *Edge) addRow(rows *db.Rows) {
	rows.Row(e.ID, e.From, e.To, e.EdgeType, e.Rel, e.Weight, e.Origin, e.Actor, e.Note, e.IsDeclared(), e.Basis, e.ValidFrom, e.ValidTo, e.CreatedAt,
		edges.Kind(e.EdgeType).Symmetric())
}

// insertSites stores the sites of a new edge. The next import of the vault fills in their
// other columns.
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
