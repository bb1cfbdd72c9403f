package lines

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hence/edges"
	"hence/edges/acyclic"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/memory"
	"hence/memory/record"
)

// errRefused means that the graph cannot have an edge: see refusal.
var errRefused = errors.New("the graph refuses an edge")

// memoryStatements returns the statements that store the memories of lines. One
// statement stores all new ones, because the full-text index flushes its buffer whenever a statement
// begins.
func (i *importer) memoryStatements(ctx context.Context, lines []numberedRecord, b *chunk) error {
	inserts, err := i.decideMemories(ctx, lines, b)
	if err != nil {
		return err
	}
	// A text of an earlier namespace would make the index flush its buffer too.
	slices.SortStableFunc(inserts, func(a, b numberedRecord) int { return cmp.Compare(a.Memory.Namespace, b.Memory.Namespace) })
	b.add(insertAll(lists.Map(inserts, func(line numberedRecord) Memory { return *line.Memory }))...)
	b.done.Memories.Added += len(inserts)
	return nil
}

// insertAll returns the statements that store new memories with their stamps.
func insertAll(all []Memory) []db.Stmt {
	if len(all) == 0 {
		return nil
	}
	texts, rows, stamps := []memory.Whole{}, db.Rows{}, db.Rows{}
	for _, m := range all {
		rows.Row(record.Values(columns, &m)...)
		m.Changed.addRows(&stamps, m.ID)
		texts = append(texts, m.searchTexts())
	}
	return slices.Concat(stampsOfNew("memories", stamps), []db.Stmt{db.S(insertMemories, rows.Arg()).Or(ErrMoved)}, memory.CutStatements(texts...))
}

// searchTexts returns the texts of the memory that search indexes.
func (m *Memory) searchTexts() memory.Whole {
	return memory.Whole{ID: m.ID, Title: m.Title, Aliases: db.List(m.Aliases), Tags: db.List(m.Tags), Content: m.Content, Properties: string(m.Properties)}
}

// edgeStatements returns the statements that store the edges of lines, the removals, and the
// verifications of memories.
func (i *importer) edgeStatements(ctx context.Context, lines []numberedRecord, b *chunk) error {
	if err := i.proposeClaims(ctx, lines, b); err != nil {
		return err
	}
	lines, err := i.decideEdges(ctx, lines, b)
	if err == nil {
		lines, err = i.checkEnds(ctx, lines, b)
	}
	if err != nil {
		return err
	}
	inserts := []Edge{}
	for _, line := range lines {
		switch {
		case line.Removed != nil:
			b.add(InsertRemoved(line.Removed))
		case line.Waiting != nil:
			b.add(line.Waiting.Keep())
		case line.Edge == nil, line.Edge.mayBeProposal():
		case line.Edge.Unsettled != "":
			b.add(InsertUnsettled(line.Edge, i.reader.Namespace))
		default:
			inserts = append(inserts, *line.Edge)
		}
	}
	if statements := InsertNewEdges(inserts); len(statements) > 0 {
		last := len(statements) - 1
		statements[last] = statements[last].Or(errRefused)
		b.count(func(changed []int64) { b.done.Edges.count(changed[last], len(inserts)) }, statements...)
	}
	for _, line := range lines {
		if m := line.Memory; m != nil && len(m.Verifications) > 0 {
			b.add(memory.InsertVerifications(m.ID, db.List(m.Verifications), "$"))
		}
		e := line.Edge
		if e == nil || e.Unsettled != "" {
			continue
		}
		if e.mayBeProposal() { // see edges.Proposed: one of two statements stores the edge
			row, stamps := db.Rows{}, db.Rows{}
			e.addRow(&row)
			e.Changed.addRows(&stamps, e.ID)
			declaration := edges.Declaration{ID: e.ID, From: e.From, To: e.To, Kind: edges.Kind(e.Kind), Note: e.Note}
			b.count(func(changed []int64) {
				if changed[0] > 0 {
					b.warn(fmt.Sprintf("line %d is kept as a proposal: the edge %s joins a memory to one that is trusted more; hence tidy lists it", line.n, e.Kind))
					return
				}
				b.done.Edges.count(changed[1], 1)
			},
				declaration.Proposal(e.Origin, e.Actor, e.CreatedAt, e.Word),
				db.S(insertEdges+"\n  and not "+edges.IsOutranked("g.value ->> "+isSymmetric, "?2"), row.Arg(), e.Word).Or(errRefused))
			b.add(db.S(insertStamps+`
where exists (select 1 from edges where id = g.value ->> 0 and kind = ?2)
on conflict do nothing`, stamps.Arg(), e.Kind))
		}
		if len(e.Sites) > 0 {
			b.add(db.S(insertSites, e.ID, db.List(e.Sites)))
		}
	}
	return nil
}

