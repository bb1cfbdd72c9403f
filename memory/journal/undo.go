package journal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
)

// UndoArgs name a change; Seq 0 means the last command.
type UndoArgs struct {
	Seq   int64 `json:"seq,omitempty" min:"1" jsonschema:"number of the change; default: all that the last command did"`
	Whole bool  `json:"whole,omitempty" jsonschema:"all that was done together with the change"`
}

// UndoResult lists the changes that were undone, the latest first.
type UndoResult struct {
	Undone []Change `json:"undone"`
	Purged int      `json:"purged,omitempty" jsonschema:"memories that a merge purged, and that stay so"`
	By     int64    `json:"by" jsonschema:"the change that took it back; undoing it brings all of it back"`
}

const (
	maxTries = 8
	aFew     = 20 // the log lists the changes of an undo one by one up to this number
)

// Undo reverses the named change, or the last batch that is neither an undo nor
// undone: all or nothing. The undo is in the journal too, and can be undone. A
// memory that was stored is forgotten, not deleted.
//
// It fails with conflict if the same memory or edge was changed since, and with
// invalid_argument for a purge, a change that a note's file made, a
// batch that reaches beyond the caller's namespace, and a batch that wrote files of
// a vault, which package vault/writing undoes: see VaultBatch.
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

// ErrUndone returns the conflict for a change that the change undo has already undone.
func ErrUndone(seq, undo int64) error {
	return fault.New(fault.Conflict, "undo: change %d is already undone by change %d; hence undo %d brings it back", seq, undo, undo)
}

// errMoved says that somebody wrote after the snapshot from which the undo was
// planned.
var errMoved = fault.New(fault.Conflict, "undo: others are writing too; try again")

// try plans an undo on a snapshot, and writes it. It fails with errMoved if the journal has
// grown in between.
func (j Journal) try(ctx context.Context, a UndoArgs) (result UndoResult, err error) {
	var statements []db.Stmt
	var following []Change
	var merged mergedState
	err = j.DB.Read(ctx, func(r *db.Reader) error {
		last, _, err := db.One[int64](ctx, r, `select coalesce(max(seq), 0) from journal`)
		if err != nil {
			return err
		}
		if result.Undone, following, err = j.choose(ctx, r, a); err != nil {
			return err
		}
		result.By = last + 1
		statements = []db.Stmt{db.Expect(`(select coalesce(max(seq), 0) from journal) = ?`, errMoved, last)}
		if merged, err = readMerged(ctx, r, result.Undone); err != nil {
			return err
		}
		back, err := j.plan(ctx, r, result.Undone, merged)
		if a.Seq == 0 && fault.CodeOf(err) == fault.InvalidArgument {
			return PointToLog(err)
		}
		if err != nil {
			return err
		}
		statements = append(statements, back...)
		for _, c := range slices.Concat(result.Undone, following) { // if c is an undo, the changes that it undid are in force again
			statements = append(statements,
				db.S(`update journal set undone_by = null where undone_by = ?`, c.Seq),
				db.S(`update journal set undone_by = ?2 where seq = ?1`, c.Seq, result.By))
		}
		return nil
	})
	if err != nil {
		return UndoResult{}, err
	}
	if len(result.Undone) > aFew || merged.batch != 0 { // one line of the log
		batch := Batch{Operation: "undo", Namespace: j.Caller.Namespace}
		if batch.Number, err = NewBatch(ctx, j.DB); err != nil {
			return UndoResult{}, err
		}
		if merged.batch != 0 { // the present rows are kept for the undo of this undo
			statements = slices.Insert(statements, 1, KeepBeforeMerge(batch.Number, merged.memories, merged.edges, merged.removals)...)
			statements = append(statements, restoreKept(merged.batch)...)
		}
		statements = append(append(statements, batch.Open()), batch.Close()...)
	}
	if _, err = j.DB.Write(ctx, j.Caller.Actor, db.Now(), statements...); err != nil {
		return UndoResult{}, err
	}
	if merged.batch != 0 {
		all := len(result.Undone)
		result.Undone = slices.DeleteFunc(result.Undone, func(c Change) bool { return c.Action == "purge" })
		result.Purged = all - len(result.Undone)
	}
	return result, nil
}

