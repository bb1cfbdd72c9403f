package journal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
)

// UndoArgs name a change.
type UndoArgs struct {
	Seq   int64 `json:"seq,omitempty" min:"1" jsonschema:"number of the change; default: all that the last command did"`
	Whole bool  `json:"whole,omitempty" jsonschema:"all that was done together with the change"`
}

// UndoResult is what was taken back, the latest first.
type UndoResult struct {
	Undone []Change `json:"undone"`
	By     int64    `json:"by" jsonschema:"the change that took it back; undoing it brings all of it back"`
}

const (
	maxBefore = 20 // changes looked at for one that can be taken back
	maxTries  = 8
)

// Undo takes a change back: the one that is named, or all that was done by
// the last command that has not been taken back. It lands whole or not at all,
// and is in the journal itself, so that it can be taken back too. A memory
// that was stored is forgotten, not deleted.
//
// It fails with conflict when something has been done to the same memory or
// edge since, and with invalid_argument for what has no way back: a purge, a
// verification, and what a note in a vault says. What was done together is taken
// back together: where some of it is of another namespace than the caller's, that
// is refused with invalid_argument as well. So is what concerns the files of a
// vault, which package vault/writing undoes: see VaultBatch.
func (j Journal) Undo(ctx context.Context, a UndoArgs) (result UndoResult, err error) {
	if err := args.Check("undo", &a); err != nil {
		return result, err
	}
	for range maxTries {
		result, err = j.try(ctx, a)
		if !errors.Is(err, errMoved) {
			return result, err
		}
	}
	return result, err
}

// errMoved is that somebody wrote between the plan and its execution. The plan
// is made from a snapshot, and holds only for it.
var errMoved = fault.New(fault.Conflict, "undo: others are writing too; try again")

func (j Journal) try(ctx context.Context, a UndoArgs) (result UndoResult, err error) {
	var statements []db.Stmt
	err = j.DB.Read(ctx, func(r *db.Reader) error {
		last, _, err := db.One[int64](ctx, r, `select coalesce(max(seq), 0) from journal`)
		if err != nil {
			return err
		}
		if result.Undone, err = j.chosen(ctx, r, a); err != nil {
			return err
		}
		result.By = last + 1
		statements = []db.Stmt{db.Expect(`(select coalesce(max(seq), 0) from journal) = ?`, errMoved, last)}
		back, err := plan(ctx, r, result.Undone)
		if a.Seq == 0 && fault.CodeOf(err) == fault.InvalidArgument {
			return j.orBefore(ctx, r, result.Undone[len(result.Undone)-1].Seq, err)
		}
		if err != nil {
			return err
		}
		statements = append(append(statements, back...), marks(result)...)
		return nil
	})
	if err != nil {
		return UndoResult{}, err
	}
	if statements, err = j.joinBatch(ctx, statements, len(result.Undone)); err != nil {
		return UndoResult{}, err
	}
	if _, err = j.DB.Write(ctx, j.Caller.Actor, db.Now(), statements...); err != nil {
		return UndoResult{}, err
	}
	return result, nil
}

// aFew is how many changes made together the log lists one by one.
const aFew = 20

// joinBatch makes a batch of an undo of many changes, so that the log has one line
// for it.
func (j Journal) joinBatch(ctx context.Context, statements []db.Stmt, changes int) ([]db.Stmt, error) {
	if changes <= aFew {
		return statements, nil
	}
	number, err := memory.NewBatch(ctx, j.DB)
	batch := memory.Batch{Number: number, Operation: "undo", Namespace: j.Caller.Namespace}
	return append(append(statements, batch.Open()), batch.Close()...), err
}

// plan returns the statements that take changes back together.
func plan(ctx context.Context, r *db.Reader, together []Change) (statements []db.Stmt, err error) {
	for _, c := range together {
		if err := unchangedSince(ctx, r, c, together); err != nil {
			return nil, err
		}
		back, err := reverse(ctx, r, c, together)
		if err != nil {
			return nil, err
		}
		statements = append(statements, back...)
	}
	return statements, nil
}

