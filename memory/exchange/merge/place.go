package merge

import (
	"slices"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory/exchange/lines"
	"hence/memory/journal"
)

// statements returns the statements that write the plan, none if it changes nothing. They
// fail with ErrMoved if the journal has grown since the plan's snapshot, or had rows then that
// nobody had kept up.
func (p *plan) statements(m *merge) []db.Stmt {
	statements := slices.Concat(
		p.renewStatements(),
		lines.InsertNew(p.inserts),
		lines.UpdateMemories(p.updates),
		purgeStatements(p.purges, p.purged),
		p.removeEdges(),
		lines.InsertNewEdges(p.links),
		lines.UpdateEdges(p.relinks),
		p.markSuperseded(),
		lines.StampUpdated(p.updates, slices.Concat(p.relinks, p.links)),
		p.keepMissing(),
	)
	if len(statements) == 0 {
		return nil
	}
	before := append([]db.Stmt{db.Expect(`(select coalesce(max(seq), 0) from journal) = ?`, lines.ErrMoved, p.seq), lines.ExpectKept}, p.keepBefore(m.number)...)
	// Old removals are deleted, and so are the states from before old merges.
	return append(append(before, statements...),
		db.S(`
delete from before_merges
where batch not in (select distinct batch from before_merges order by batch limit ?)`, journal.KeptMerges),
		db.S(`delete from unlinked where at < ?`, p.forgetsBefore),
		db.S(`delete from purged where at < ?`, p.forgetsBefore))
}

// renewStatements returns the statements that purge memories which come in again.
func (p *plan) renewStatements() []db.Stmt {
	return purgeStatements(lists.Map(p.renewed, func(l lines.Removed) string { return l.ID }), p.renewed)
}

// purgeStatements returns the statements that purge memories and remember their purge.
func purgeStatements(ids []string, purged []lines.Removed) (statements []db.Stmt) {
	if len(ids) > 0 {
		statements = append(statements, db.S(`delete from memories where id in (select value from json_each(?))`, db.List(ids)))
		statements = append(statements, db.EraseDeleted...)
	}
	for _, l := range purged {
		statements = append(statements, db.S(`
insert into purged (id, namespace, at)
values (?1, ?2, ?3)
on conflict (id) do update set at = excluded.at`, l.ID, l.InNamespace(), l.At))
	}
	return statements
}

func (p *plan) unlinkIDs() []string {
	return lists.Map(p.unlinks, func(e lines.Edge) string { return e.ID })
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
		db.S(`delete from stamps where id in (select value from json_each(?1))`, ids),
	}
	statements = append(statements, db.Upkeep...)
	for _, e := range p.unlinks {
		statements = append(statements, db.S(`delete from unlinked where id = ?2 and (from_id, to_id) = (?1, ?3)`, e.From, e.ID, e.To))
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

// keepMissing returns the statements that remember edges outside the graph: removed ones
// and unsettled ones.
func (p *plan) keepMissing() (statements []db.Stmt) {
	for _, l := range p.voidRemovals {
		statements = append(statements, db.S(`delete from unlinked where (from_id, to_id, kind, rel) = (?, ?, ?, ?)`, l.From, l.To, l.Kind, l.Rel))
	}
	for _, l := range p.newRemovals {
		statements = append(statements, lines.InsertRemoved(&l))
	}
	for _, e := range p.unsettled {
		statements = append(statements, lines.InsertUnsettled(&e, p.namespaces[e.ID]))
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
		lists.Map(p.inserts, func(m lines.Memory) string { return m.ID }),
		lists.Map(p.updates, func(u lines.Revision) string { return u.New.ID })...)
	edgeIDs := lists.Map(slices.Concat(p.links, p.relinks, p.unsettled), func(e lines.Edge) string { return e.ID })
	places := slices.Concat(
		lists.Map(slices.Concat(p.newRemovals, p.voidRemovals), func(l lines.Removed) [4]string { return [4]string{l.From, l.To, l.Kind, l.Place().Rel} }),
		lists.Map(p.unlinks, func(e lines.Edge) [4]string { return [4]string{e.From, e.To, e.Kind, e.Place().Rel} }))
	return journal.KeepBeforeMerge(batch, db.List(memories), db.List(slices.Concat(p.unlinkIDs(), p.settled, edgeIDs)), db.List(places))
}