// plan returns the statements that undo changes together.
func (j Journal) plan(ctx context.Context, r *db.Reader, together []Change, merged mergedState) (statements []db.Stmt, err error) {
	for _, c := range merged.undone(together) {
		if err := j.unchangedSince(ctx, r, c, together); err != nil {
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

// choose returns the changes to undo, and the changes that follow from them by the schema: these go with
// them, and are only marked as undone. The latest come first.
func (j Journal) choose(ctx context.Context, r *db.Reader, a UndoArgs) (chosen, following []Change, err error) {
	seq, mend := a.Seq, "undo it without --namespace"
	if seq == 0 { // the last batch that is neither an undo nor undone
		last, err := j.lastSeq(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		if last == 0 {
			return nil, nil, fault.New(fault.NotFound, "undo: there is nothing left to undo; hence log lists the changes")
		}
		seq, mend, a.Whole = last, mend+", or undo single changes by their number", true
	}
	c, err := j.changeAt(ctx, r, seq)
	if err != nil {
		return nil, nil, err
	}
	if c.UndoneBy != 0 {
		return nil, nil, ErrUndone(seq, c.UndoneBy)
	}
	if err := refuseFiles(ctx, r, seq); err != nil {
		return nil, nil, err
	}
	batch, err := j.batch(ctx, r, seq)
	if err != nil {
		return nil, nil, err
	}
	whole, _, err := db.One[bool](ctx, r, `
select ?2 in (select undone_by from journal where undone_by is not null)
  or exists (
    select 1
    from journal j
    join batches a on a.batch = j.batch
    where j.seq = ?1
      and a.operation = 'merge'
  )`, seq, batch[len(batch)-1].Seq) // an undo, or a merge
	switch {
	case err != nil:
		return nil, nil, err
	case whole, a.Whole:
		batch = slices.DeleteFunc(batch, func(one Change) bool { return one.UndoneBy != 0 }) // by its own number
		return batch, nil, j.checkNamespaces(batch, seq, mend)
	}
	for i := len(batch) - 1; i >= 0; i-- {
		switch one := batch[i]; {
		case one.Seq == seq, c.Action == "store" && one.Action == "link" && (one.from == c.ID || one.to == c.ID): // with the edges that came with it and exist
			chosen = append(chosen, one)
		case follows(one, batch[i+1:], chosen):
			following = append(following, one)
		}
	}
	slices.Reverse(chosen)
	return chosen, following, nil
}

// follows reports whether a change of a memory's status follows from one of the changes chosen: a trigger
// makes it right after that of an edge. before are the changes before it, the latest first.
func follows(status Change, before, chosen []Change) bool {
	edge := slices.IndexFunc(before, func(one Change) bool { return one.Thing == "edge" })
	return (status.Action == "supersede" || status.Action == "reinstate") && edge >= 0 &&
		slices.ContainsFunc(chosen, func(one Change) bool { return one.Seq == before[edge].Seq })
}

// selectNotUndone are the changes that are neither part of an undo nor undone.
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

// checkNamespaces refuses a batch that reaches beyond the caller's namespace. Purged
// memories no longer have a namespace; reverse reports that they cannot be undone.
func (j Journal) checkNamespaces(batch []Change, seq int64, mend string) error {
	own := j.Caller.Namespace
	for _, c := range batch {
		if own != "" && c.namespace != "" && c.namespace != own {
			return fault.New(fault.InvalidArgument, "undo: change %d was made together with changes in other namespaces than %q; %s", seq, own, mend)
		}
	}
	return nil
}

// batch returns the changes of the batch that a change is part of, the latest
// first. Those of one transaction are adjacent; a batch of several, whose number is
// below zero, may have other changes in between. Changes by the sqlite3 shell belong
// together if they are adjacent and have the same time.
func (j Journal) batch(ctx context.Context, r *db.Reader, seq int64) ([]Change, error) {
	changes, err := db.Select(ctx, r, scanChange, selectChange+`
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
limit ?2`, seq, MaxUndone+1)
	if err == nil && len(changes) > MaxUndone {
		err = fault.New(fault.TooLarge, "undo: change %d is one of more than %d made together; undo single changes by their number, or restore a backup with hence backup --restore", seq, MaxUndone)
	}
	return changes, err
}

// unchangedSince refuses to undo a change of a memory or edge that was changed
// later. Changes that were undone, and undos, do not count. It advises to undo no change but
// the caller's own.
func (j Journal) unchangedSince(ctx context.Context, r *db.Reader, c Change, together []Change) error {
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
			by, mend := " by "+l.Actor, "change it by hand"
			if l.Actor == j.Caller.Actor {
				by, mend = "", "undo that first, or change it by hand"
			}
			return fault.New(fault.Conflict, "undo: %s was changed again since%s (%s, change %d); %s", c.name(), by, l.Action, l.Seq, mend).
				With("change", l.Seq)
		}
	}
	return nil
}

// name returns what an error calls the memory or edge of a change.
func (c Change) name() string {
	switch {
	case c.Title == "":
		return c.Thing + " " + c.ID
	case c.Thing == "edge":
		return "the edge " + c.Title + " —" + strings.Replace(c.What, " →", "→", 1)
	}
	return `"` + c.Title + `"`
}
