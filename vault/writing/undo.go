package writing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/journal"
	"hence/projection/undolog"
	"hence/vault"
)

// UndoResult is what was undone of what concerned the files of a vault.
type UndoResult struct {
	Vault     string                   `json:"vault"`
	Operation string                   `json:"operation"` // that was undone: create_note, import …
	Notes     []UndoneNote             `json:"notes"`
	Forgotten *vault.ForgetVaultResult `json:"forgotten,omitempty"` // of a first import
	By        int64                    `json:"by"`                  // the change that undid it; undoing that brings all of it back
	Warnings  []string                 `json:"warnings"`
}

// UndoneNote is a file that is as it was.
type UndoneNote struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // where it was moved back from
	Change string `json:"change"`         // restored, removed, made or moved
}

// Undo takes back what Hence wrote into a vault, or the first import of one, where
// the arguments mean that; ok is false where they mean what journal.Journal.Undo
// takes back. Files get the bytes that they had, a note that was made is removed,
// and one that was moved goes back as MoveNote moves it, so that links written
// since still lead to it. An undo is itself a write that can be undone.
//
// It fails with conflict, and the hashes, where a file is not as the write left
// it; with invalid_argument for an import other than the first, and a write whose
// bytes are not kept; and as the other writes do.
func (w Writer) Undo(ctx context.Context, a journal.UndoArgs) (result UndoResult, ok bool, err error) {
	if err := w.settleAll(ctx); err != nil {
		return result, false, err
	}
	changes := journal.Journal(w.View)
	batch, ok, err := changes.VaultBatch(ctx, a)
	if err != nil || !ok {
		return result, ok, err
	}
	result, err = w.undo(ctx, batch)
	if fault.CodeOf(err) == fault.InvalidArgument && a.Seq == 0 {
		err = changes.NameEarlier(ctx, batch, err)
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
		return UndoResult{}, fault.New(fault.InvalidArgument, "undo: change %d (%s) cannot be undone: the bytes before are not kept, only those of a vault's last %d writes, at most %d MB and of no purged note; restore the file from a backup", batch.Seq, batch.Operation, undolog.MaxBatches, undolog.MaxBytes>>20)
	}
	return w.undoWrite(ctx, batch)
}

