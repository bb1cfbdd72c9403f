package memory

import (
	"context"
	"fmt"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/internal/secret"
)

// Forget removes a memory from search and walks until Restore. With Purge, it deletes its
// record, edges and text instead, with the losing texts that merges kept of it.
func (s Store) Forget(ctx context.Context, a ForgetArgs) (ForgetResult, error) {
	return s.ForgetWith(ctx, a)
}

// ForgetWith is Forget with further statements in the same batch, before what it deletes.
func (s Store) ForgetWith(ctx context.Context, a ForgetArgs, further ...db.Stmt) (result ForgetResult, err error) {
	if err := args.Check("forget", &a); err != nil {
		return result, err
	}
	if err := db.CheckText("forget", "reason", a.Reason, 4000); err != nil {
		return result, err
	}
	m, err := s.find(ctx, a.ID)
	if err != nil {
		return result, err
	}
	var c secret.Cleaner
	c.CleanInPlace(&a.Reason)
	result = ForgetResult{Named: m.Named, Status: Forgotten, Consequences: belief.NoConsequences(), Warnings: c.Warnings()}
	loss, warnings, err := s.foresee(ctx, m, a.Purge)
	if err == nil {
		err = ref.Mark(ctx, s.DB, &[]any{&result, &loss}) // a purged memory cannot be marked afterwards
	}
	if err != nil {
		return result, err
	}
	watch, err := s.watch(ctx, m.ID)
	if err != nil {
		return result, err
	}
	a.ID = m.ID
	action, statements := "forget", []db.Stmt{ForgetStatement(a.Reason, m.ID)}
	if a.Purge {
		action, statements, result.Status = "purge", PurgeStatements(m.ID), "purged"
	}
	checks := append([]db.Stmt{s.MayForget(a), s.mayLoseVersions(a)}, further...)
	changed, err := s.DB.Write(ctx, s.Caller.Actor, db.Now(), append(checks, statements...)...)
	if err == errSaid {
		warning := asksOnly
		if a.Purge {
			warning = asksPurge
		}
		result.Status, result.Proposed, result.Warnings = m.Status, true, append(result.Warnings, warning)
		err = s.ask(ctx, m.ID, action, ForgetArgs{Reason: a.Reason})
	}
	if err != nil || result.Proposed {
		return result, err
	}
	if result.Loss, result.Warnings = loss, append(result.Warnings, warnings...); a.Purge {
		if gone := int(changed[len(checks)]); gone > 1 {
			result.Warnings = append(result.Warnings, "with it went "+plural.Count(gone-1, "text that gave way in a merge", "texts that gave way in merges"))
		}
		if where := s.DB.KeepsErased(); where != "" {
			result.Warnings = append(result.Warnings, where)
		}
		return result, nil
	}
	result.Consequences, err = db.From(ctx, s.DB.ReadBack, func(r *db.Reader) (belief.Consequences, error) { return watch.Consequences(ctx, r) })
	return result, err
}

// ForgetStatement returns the statement that forgets those of some memories that are not forgotten.
func ForgetStatement(reason string, ids ...string) db.Stmt {
	return db.S(`
update memories
set
  status = 'forgotten',
  forgotten_at = (select at from writer),
  forget_reason = nullif(?2, '')
where id in (select value from json_each(?1))
  and status <> 'forgotten'`, db.List(ids), reason)
}

// Restore makes a forgotten memory superseded if it has a successor, else current. It does not
// change a memory that is not forgotten. It fails with read_only if an agent restores a person's
// memory, and with conflict if a file of a folder held the memory and is gone.
func (s Store) Restore(ctx context.Context, a RestoreArgs) (result RestoreResult, err error) {
	if err := args.Check("restore", &a); err != nil {
		return result, err
	}
	m, err := s.find(ctx, a.ID)
	if err != nil {
		return result, err
	}
	watch, err := s.watch(ctx, m.ID)
	if err != nil {
		return result, err
	}
	refused := fault.New(fault.ReadOnly, "restore: a person said it, and only a person may restore it, with hence restore")
	_, err = s.DB.Write(ctx, s.Caller.Actor, db.Now(), db.Expect(rankOf+` <= ?2`, refused, m.ID, s.Caller.MaxRank("")), ExpectFile("restore", m.URI, m.ID), db.S(`
update memories
set
  status = `+edges.StatusByEdges+`,
  forgotten_at = null,
  forget_reason = null
where id = ?
  and status = 'forgotten'`, m.ID))
	if err != nil {
		return result, err
	}
	return result, s.DB.ReadBack(ctx, func(r *db.Reader) error {
		if result.Memory, err = readOne(ctx, r, m.ID); err == nil {
			result.Memory.Content = "" // it is as it was, and may be long
			result.Consequences, err = watch.Consequences(ctx, r, m.ID)
		}
		return err
	})
}