// orBefore adds to the error of what the last command did, which has no way
// back, the number of the latest change before it that has one.
func (j Journal) orBefore(ctx context.Context, r *db.Reader, seq int64, refused error) error {
	before, err := db.Select(ctx, r, scanChange, selectNotUndone+`
  and j.seq < ?2
  and j.action not in ('supersede', 'reinstate', 'verify', 'purge')
  and not exists (select 1 from batches a where a.batch = j.batch and a.vault <> '')
order by j.seq desc
limit ?3`, j.Caller.Namespace, seq, maxBefore)
	if err != nil {
		return err
	}
	found, _, err := db.One[int64](ctx, r, selectWriteBefore, j.Caller.Namespace, seq)
	if err != nil {
		return err
	}
	for _, c := range before {
		together, err := j.chosen(ctx, r, UndoArgs{Seq: c.Seq})
		if err == nil {
			_, err = plan(ctx, r, together)
		}
		if err == nil {
			found = max(found, c.Seq)
			break
		}
	}
	if found == 0 {
		return refused
	}
	return fault.New(fault.InvalidArgument, "%v; hence undo %d takes back what was before it", refused, found)
}

// selectWriteBefore selects the last change of the latest write of notes before
// one that can be taken back.
const selectWriteBefore = `
select coalesce(max(a.upto), 0)
from batches a
where a.upto < ?2
  and a.kept is not null
  and a.changes > 0
  and a.undoes is null
  and a.undone_by is null
  and ?1 in ('', a.namespace)`

// marks returns the statements that say what took what back. An undo that is
// taken back no longer counts.
func marks(result UndoResult) []db.Stmt {
	statements := []db.Stmt{}
	for _, c := range result.Undone {
		statements = append(statements,
			db.S(`update journal set undone_by = null where undone_by = ?`, c.Seq),
			db.S(`update journal set undone_by = ?2 where seq = ?1`, c.Seq, result.By))
	}
	return statements
}

// chosen returns the changes that are to be taken back, the latest first.
func (j Journal) chosen(ctx context.Context, r *db.Reader, a UndoArgs) ([]Change, error) {
	if a.Seq == 0 {
		return j.lastBatch(ctx, r)
	}
	seq := a.Seq
	c, err := j.one(ctx, r, seq)
	if err != nil {
		return nil, err
	}
	if c.UndoneBy != 0 {
		return nil, fault.New(fault.Conflict, "undo: change %d was taken back by change %d already; hence undo %d brings it back", seq, c.UndoneBy, c.UndoneBy)
	}
	if err := refuseFiles(ctx, r, seq); err != nil {
		return nil, err
	}
	batch, err := j.batch(ctx, r, seq)
	if err != nil {
		return nil, err
	}
	undo, err := isUndo(ctx, r, batch)
	switch {
	case err != nil:
		return nil, err
	case undo, a.Whole: // an undo goes whole
		return batch, j.within(batch, seq, "undo it without --namespace")
	case c.Action == "store":
		return tiedBy(batch, c), nil
	}
	return []Change{c}, nil
}

// selectNotUndone are the changes that are neither of an undo nor taken back.
const selectNotUndone = selectChange + `
where j.undone_by is null
  and ?1 in ('', j.namespace)
  and not exists (
    select 1
    from journal u
    join journal f on f.seq = u.undone_by
    where u.undone_by is not null
      and f.batch = j.batch
  )
  and not exists (
    select 1
    from batches a
    where a.batch = j.batch
      and (a.undoes is not null or a.undone_by is not null)
  )`

// lastBatch returns what the last command did that is neither an undo nor taken
// back.
func (j Journal) lastBatch(ctx context.Context, r *db.Reader) ([]Change, error) {
	last, err := j.lastSeq(ctx, r)
	if err != nil {
		return nil, err
	}
	if last == 0 {
		return nil, fault.New(fault.NotFound, "undo: there is nothing left to undo; hence log lists the changes")
	}
	if err := refuseFiles(ctx, r, last); err != nil {
		return nil, err
	}
	batch, err := j.batch(ctx, r, last)
	if err != nil {
		return nil, err
	}
	return batch, j.within(batch, last, "undo it without --namespace, or undo single changes by their number")
}