// checkEnds fails if an edge does not join two memories of the importer's namespace, or of one namespace if it has none.
// It returns the lines without relations of the MCP memory server, which keeps those whose entities
// are gone. The statement that it adds fails with ErrMoved if an end goes.
func (i *importer) checkEnds(ctx context.Context, all []numberedRecord, b *chunk) (lines []numberedRecord, err error) {
	ends := map[string]string{} // namespaces by id
	for _, line := range all {
		if e := line.Edge; e != nil && e.Unsettled == "" {
			ends[e.From], ends[e.To] = "", ""
		}
	}
	if len(ends) == 0 {
		return all, nil
	}
	if err := db.Fill(ctx, i.store.DB, ends, `
select
  m.id,
  m.namespace
from json_each(?1) j
cross join memories m on m.id = j.value`, db.List(slices.Sorted(maps.Keys(ends)))); err != nil {
		return nil, err
	}
	for _, line := range all {
		e := line.Edge
		if e == nil || e.Unsettled != "" {
			lines = append(lines, line)
			continue
		}
		from, to := ends[e.From], ends[e.To]
		switch isMissing := from == "" || to == ""; {
		case isMissing && line.Foreign:
			b.leftOut.Add("line %d was left out: the relation leads from or to an entity that does not exist", line.n)
			continue
		case isMissing:
			return nil, i.wrong(fault.InvalidArgument, line.n, "the edge leads from %q to %q, and one of them is neither in the file nor in the store", e.From, e.To)
		case from != to:
			return nil, i.wrong(fault.InvalidArgument, line.n, "the edge joins memories of two namespaces; choose two memories of one namespace")
		case i.reader.Namespace != "" && from != i.reader.Namespace:
			return nil, i.wrong(fault.InvalidArgument, line.n, "the edge joins memories of another namespace than %q; leave it out, or import it into that namespace", i.reader.Namespace)
		}
		lines = append(lines, line)
	}
	maps.DeleteFunc(ends, func(_, namespace string) bool { return namespace == "" })
	b.add(db.Expect(`(select count(*) from json_each(?1) j cross join memories m on m.id = j.value) = ?2`, ErrMoved, db.List(slices.Sorted(maps.Keys(ends))), len(ends)))
	return lines, nil
}

// refusal returns the error about the first edge of lines that the graph cannot have.
func (i *importer) refusal(ctx context.Context, lines []numberedRecord) error {
	stored, err := db.Select(ctx, i.store.DB, db.Fields(func(e *acyclic.Edge[string]) []any { return []any{&e.Kind, &e.From, &e.To} }), `
select
  e.kind,
  f.id,
  t.id
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind in ('supersedes', 'depends-on')`)
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(slices.Clone(lines), func(line numberedRecord) bool {
		return line.Edge == nil || line.Edge.Unsettled != "" || !edges.Kind(line.Edge.Kind).Acyclic()
	})
	edgeOf := func(line numberedRecord) acyclic.Edge[string] {
		return acyclic.Edge[string]{Kind: edges.Kind(line.Edge.Kind), From: line.Edge.From, To: line.Edge.To}
	}
	judge := acyclic.New(stored, lists.Map(lines, edgeOf))
	for _, line := range lines {
		switch verdict, _ := judge.Judge(edgeOf(line)); verdict {
		case acyclic.Successor:
			return i.wrong(fault.Conflict, line.n, "%q already has a successor, and a memory has at most one", line.Edge.To)
		case acyclic.Cycle:
			return i.wrong(fault.Cycle, line.n, "the edge would close a cycle of %s", line.Edge.Kind)
		}
	}
	return ErrMoved // somebody wrote in between
}