// ExpectFile returns a statement that fails with conflict if a folder of the store held a memory and
// has neither its file nor its symbol any more: no import would forget the memory again.
func ExpectFile(operation, name, id string) db.Stmt {
	return db.Expect(`
not exists (
  select 1
  from memories m
  join mirrors v on v.name = m.actor and v.namespace = m.namespace
  where m.id = ?
    and m.uri is not null
    and not `+ref.IsOfFile+`
)`, fault.New(fault.Conflict, "%s: the file that held %s is gone; put it back and import its folder again, or store the text that hence get shows as a new memory", operation, name), id)
}

// maxLoss is the most memories that Loss lists as having rested on the removed one.
const maxLoss = 10

// Loss lists what else changes when a memory is removed for good.
type Loss struct {
	RestedOnIt      []belief.Resting `json:"rested_on_it,omitempty"`       // memories that rested on it
	RestedOnItCount int              `json:"rested_on_it_count,omitempty"` // all of them, if RestedOnIt does not list all
	CurrentAgain    []ref.Named      `json:"current_again,omitempty"`      // memories that it had superseded
}

// foresee returns the loss if a memory is purged, and warnings if the memory is of a file, or if nothing holds in place
// of what it replaced once it is forgotten.
func (s Store) foresee(ctx context.Context, m ref.Memory, purge bool) (l Loss, warnings []string, err error) {
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if warnings, err = warnOfFile(ctx, r, m, purge); err != nil {
			return err
		}
		replaced, err := edges.ReadReplaced(ctx, r, m.Key)
		if err != nil {
			return err
		}
		if !purge {
			if len(replaced) > 0 && m.Status == Current { // else another holds in its place, or nothing did before
				warnings = append(warnings, "it replaced "+lists.Join(replaced, ", ", ref.Named.Text)+", and nothing holds in its place now: unlink the two where the earlier one holds again")
			}
			return nil
		}
		l.CurrentAgain = replaced
		rested, n, err := belief.RestingOn(ctx, r, []string{m.ID}, maxLoss)
		if err != nil {
			return err
		}
		if l.RestedOnIt = rested; n > len(rested) {
			l.RestedOnItCount = n
		}
		return nil
	})
	return l, warnings, err
}

// warnOfFile returns a warning if a memory is of a file that still exists, because an import
// brings such a memory back.
func warnOfFile(ctx context.Context, r *db.Reader, m ref.Memory, purge bool) ([]string, error) {
	isOfFile, _, err := db.One[bool](ctx, r, `
select `+ref.IsOfFile+` from memories m where key = ?`, m.Key)
	if err != nil || !isOfFile {
		return nil, err
	}
	when := "when it is edited"
	if purge {
		when = "with the next import, under a new id and without the edges that were made to it"
	}
	return []string{fmt.Sprintf("%s is still there, and the memory comes back %s; to be rid of it, delete or move the file", m.URI, when)}, nil
}

// OtherEdit is the tag of a memory that keeps the losing text of a merge. The memory whose
// text it was supersedes it.
const OtherEdit = "conflicting-edit"

// WithOtherEdits selects the keys of the memories with the ids ?1 and of those that keep their losing
// texts of merges, which have the tag ?2, OtherEdit.
const WithOtherEdits = `
  with recursive texts (key) as (
    select key from memories where id in (select value from json_each(?1))
    union
    select e.to_key
    from texts t
    join edges e on e.from_key = t.key and e.kind = 'supersedes'
    join memories m on m.key = e.to_key
    where exists (select 1 from json_each(m.tags) where value = ?2)
  )
  select key from texts
`

// PurgeStatements returns the statements that remove memories for good, with the memories that
// keep their losing texts of merges. The first deletes them.
func PurgeStatements(ids ...string) []db.Stmt {
	return append([]db.Stmt{db.S(`
delete from memories
where key in (`+WithOtherEdits+`)`, db.List(ids), OtherEdit)}, db.EraseDeleted...)
}