// within refuses changes made together that reach beyond the caller's
// namespace. Purged memories no longer have a namespace; reverse reports that
// they cannot be undone.
func (j Journal) within(batch []Change, seq int64, mend string) error {
	own := j.Caller.Namespace
	for _, c := range batch {
		if own != "" && c.namespace != "" && c.namespace != own {
			return fault.New(fault.InvalidArgument, "undo: change %d was made together with changes in other namespaces than %q; %s", seq, own, mend)
		}
	}
	return nil
}

// batch returns the changes that were made together with one, the latest first.
// Those of one transaction are adjacent; an import, whose number is below zero,
// may have changes of others in between. Of what the sqlite3 shell did, it is what
// is around it of the same time.
func (j Journal) batch(ctx context.Context, r *db.Reader, seq int64) ([]Change, error) {
	found, err := db.Select(ctx, r, scanChange, selectChange+`
join journal c on c.seq = ?1
where j.batch is c.batch
  and (c.batch < 0 or j.at = c.at)
  and j.seq > iif(
    c.batch < 0,
    0,
    coalesce((select seq from journal where seq < ?1 and (batch, at) is not (c.batch, c.at) order by seq desc limit 1), 0)
  )
  and j.seq < iif(
    c.batch < 0,
    9e18,
    coalesce((select seq from journal where seq > ?1 and (batch, at) is not (c.batch, c.at) order by seq limit 1), 9e18)
  )
order by j.seq desc
limit ?2`, seq, memory.MaxUndone+1)
	if err == nil && len(found) > memory.MaxUndone {
		err = fault.New(fault.TooLarge, "undo: change %d is one of more than %d made together; undo single ones by their number, or take a backup back with hence backup --restore", seq, memory.MaxUndone)
	}
	return found, err
}

func isUndo(ctx context.Context, r *db.Reader, batch []Change) (bool, error) {
	n, _, err := db.One[int](ctx, r, `select count(*) from journal where undone_by = ?`, batch[len(batch)-1].Seq)
	return n > 0, err
}

// tiedBy returns the storing of a memory with the edges that came with it and
// are there.
func tiedBy(batch []Change, stored Change) []Change {
	return slices.DeleteFunc(slices.Clone(batch), func(c Change) bool {
		return c.Seq != stored.Seq && !(c.Action == "link" && (c.from == stored.ID || c.to == stored.ID))
	})
}

// unchangedSince refuses to take back a change of something that has been
// changed again. What was taken back since, and the taking back, do not count.
func unchangedSince(ctx context.Context, r *db.Reader, c Change, together []Change) error {
	later, err := db.Select(ctx, r, scanChange, selectChange+`
where j.id = ?1
  and j.seq > ?2
  and j.undone_by is null
  and j.action not in ('supersede', 'reinstate')
  and not exists (
    select 1
    from journal u
    join journal f on f.seq = u.undone_by
    where u.id = j.id
      and f.batch = j.batch
  )
order by j.seq`, c.ID, c.Seq)
	if err != nil {
		return err
	}
	for _, l := range later {
		if !slices.ContainsFunc(together, func(t Change) bool { return t.Seq == l.Seq }) {
			return fault.New(fault.Conflict, "undo: %s was changed again since (%s, change %d); undo that first, or change it by hand", c.name(), l.Action, l.Seq).
				With("change", l.Seq)
		}
	}
	return nil
}

// name is how an error calls what a change is about.
func (c Change) name() string {
	switch {
	case c.Title == "":
		return c.Thing + " " + c.ID
	case c.Thing == "edge":
		return "the edge " + c.Title + " —" + strings.Replace(c.What, " →", "→", 1)
	}
	return `"` + c.Title + `"`
}
