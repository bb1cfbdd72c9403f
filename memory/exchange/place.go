package exchange

import (
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/memory"
	"hence/memory/journal"
)

// statements returns the statements that write the plan, none if it changes nothing. They
// fail with errMoved if the journal has grown since the plan's snapshot.
func (p *plan) statements(m *merge) []db.Stmt {
	statements := slices.Concat(
		p.insertMemories(p.inserts),
		p.updateMemories(),
		p.purgeStatements(),
		p.removeEdges(),
		p.insertEdges(p.links),
		p.updateEdges(),
		p.markSuperseded(),
		p.stampUpdated(),
		p.keepMissing(),
	)
	if len(statements) == 0 {
		return nil
	}
	before := append([]db.Stmt{db.Expect(`(select coalesce(max(seq), 0) from journal) = ?`, errMoved, p.seq)}, p.keepBefore(m.number)...)
	// Old removals are deleted, and so are the states from before old merges.
	return append(append(before, statements...),
		db.S(`
delete from before_merges
where batch not in (select distinct batch from before_merges order by batch limit ?)`, journal.KeptMerges),
		db.S(`delete from unlinked where at < ?`, p.forgetsBefore),
		db.S(`delete from purged where at < ?`, p.forgetsBefore))
}

// purgeStatements returns the statements that purge memories and remember their purge.
func (p *plan) purgeStatements() (statements []db.Stmt) {
	if len(p.purges) > 0 {
		statements = append(statements, db.S(`delete from memories where id in (select value from json_each(?))`, db.List(p.purges)))
		statements = append(statements, db.EraseDeleted...)
	}
	for _, l := range p.purged {
		statements = append(statements, db.S(`
insert into purged (id, namespace, at)
values (?1, ?2, ?3)
on conflict (id) do update set at = excluded.at`, l.ID, l.namespace(), l.At))
	}
	return statements
}

// insertMemories returns the statements that store new memories with their stamps and
// verifications.
func (p *plan) insertMemories(all []memoryLine) (statements []db.Stmt) {
	if len(all) == 0 {
		return nil
	}
	rows, stamps, texts := db.Rows{}, db.Rows{}, []memory.Whole{}
	verifications, forgotten := []db.Stmt{}, []db.Stmt{}
	for _, m := range all {
		inserted := m
		if m.ForgottenAt != nil { // insert and forget separately, so that undo finds both in the journal
			inserted.Status, inserted.ForgottenAt, inserted.ForgetReason = memory.Current, nil, nil
			ownStamps := db.Rows{}
			m.Changed.addRows(&ownStamps, m.ID)
			forgotten = append(append(forgotten, revision{inserted, m}.forget()...),
				db.S(`update memories set revision = ?2, updated_at = ?3 where id = ?1`, m.ID, m.Revision, m.UpdatedAt),
				db.S(`delete from stamps where id = ?`, m.ID),
				db.S(insertStamps, ownStamps.Arg()))
		}
		inserted.addRow(&rows)
		m.Changed.addRows(&stamps, m.ID)
		texts = append(texts, m.searchTexts())
		if len(m.Verifications) > 0 {
			verifications = append(verifications, memory.InsertVerifications(m.ID, db.List(m.Verifications), "$"))
		}
	}
	statements = append(stampsOfNew("memories", stamps), db.S(insertMemories, rows.Arg()))
	return slices.Concat(statements, memory.CutStatements(texts...), verifications, forgotten)
}

