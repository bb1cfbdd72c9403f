package writing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/journal"
	"hence/projection/undolog"
	"hence/vault"
)

// UndoResult is an undone write to the files of a vault, or its undone first import.
type UndoResult struct {
	Vault     string                   `json:"vault"`
	Operation string                   `json:"operation"` // that was undone: create_note, import …
	Notes     []UndoneNote             `json:"notes"`
	Forgotten *vault.ForgetVaultResult `json:"forgotten,omitempty"` // of a first import
	By        int64                    `json:"by"`                  // the change that undid it; to undo that change is to redo
	Warnings  []string                 `json:"warnings"`
}

// UndoneNote is a file that is as it was before the undone write.
type UndoneNote = undolog.Restored

// Undo undoes a write of Hence to a vault, or the first import of one. ok is false if the
// arguments name another change, which journal.Journal.Undo undoes. Files get their old
// bytes, a note that was created is removed, and a note that was moved is moved back as
// MoveNote does, so that links written since still lead to it. An undo is itself a write
// that can be undone.
//
// It fails with conflict, and the hashes, if a file is not as the write left it; with
// invalid_argument for an import other than the first, and for a write whose bytes are not
// kept; and as the other writes do.
func (w Writer) Undo(ctx context.Context, a journal.UndoArgs) (result UndoResult, ok bool, err error) {
	if err := w.vaults().Mirror().SettleAll(ctx); err != nil {
		return result, false, err
	}
	batch, ok, err := journal.Journal(w.View).VaultBatch(ctx, a)
	if err != nil || !ok {
		return result, ok, err
	}
	result, err = w.undo(ctx, batch)
	if fault.CodeOf(err) == fault.InvalidArgument && a.Seq == 0 {
		err = journal.PointToLog(err)
	}
	return result, true, err
}

func (w Writer) undo(ctx context.Context, batch journal.Batch) (UndoResult, error) {
	switch {
	case batch.UndoneBy != 0:
		return UndoResult{}, journal.ErrUndone(batch.Seq, batch.UndoneBy)
	case batch.Operation == "import" && batch.First:
		return w.undoFirstImport(ctx, batch)
	case batch.Operation == "import":
		return UndoResult{}, fault.New(fault.InvalidArgument, "undo: change %d is an import of the vault %s and cannot be undone, because the notes are what their files say; edit the files and import them again, or forget the vault with hence forget --vault %s", batch.Seq, batch.Vault, batch.Vault)
	case batch.Operation == "forget":
		return UndoResult{}, fault.New(fault.InvalidArgument, "undo: change %d forgot the vault %s; hence import %s brings it back", batch.Seq, batch.Vault, batch.What)
	case !batch.Kept:
		return UndoResult{}, fault.New(fault.InvalidArgument, "undo: change %d (%s) cannot be undone: the old bytes are not kept; Hence keeps those of a vault's last %d writes, up to %d MB, and none of purged notes; restore the file from a backup", batch.Seq, batch.Operation, undolog.MaxBatches, undolog.MaxBytes>>20)
	}
	return w.undoWrite(ctx, batch)
}

// undo is the undo of one write.
type undo struct {
	Writer
	*vault.OpenVault
	batch  journal.Batch   // the undo's own
	files  []undolog.Entry // the files that are as the write left them
	moved  *undolog.Entry  // the file of them that was moved, or nil
	frozen map[string]bool // path → the file stays as it is, see undolog.Entry.IsUntouched
	result UndoResult
}

