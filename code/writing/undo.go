package writing

import (
	"context"
	"errors"

	"hence/code"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/journal"
	"hence/projection"
	"hence/projection/undolog"
)

// UndoResult is a patch that was undone.
type UndoResult struct {
	Repository string `json:"repository"`
	Operation  string `json:"operation"` // the operation that was undone
	Path       string `json:"path"`
	By         int64  `json:"by"` // number of the change that undid it; it can be undone too
}

// Undo undoes a patch; ok is false if the arguments do not name a change of a repository.
// The undo is itself a write that can be undone. It fails with conflict, and the hash, if
// the file is not as the patch left it; with invalid_argument for a change that cannot be
// undone; and as Patch does.
func (w Writer) Undo(ctx context.Context, a journal.UndoArgs) (result UndoResult, ok bool, err error) {
	batch, ok, err := journal.Journal(w.View).VaultBatch(ctx, a)
	if err != nil || !ok {
		return result, false, err
	}
	form, _, err := db.One[string](ctx, w.DB, `select form from mirrors where name = ?`, batch.Vault)
	if err != nil || form != "code" {
		return result, false, err
	}
	switch {
	case batch.UndoneBy != 0:
		return result, true, journal.ErrUndone(batch.Seq, batch.UndoneBy)
	case batch.Operation == "import" || batch.Operation == "forget":
		return result, true, fault.New(fault.InvalidArgument, "undo: change %d is an %s of the repository %s and cannot be undone, because symbols are what the files say; import it again, or forget it with hence forget --vault %s", batch.Seq, batch.Operation, batch.Vault, batch.Vault)
	case !batch.Kept:
		return result, true, fault.New(fault.InvalidArgument, "undo: change %d (%s) cannot be undone: the old bytes are not kept; Hence keeps those of the last %d writes, up to %d MB; restore the file from its repository", batch.Seq, batch.Operation, undolog.MaxBatches, undolog.MaxBytes>>20)
	}
	v, err := w.repository(ctx, "undo", batch.Vault)
	if err != nil {
		return result, true, err
	}
	result, err = w.undo(ctx, batch, v)
	return result, true, err
}

// undo writes the bytes from before a patch back into its file.
func (w Writer) undo(ctx context.Context, batch journal.Batch, v projection.Vault) (result UndoResult, err error) {
	f, err := code.OpenFolder("undo", v)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	p := code.Place{Folder: f, Repository: v}
	unlock, err := w.importer().Mirror().Hold(ctx, "undo", v, f)
	if err != nil {
		return result, err
	}
	defer unlock()
	if batch, err = journal.Journal(w.View).StandingBatch(ctx, batch.Number); err != nil {
		return result, err
	}
	entries, err := w.log().Entries(ctx, batch.Number, true)
	if err != nil {
		return result, err
	}
	if len(entries) != 1 {
		return result, fault.New(fault.Internal, "undo: change %d changed %d files, and a patch changes one", batch.Seq, len(entries))
	}
	e := entries[0]
	state, hash, err := undolog.Compare("undo", f, e.Change)
	if err != nil {
		return result, err
	}
	if state != undolog.AsAfter {
		return result, fault.New(fault.Conflict, "undo: %s has changed since %s wrote it: its content hash is %s, not %s; undo the later edit first, or edit the file by hand", e.After, batch.Operation, hash, e.HashAfter).
			With("path", e.After).With("content_hash", hash)
	}
	p.Path = e.After
	text, err := p.Bytes("undo")
	if err != nil {
		return result, err
	}
	undo, err := w.put(ctx, journal.Batch{Operation: "undo", Vault: v.Name, Namespace: v.Namespace, What: p.Path, Undoes: batch.Number}, p, text, e.Source)
	if err != nil {
		return result, err
	}
	done, err := journal.Journal(w.View).BatchByNumber(ctx, undo.Number)
	return UndoResult{v.Name, batch.Operation, p.Path, done.Seq}, err
}
