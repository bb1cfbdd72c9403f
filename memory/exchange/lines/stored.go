package lines

import (
	"context"
	"database/sql"
	"hence/edges"
	"hence/internal/db"
	"hence/memory"
	"hence/memory/record"
	"slices"
	"strings"
)

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
func UpdateEdges(relinks []Edge) (statements []db.Stmt) {
	for _, e := range relinks {
		statements = append(statements, db.S(updateEdge, db.List(record.Values(edgeColumns, &e))))
	}
	return statements
}

// updateEdge takes the values of edgeColumns.
var updateEdge = strings.ReplaceAll(`
update edges
set
  `+record.SetRow(edgeColumns, record.Except(ownOfEdge, "id", "kind", "basis"))+`,
  basis = coalesce(`+record.At(edgeColumns, "basis")+`, basis),
  declared = 'explicit'
where from_key = (select key from memories where id = `+record.At(edgeColumns, "from")+`)
  and to_key = (select key from memories where id = `+record.At(edgeColumns, "to")+`)
  and kind = +(`+record.At(edgeColumns, "kind")+`)
  and (id = `+record.At(edgeColumns, "id")+` or rel = `+record.At(edgeColumns, "rel")+`)`, "g.value", "?1")

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