// undoWrite undoes a write of notes.
func (w Writer) undoWrite(ctx context.Context, batch journal.Batch) (result UndoResult, err error) {
	v, err := w.vaults().Vault(ctx, "undo", batch.Vault)
	if err != nil {
		return result, err
	}
	o, err := vault.Open("undo", v)
	if err != nil {
		return result, err
	}
	release, err := w.hold(ctx, "undo", o, false)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if batch, err = journal.Journal(w.View).StandingBatch(ctx, batch.Number); err != nil {
		return result, err
	}
	u := &undo{
		Writer: w, OpenVault: o,
		batch:  journal.Batch{Operation: "undo", Vault: o.Name, Namespace: o.Namespace, What: batch.What, Undoes: batch.Number},
		result: UndoResult{Vault: o.Name, Operation: batch.Operation, Notes: []UndoneNote{}, Warnings: []string{}},
	}
	entries, err := w.log().Entries(ctx, batch.Number, true)
	if err != nil {
		return result, err
	}
	if u.files, u.frozen, err = undolog.AsLeft(u.Folder, batch, entries); err != nil {
		return result, err
	}
	if n := slices.IndexFunc(u.files, func(e undolog.Entry) bool { return e.IsMove() }); n >= 0 {
		u.moved = &u.files[n]
	}
	if u.moved != nil && u.moved.State != undolog.AtBoth {
		err = u.moveBack(ctx)
	} else {
		err = u.putBack(ctx)
	}
	if err != nil {
		return result, err
	}
	record, err := journal.Journal(w.View).BatchByNumber(ctx, u.batch.Number)
	if record.Changes > 0 {
		u.result.By = record.Seq
	}
	return u.result, err
}

// putBack restores, removes and creates files. None of them moves.
func (u *undo) putBack(ctx context.Context) (err error) {
	u.batch, u.result.Notes, err = u.log().PutBack(ctx, u.Folder, u.batch, u.files, func(b journal.Batch, notes []UndoneNote) error {
		for _, n := range notes {
			if err := u.vaults().Project(ctx, b, vault.File{OpenVault: u.OpenVault, Path: n.Path}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// moveBack moves a file back, and gives the other files their old bytes.
func (u *undo) moveBack(ctx context.Context) (err error) {
	m := &move{Writer: u.Writer, operation: "undo", File: vault.File{OpenVault: u.OpenVault, Path: u.moved.After}, to: u.moved.Before, contents: map[string][]byte{}, frozen: u.frozen}
	for _, e := range u.files {
		if m.frozen[e.After] = e.SameBytes; !e.SameBytes {
			m.contents[e.After] = e.Source
		}
	}
	if err := m.plan(ctx); err != nil {
		return err
	}
	if u.batch, err = m.write(ctx, u.batch); err != nil {
		return err
	}
	u.RemoveFolders(u.moved.After, u.moved.Folders)
	u.result.Warnings = append(u.result.Warnings, m.warnings...)
	u.result.Notes = append(u.result.Notes, UndoneNote{Path: u.moved.Before, From: u.moved.After, Change: "moved"})
	for _, f := range m.files {
		if f.Path != m.Path {
			u.result.Notes = append(u.result.Notes, UndoneNote{Path: f.Path, Change: "restored"})
		}
	}
	return nil
}

// undoFirstImport forgets a vault. It fails with conflict if the vault was imported again or
// written since.
func (w Writer) undoFirstImport(ctx context.Context, batch journal.Batch) (UndoResult, error) {
	later, _, err := db.One[int64](ctx, w.DB, `
select coalesce(max(upto), 0)
from batches
where mirror = ?1
  and batch < ?2
  and changes > 0
  and undoes is null
  and undone_by is null`, batch.Vault, batch.Number)
	if err != nil {
		return UndoResult{}, err
	}
	if later != 0 {
		return UndoResult{}, fault.New(fault.Conflict, "undo: the vault %s was imported or written again since its first import (change %d); forget all of it with hence forget --vault %s", batch.Vault, later, batch.Vault).With("change", later)
	}
	forgotten, number, err := w.vaults().UndoImport(ctx, batch.Vault, batch.Number)
	if err != nil {
		return UndoResult{}, err
	}
	record, err := journal.Journal(w.View).BatchByNumber(ctx, number)
	return UndoResult{
		Vault: batch.Vault, Operation: batch.Operation, Notes: []UndoneNote{}, Forgotten: &forgotten, By: record.Seq,
		Warnings: []string{fmt.Sprintf("hence import %s brings it back", forgotten.Again)},
	}, err
}