// insertEdges stores the edges that do not exist yet, from rows of addRow.
var insertEdges = `
insert into edges (` + record.List(ownOfEdge, "%[1]s") + `, from_key, to_key, declared)
select
  ` + record.Pick(edgeColumns, ownOfEdge) + `,
  f.key,
  t.key,
  iif(g.value ->> ` + isDeclared + `, 'explicit', 'site')
from json_each(?1) g
cross join memories f on f.id = ` + record.At(edgeColumns, "from") + `
cross join memories t on t.id = ` + record.At(edgeColumns, "to") + `
where not exists (select 1 from edges where id = ` + record.At(edgeColumns, "id") + `)
  and not exists (` + sameEdge("f.key", "t.key") + `)
  and not (g.value ->> ` + isSymmetric + ` and exists (` + sameEdge("t.key", "f.key") + `))`

// ownOfEdge are the columns of an edge but for its ends, and sameEdge selects the edge between two ends that a row of addRow
// says again.
var ownOfEdge = record.Except(edgeColumns, "from", "to")

func sameEdge(from, to string) string {
	return `select 1 from edges e where e.from_key = ` + from + ` and e.to_key = ` + to +
		` and e.kind = ` + record.At(edgeColumns, "kind") + ` and e.rel = ` + record.At(edgeColumns, "rel")
}

// The places of what follows the columns in a row of addRow.
var isDeclared, isSymmetric = strconv.Itoa(len(edgeColumns)), strconv.Itoa(len(edgeColumns) + 1)