// settleAll finishes or drops the writes that were cut off in the vaults that the
// caller sees. A folder that is not there is left for later.
func (w Writer) settleAll(ctx context.Context) error {
	if w.DB.ReadOnly() {
		return nil
	}
	names, err := w.log().UnfinishedVaults(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	vaults, err := w.vaults().Vaults(ctx)
	if err != nil {
		return err
	}
	for _, v := range vaults {
		if !slices.Contains(names, v.Name) {
			continue
		}
		_, release, err := w.openAndHold(ctx, v)
		if err == nil {
			err = release()
		}
		if err != nil && fault.CodeOf(err) != fault.Unavailable {
			return err
		}
	}
	return nil
}

// openAndHold opens a vault and takes its lock, which settles what was cut off.
func (w Writer) openAndHold(ctx context.Context, v vault.Vault) (o *vault.OpenVault, release func() error, err error) {
	if o, err = vault.Open("undo", v); err == nil {
		release, err = w.hold(ctx, "undo", o, false)
	}
	return o, release, err
}

// undo is the undo of one write.
type undo struct {
	Writer
	*vault.OpenVault
	batch  memory.Batch    // the undo's own
	files  []undolog.Entry // those that are as the write left them
	moved  *undolog.Entry  // the one of them that is at another path
	both   bool            // … and still at the old one too
	stays  map[string]bool // path → the file is left as it is, see undolog.Entry.IsUntouched
	result UndoResult
}

// undoWrite undoes a write of notes.
func (w Writer) undoWrite(ctx context.Context, batch journal.Batch) (result UndoResult, err error) {
	v, err := w.vaults().Vault(ctx, "undo", batch.Vault)
	if err != nil {
		return result, err
	}
	o, release, err := w.openAndHold(ctx, v)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	u := &undo{
		Writer: w, OpenVault: o, stays: map[string]bool{},
		batch:  memory.Batch{Operation: "undo", Vault: o.Name, Namespace: o.Namespace, What: batch.What, Undoes: batch.Number},
		result: UndoResult{Vault: o.Name, Operation: batch.Operation, Notes: []UndoneNote{}, Warnings: []string{}},
	}
	if err := u.look(ctx, batch); err != nil {
		return result, err
	}
	if u.moved != nil && !u.both {
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

// look reads what is kept, and finds the files that are as the write left them. It
// fails with conflict where one was edited since, or cannot be compared.
func (u *undo) look(ctx context.Context, batch journal.Batch) error {
	entries, err := u.log().Entries(ctx, batch.Number, true)
	if err != nil {
		return err
	}
	var edited []string
	var refusal *fault.Error
	for n, e := range entries {
		state, hash, err := undolog.Compare("undo", u.Folder, e.Change)
		switch {
		case err != nil:
			return err
		case e.IsUntouched():
			u.stays[e.Before] = state == undolog.AsAfter
		case state == undolog.Edited:
			path := cmp.Or(e.After, e.Before)
			edited = append(edited, path)
			if refusal == nil {
				none := "none (there is no file)"
				refusal = fault.New(fault.Conflict, "undo: %s is not as %s left it: its content hash is %s, and %s was written; undo the later edit first, or edit the note by hand", path, batch.Operation, cmp.Or(hash, none), cmp.Or(e.HashAfter, none)).
					With("path", path).With("content_hash", hash).With("written_hash", e.HashAfter).With("change", batch.Seq)
			}
		case state == undolog.AsBefore: // the write was cut off before it, or somebody reverted it by hand
		default:
			u.files = append(u.files, e)
			if e.IsMove() {
				u.moved, u.both = &entries[n], state == undolog.AtBoth
			}
		}
	}
	if refusal != nil {
		return refusal.With("paths", edited)
	}
	return nil
}

// putBack restores, removes and makes files, none of which moves.
func (u *undo) putBack(ctx context.Context) (err error) {
	var changes []undolog.Change
	var restored []fileRewrite
	for _, e := range u.files {
		c := undolog.Change{Before: e.After, After: e.Before, HashBefore: e.HashAfter, HashAfter: e.HashBefore}
		switch {
		case e.IsMove(): // at both paths: the new one goes
			c.After, c.HashAfter = "", ""
		case e.After == "":
			c.Folders = len(u.MissingFolders(e.Before))
		}
		if c.Before != "" {
			source, err := vault.File{OpenVault: u.OpenVault, Path: c.Before}.Bytes("undo")
			if err != nil {
				return err
			}
			c.Source = source
		}
		changes = append(changes, c)
		if c.Before == c.After {
			name, err := u.FollowLinks("undo", c.After)
			if err != nil {
				return err
			}
			restored = append(restored, fileRewrite{path: name, source: c.Source, content: e.Source})
		}
	}
	if u.batch, err = u.log().Begin(ctx, u.batch, changes); err != nil {
		return err
	}
	if err := u.apply(changes, restored); err != nil {
		return u.log().Abandon(ctx, "undo", u.Folder, u.batch, err)
	}
	for _, c := range changes {
		f := vault.File{OpenVault: u.OpenVault, Path: cmp.Or(c.After, c.Before)}
		if err := u.vaults().Project(ctx, u.batch, f); err != nil {
			return err
		}
	}
	return u.log().Finish(ctx, u.batch)
}

// apply changes the files.
func (u *undo) apply(changes []undolog.Change, restored []fileRewrite) error {
	s := &staging{Folder: u.Folder, operation: "undo"}
	if err := s.replaceAll(restored); err != nil {
		return err
	}
	for n, c := range changes {
		done := UndoneNote{Path: c.After, Change: "restored"}
		switch {
		case c.After == "":
			if err := u.Remove(c.Before); err != nil {
				return u.Explain("undo", c.Before, err)
			}
			u.RemoveFolders(c.Before, u.files[n].Folders)
			done = UndoneNote{Path: c.Before, Change: "removed"}
		case c.Before == "":
			if err := u.Create("undo", c.After, u.files[n].Source); err != nil {
				return err
			}
			done.Change = "made"
		}
		u.result.Notes = append(u.result.Notes, done)
	}
	return nil
}

// moveBack moves a file back, and gives the other files the bytes that they had.
func (u *undo) moveBack(ctx context.Context) (err error) {
	m := &move{Writer: u.Writer, operation: "undo", File: vault.File{OpenVault: u.OpenVault, Path: u.moved.After}, to: u.moved.Before, given: map[string][]byte{}, stays: u.stays}
	for _, e := range u.files {
		if m.stays[e.After] = e.SameBytes; !e.SameBytes {
			m.given[e.After] = e.Source
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
		if f.path != m.Path {
			u.result.Notes = append(u.result.Notes, UndoneNote{Path: f.path, Change: "restored"})
		}
	}
	return nil
}

// undoFirstImport forgets a vault, unless more was done to it since.
func (w Writer) undoFirstImport(ctx context.Context, batch journal.Batch) (UndoResult, error) {
	later, _, err := db.One[int64](ctx, w.DB, `
select coalesce(max(upto), 0)
from batches
where vault = ?1
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
	done, number, err := w.vaults().UndoImport(ctx, batch.Vault, batch.Number)
	if err != nil {
		return UndoResult{}, err
	}
	record, err := journal.Journal(w.View).BatchByNumber(ctx, number)
	return UndoResult{
		Vault: batch.Vault, Operation: batch.Operation, Notes: []UndoneNote{}, Forgotten: &done, By: record.Seq,
		Warnings: []string{fmt.Sprintf("hence import %s brings it back", done.Root)},
	}, err
}