// updateMemories returns the statements that set changed memories to their joined state.
func (p *plan) updateMemories() (statements []db.Stmt) {
	texts := []memory.Whole{}
	for _, u := range p.updates {
		m := u.new
		row := db.Rows{}
		m.addRow(&row)
		if isEdited(&u.old, &u.new) {
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

// updateEdited sets what an edit changes, and updateRecord what else a merge decides. Each takes a
// row of addRow.
var (
	updateEdited = updateMemory(`kind title content content_hash aliases tags properties importance pinned confidence
		valid_from valid_to revision source source_url confirmed`, "sectioned = iif(memories.content is g.value ->> 4, sectioned, 0),")
	updateRecord = updateMemory(`created_at updated_at origin actor verified_at verify_note revision`, "")
)

// forget returns the statement that forgets or restores the memory, none if neither
// happens. It is separate because the journal has a separate row for each of them.
func (r revision) forget() []db.Stmt {
	if value(r.old.ForgottenAt) == value(r.new.ForgottenAt) && value(r.old.ForgetReason) == value(r.new.ForgetReason) {
		return nil
	}
	return []db.Stmt{db.S(`
update memories
set
  status = iif(?2 is null, (select s.status from status_by_edges s where s.memory = memories.key), 'forgotten'),
  forgotten_at = ?2,
  forget_reason = ?3
where id = ?1`, r.new.ID, r.new.ForgottenAt, r.new.ForgetReason)}
}

func (p *plan) unlinkIDs() []string {
	return edges.Keys(p.unlinks, func(e edgeLine) string { return e.ID })
}

// removeEdges returns the statements that remove edges. An edge that notes declare too
// stays as one that only they declare. An edge that another one replaces is not remembered
// as removed.
func (p *plan) removeEdges() []db.Stmt {
	if len(p.unlinks) == 0 {
		return nil
	}
	ids := db.List(p.unlinkIDs())
	statements := []db.Stmt{
		db.S(`
delete from edges
where id in (select value from json_each(?1))
  and not exists (select 1 from sites s where s.edge = edges.key)`, ids),
		db.S(`
update edges
set
  declared = 'site',
  weight = 1,
  note = '',
  valid_from = null,
  valid_to = null
where id in (select value from json_each(?1))`, ids),
	}
	for _, e := range p.unlinks {
		statements = append(statements, db.S(`delete from unlinked where id = ?2 and (from_id, to_id) = (?1, ?3)`, e.From, e.ID, e.To))
	}
	return statements
}

// insertEdges returns the statements that store new edges with their stamps.
func (p *plan) insertEdges(all []edgeLine) []db.Stmt {
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

// updateEdges returns the statements that set changed edges to their joined state.
func (p *plan) updateEdges() (statements []db.Stmt) {
	for _, e := range p.relinks {
		statements = append(statements, db.S(`
update edges
set
  rel = ?5,
  weight = ?6,
  note = ?7,
  valid_from = ?8,
  valid_to = ?9,
  origin = ?10,
  actor = ?11,
  basis = coalesce(nullif(?12, ''), basis),
  created_at = ?13,
  declared = 'explicit'
where from_key = (select key from memories where id = ?1)
  and to_key = (select key from memories where id = ?2)
  and kind = +?3
  and (id = ?4 or rel = ?5)`, e.From, e.To, e.EdgeType, e.ID, e.Rel, *e.Weight, e.Note, e.ValidFrom, e.ValidTo, e.Origin, *e.Actor, e.Basis, e.CreatedAt))
	}
	return statements
}

// markSuperseded returns the statement that supersedes memories without a known successor.
func (p *plan) markSuperseded() []db.Stmt {
	if len(p.superseded) == 0 {
		return nil
	}
	return []db.Stmt{db.S(`
update memories
set status = 'superseded'
where id in (select value from json_each(?))
  and status = 'current'`, db.List(p.superseded))}
}

// stampUpdated returns the statements that replace the stamps which triggers gave to the
// changed memories and edges by the joined ones.
func (p *plan) stampUpdated() []db.Stmt {
	ids, rows := []string{}, db.Rows{}
	for _, u := range p.updates {
		ids = append(ids, u.new.ID)
		u.new.Changed.addRows(&rows, u.new.ID)
	}
	for _, e := range append(slices.Clone(p.relinks), p.links...) {
		ids = append(ids, e.ID)
		e.Changed.addRows(&rows, e.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	return []db.Stmt{
		db.S(`delete from stamps where id in (select value from json_each(?))`, db.List(ids)),
		db.S(insertStamps, rows.Arg()),
	}
}

// keepMissing returns the statements that remember edges outside the graph: removed ones
// and unsettled ones.
func (p *plan) keepMissing() (statements []db.Stmt) {
	for _, l := range p.voidRemovals {
		statements = append(statements, db.S(`delete from unlinked where (from_id, to_id, kind, rel) = (?, ?, ?, ?)`, l.From, l.To, l.EdgeType, l.Rel))
	}
	for _, l := range p.newRemovals {
		statements = append(statements, db.S(`
insert into unlinked (from_id, to_id, kind, rel, id, namespace, at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
on conflict (from_id, to_id, kind, rel) do update
set
  id = excluded.id,
  at = excluded.at`, l.From, l.To, l.EdgeType, l.place().rel, l.ID, l.namespace(), l.At))
	}
	for _, e := range p.unsettled {
		statements = append(statements, insertUnsettled(&e, p.namespaces[e.ID]))
	}
	if len(p.settled) > 0 {
		statements = append(statements, db.S(`delete from unsettled where id in (select value from json_each(?))`, db.List(p.settled)))
	}
	return statements
}

// keepBefore returns the statements that save the state which undo needs besides the
// journal.
func (p *plan) keepBefore(batch int64) []db.Stmt {
	memories := append(
		edges.Keys(p.inserts, func(m memoryLine) string { return m.ID }),
		edges.Keys(p.updates, func(u revision) string { return u.new.ID })...)
	edgeIDs := edges.Keys(slices.Concat(p.links, p.relinks, p.unsettled), func(e edgeLine) string { return e.ID })
	places := [][4]string{}
	for _, l := range slices.Concat(p.newRemovals, p.voidRemovals) {
		places = append(places, [4]string{l.From, l.To, l.EdgeType, l.place().rel})
	}
	for _, e := range p.unlinks {
		places = append(places, [4]string{e.From, e.To, e.EdgeType, e.place().rel})
	}
	return journal.KeepBeforeMerge(batch, memories, slices.Concat(p.unlinkIDs(), p.settled, edgeIDs), places)
}