// addRow adds the row of an edge, for insertEdges.
func (e *Edge) addRow(rows *db.Rows) {
	rows.Row(append(record.Values(edgeColumns, e), e.IsDeclared(), edges.Kind(e.Kind).Symmetric())...)
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

// Revision is a memory of the store before and after the merge.
type Revision struct{ Old, New Memory }

// Differs reports whether any stored value of the memory changes, apart from its status,
// which follows from edges and forgotten_at.
func (r Revision) Differs() bool {
	old, new := r.Old, r.New
	old.Status, new.Status = "", ""
	return !LinesEqual(&old, &new)
}

// ReadMemories adds the memories with these ids to a map by id.
func ReadMemories(ctx context.Context, from db.Source, ids []string, into map[string]Memory) error {
	for batch := range slices.Chunk(ids, ChunkLines) {
		err := db.Each(ctx, from, func(row *sql.Rows) error {
			m, err := ScanMemory(row)
			if err != nil {
				return err
			}
			if m.ContentHash == "" {
				m.ContentHash = db.Hash(m.Content)
			}
			into[m.ID] = m
			return nil
		}, MemoryColumns+`
from json_each(?1) j
cross join memories m on m.id = j.value`, db.List(batch))
		if err != nil {
			return err
		}
	}
	return nil
}

// EdgesBetween reads the store's edges from the first to the second memory of each row.
var EdgesBetween = "select" + edgeFields + `
from json_each(?1) g
cross join memories f on f.id = g.value ->> 0
cross join memories t on t.id = g.value ->> 1
cross join edges e on e.from_key = f.key and e.to_key = t.key`

// InsertNew returns the statements that store new memories with their stamps and
// verifications.
func InsertNew(all []Memory) []db.Stmt {
	inserted, after, forgotten := slices.Clone(all), []db.Stmt{}, []Revision{}
	for n, m := range all {
		if len(m.Verifications) > 0 {
			after = append(after, memory.InsertVerifications(m.ID, db.List(m.Verifications), "$"))
		}
		if m.ForgottenAt != "" { // insert and forget separately, so that undo finds both in the journal
			old := &inserted[n]
			old.Status, old.ForgottenAt, old.ForgetReason = memory.Current, "", ""
			after = append(append(after, Revision{*old, m}.forget()...), db.S(`update memories set revision = ?2, updated_at = ?3 where id = ?1`, m.ID, m.Revision, m.UpdatedAt))
			forgotten = append(forgotten, Revision{*old, m})
		}
	}
	return slices.Concat(insertAll(inserted), after, StampUpdated(forgotten, nil))
}

// InsertNewEdges returns the statements that store new edges with their stamps.
func InsertNewEdges(all []Edge) []db.Stmt {
	if len(all) == 0 {
		return nil
	}
	rows, stamps := db.Rows{}, db.Rows{}
	for _, e := range all {
		e.addRow(&rows)
		e.Changed.addRows(&stamps, e.ID)
	}
	return append(stampsOfNew("edges", stamps), db.S(insertEdges, rows.Arg()))
}

// UpdateMemories returns the statements that set changed memories to their joined state.
func UpdateMemories(updates []Revision) (statements []db.Stmt) {
	texts := []memory.Whole{}
	for _, u := range updates {
		m := u.New
		row := db.Rows{}
		row.Row(record.Values(columns, &m)...)
		if isEdited(&u.Old, &u.New) {
			statements = append(append(statements, db.S(updateEdited, row.Arg())), u.forget()...)
			texts = append(texts, m.searchTexts())
		}
		statements = append(statements, db.S(updateRecord, row.Arg()))
		if len(m.Verifications) > 0 {
			statements = append(statements, memory.InsertVerifications(m.ID, db.List(m.Verifications), "$"))
		}
	}
	return append(statements, memory.CutStatements(texts...)...)
}

// forget returns the statement that forgets or restores the memory, none if neither
// happens. It is separate because the journal has a separate row for each of them.
func (r Revision) forget() []db.Stmt {
	if r.Old.ForgottenAt == r.New.ForgottenAt && r.Old.ForgetReason == r.New.ForgetReason {
		return nil
	}
	return []db.Stmt{db.S(`
update memories
set
  status = iif(?2 = '', `+edges.StatusByEdges+`, 'forgotten'),
  forgotten_at = nullif(?2, ''),
  forget_reason = nullif(?3, '')
where id = ?1`, r.New.ID, r.New.ForgottenAt, r.New.ForgetReason)}
}

// UpdateEdges returns the statements that set changed edges to their joined state.
func UpdateEdges(relinks []Edge) []db.Stmt {
	return lists.Map(relinks, func(e Edge) db.Stmt { return db.S(updateEdge, db.List(record.Values(edgeColumns, &e))) })
}

// updateEdge takes the values of edgeColumns. The + before id and rel keeps SQLite from reading all edges for the
// second of the two.
var updateEdge = strings.ReplaceAll(`
update edges
set
  `+record.SetRow(edgeColumns, record.Except(ownOfEdge, "id", "kind", "basis"))+`,
  basis = coalesce(`+record.At(edgeColumns, "basis")+`, basis),
  declared = 'explicit'
where from_key = (select key from memories where id = `+record.At(edgeColumns, "from")+`)
  and to_key = (select key from memories where id = `+record.At(edgeColumns, "to")+`)
  and kind = +(`+record.At(edgeColumns, "kind")+`)
  and (+id = `+record.At(edgeColumns, "id")+` or +rel = `+record.At(edgeColumns, "rel")+`)`, "g.value", "?1")

// StampUpdated returns the statements that replace the stamps which the upkeep gives to the
// changed memories and edges by the joined ones.
func StampUpdated(updates []Revision, changed []Edge) []db.Stmt {
	ids, rows := []string{}, db.Rows{}
	for _, u := range updates {
		ids = append(ids, u.New.ID)
		u.New.Changed.addRows(&rows, u.New.ID)
	}
	for _, e := range changed {
		ids = append(ids, e.ID)
		e.Changed.addRows(&rows, e.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	return append(slices.Clone(db.Upkeep),
		db.S(`delete from stamps where id in (select value from json_each(?))`, db.List(ids)),
		db.S(insertStamps, rows.Arg()))
}

// updateEdited sets what an edit changes, and updateRecord what else a merge decides. Each takes a
// row of record.Values(columns, …).
var (
	updateEdited = updateMemory("sectioned = iif(memories.content is "+record.At(columns, "content")+", sectioned, 0), ",
		"content_hash revision", record.Except(record.Where(columns, "edited", "stamped"), "forgotten_at"))
	updateRecord = updateMemory("", "updated_at revision", record.Where(columns, "kept"))
)

// updateMemory returns the statement that sets columns of a memory, and those with some names, to those of a
// row.
func updateMemory(first, names string, of []record.Column) string {
	named := record.Only(columns, strings.Fields(names)...)
	return "update memories set " + first + record.SetRow(columns, append(named, of...)) + " from json_each(?1) g where memories.id = " + record.At(columns, "id")
}
