package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/journal"
)

// UndoResult is what was taken back of what concerned the files of a vault.
type UndoResult struct {
	Vault     string             `json:"vault"`
	Operation string             `json:"operation"` // that was taken back: create_note, import …
	Notes     []UndoneNote       `json:"notes"`
	Forgotten *ForgetVaultResult `json:"forgotten,omitempty"` // of a first import
	By        int64              `json:"by"`                  // the change that took it back; undoing it brings all of it back
	Warnings  []string           `json:"warnings"`
}

// UndoneNote is a file that is as it was.
type UndoneNote struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // where it was moved back from
	Change string `json:"change"`         // restored, removed, made or moved
}

// Undo takes back what Hence wrote into a vault, or the first import of one,
// where the arguments mean that; ok is false where they mean what
// journal.Journal.Undo takes back. Of a write the files get the bytes that they
// had, a note that was made is removed, and one that was moved goes back, as
// MoveNote moves it, so that links written since still lead to it. It is itself
// a write that can be taken back.
//
// It fails with conflict, and the hashes, where a file is not as the write left
// it; with invalid_argument for what has no way back: an import other than the
// first, and a write of which nothing is kept; and as the other writes do.
func (i Importer) Undo(ctx context.Context, a journal.UndoArgs) (result UndoResult, ok bool, err error) {
	if err := i.settleAll(ctx); err != nil {
		return result, false, err
	}
	changes := journal.Journal{DB: i.DB, Caller: i.Caller}
	batch, ok, err := changes.VaultBatch(ctx, a)
	if err != nil || !ok {
		return result, ok, err
	}
	result, err = i.undo(ctx, batch)
	if fault.CodeOf(err) == fault.InvalidArgument && a.Seq == 0 {
		err = changes.Before(ctx, batch, err)
	}
	return result, true, err
}

func (i Importer) undo(ctx context.Context, batch journal.Batch) (UndoResult, error) {
	switch {
	case batch.UndoneBy != 0:
		return UndoResult{}, fault.New(fault.Conflict, "undo: change %d was taken back by change %d already; hence undo %d brings it back", batch.Seq, batch.UndoneBy, batch.UndoneBy)
	case batch.Operation == "import" && batch.First:
		return i.undoFirstImport(ctx, batch)
	case batch.Operation == "import":
		return UndoResult{}, fault.New(fault.InvalidArgument, "undo: change %d is an import of the vault %s, and the notes are what its files say; edit the files and import them again, or put the whole vault away with hence forget --vault %s", batch.Seq, batch.Vault, batch.Vault)
	case batch.Operation == "forget":
		return UndoResult{}, fault.New(fault.InvalidArgument, "undo: change %d put the vault %s away; hence import %s brings it back", batch.Seq, batch.Vault, batch.What)
	case !batch.Kept:
		return UndoResult{}, fault.New(fault.InvalidArgument, "undo: of change %d (%s) the bytes before are not kept: of a vault they are for the last %d writes and %d MB, and go when a note is purged; only a copy of the file holds them", batch.Seq, batch.Operation, keptBatches, keptBytes>>20)
	}
	return i.undoWrite(ctx, batch)
}

// settleAll settles the vaults that the caller sees in which a write was cut
// off. A folder that is not there is left for later.
func (i Importer) settleAll(ctx context.Context) error {
	if i.DB.ReadOnly() {
		return nil
	}
	var names []string
	err := i.DB.Read(ctx, func(r *db.Reader) (err error) {
		names, err = db.Select(ctx, r, db.Value[string], `
select distinct vault
from batches a
where done = 0
  and exists (select 1 from kept_files k where k.batch = a.batch)`)
		return err
	})
	if err != nil || len(names) == 0 {
		return err
	}
	vaults, err := i.Vaults(ctx)
	if err != nil {
		return err
	}
	for _, v := range vaults {
		if !slices.Contains(names, v.Name) {
			continue
		}
		o, unlock, err := i.openHeld(ctx, "undo", v)
		if err == nil {
			unlock()
			err = o.Close()
		}
		if err != nil && fault.CodeOf(err) != fault.Unavailable {
			return err
		}
	}
	return nil
}

// openHeld opens a vault and takes its lock.
func (i Importer) openHeld(ctx context.Context, operation string, v Vault) (o *opened, unlock func(), err error) {
	if o, err = openVault(operation, v); err != nil {
		return nil, nil, err
	}
	o.Disk = i.disk
	if unlock, err = i.hold(ctx, operation, o); err != nil {
		return nil, nil, errors.Join(err, o.Close())
	}
	return o, unlock, nil
}

// undoing is the taking back of one write.
type undoing struct {
	Importer
	*opened
	batch  memory.Batch    // the undo's own
	files  []keptFile      // what the write has left, as it did
	moved  *keptFile       // the one of them that is at another path
	both   bool            // … and still at the old one
	stays  map[string]bool // files to be left as they are: see keptFile.stays
	result UndoResult
}

// undoWrite takes a write of notes back.
func (i Importer) undoWrite(ctx context.Context, batch journal.Batch) (result UndoResult, err error) {
	const operation = "undo"
	vaults, err := i.Attached(ctx, operation, batch.Vault)
	if err != nil {
		return result, err
	}
	o, unlock, err := i.openHeld(ctx, operation, vaults[0])
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	defer unlock()
	u := &undoing{Importer: i, opened: o, stays: map[string]bool{}, result: UndoResult{Vault: o.Name, Operation: batch.Operation, Notes: []UndoneNote{}, Warnings: []string{}}}
	u.batch = memory.Batch{Operation: operation, Vault: o.Name, Namespace: o.Namespace, What: batch.What, Undoes: batch.Number}
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
	u.result.By, err = u.lastChange(ctx)
	return u.result, err
}

// look reads what is kept, and finds the files that are as the write left them.
// It fails with conflict where one was edited since, or cannot be compared.
func (u *undoing) look(ctx context.Context, batch journal.Batch) error {
	all, err := u.readKept(ctx, batch.Number, true)
	if err != nil {
		return err
	}
	var others []string
	var refused *fault.Error
	for n, f := range all {
		stands, hash, err := u.standingOf("undo", f.change)
		if err != nil {
			return err
		}
		if f.stays() {
			u.stays[f.before] = stands == asAfter
			continue
		}
		switch stands {
		case edited:
			name := f.after
			if name == "" {
				name = f.before
			}
			others = append(others, name)
			if refused == nil {
				refused = fault.New(fault.Conflict, "undo: %s is not as %s left it: its content hash is %s, and that of what was written %s; take the later edit back first, or edit the note by hand", name, batch.Operation, hashOrNone(hash), hashOrNone(f.hashAfter)).
					With("path", name).With("content_hash", hash).With("written_hash", f.hashAfter).With("change", batch.Seq)
			}
			continue
		case asBefore:
			continue // the write was cut off before it, or it was taken back by hand
		}
		u.files = append(u.files, f)
		if f.change.isMove() {
			u.moved, u.both = &all[n], stands == atBoth
		}
	}
	if refused != nil {
		return refused.With("paths", others)
	}
	return nil
}

func hashOrNone(hash string) string {
	if hash == "" {
		return "none (there is no file)"
	}
	return hash
}

// putBack restores, removes and makes files, none of which moves.
func (u *undoing) putBack(ctx context.Context) error {
	const operation = "undo"
	var changes []change
	m := &move{Importer: u.Importer, operation: operation, File: File{u.opened, ""}}
	for _, f := range u.files {
		c := change{before: f.after, after: f.before, hashBefore: f.hashAfter, hashAfter: f.hashBefore}
		switch {
		case f.change.isMove(): // at both paths: the new one goes
			c.after, c.hashAfter = "", ""
		case f.before == "":
			c.folders = 0
		case f.after == "":
			c.folders = len(u.MissingFolders(f.before))
		}
		if c.before != "" {
			source, err := File{u.opened, c.before}.read(operation)
			if err != nil {
				return err
			}
			c.source = source
		}
		changes = append(changes, c)
		if c.before == c.after {
			name, err := u.Behind(operation, c.after)
			if err != nil {
				return err
			}
			m.files = append(m.files, rewritten{path: name, source: c.source, content: f.source})
		}
	}
	var err error
	if u.batch, err = u.begin(ctx, u.batch, changes); err != nil {
		return err
	}
	if err := u.apply(m, changes); err != nil {
		return u.abandon(ctx, operation, u.opened, u.batch, err)
	}
	return u.takeIn(ctx, changes)
}

// apply changes the files.
func (u *undoing) apply(m *move, changes []change) error {
	if err := m.rewriteFiles(); err != nil {
		return err
	}
	for n, c := range changes {
		done := UndoneNote{Path: c.after, Change: "restored"}
		switch {
		case c.after == "":
			if err := u.Remove(c.before); err != nil {
				return u.Failed("undo", c.before, err)
			}
			u.RemoveFolders(c.before, u.files[n].folders)
			done = UndoneNote{Path: c.before, Change: "removed"}
		case c.before == "":
			if err := u.Create("undo", c.after, u.files[n].source); err != nil {
				return err
			}
			done.Change = "made"
		}
		u.result.Notes = append(u.result.Notes, done)
	}
	return nil
}

// takeIn takes the files that were changed into the store.
func (u *undoing) takeIn(ctx context.Context, changes []change) error {
	u.Importer.batch, u.emptied = u.batch, true
	for _, c := range changes {
		name := c.after
		if name == "" {
			name = c.before
		}
		if err := u.reproject(ctx, "undo", File{u.opened, name}); err != nil {
			return err
		}
	}
	return u.finish(ctx, u.batch)
}

// moveBack moves a file back, and gives the other files the bytes that they had.
func (u *undoing) moveBack(ctx context.Context) error {
	const operation = "undo"
	m := &move{Importer: u.Importer, operation: operation, File: File{u.opened, u.moved.after}, to: u.moved.before, given: map[string][]byte{}, stays: u.stays}
	for _, f := range u.files {
		if m.stays[f.after] = f.same; !f.same {
			m.given[f.after] = f.source
		}
	}
	if err := m.plan(ctx); err != nil {
		return err
	}
	var err error
	if u.batch, err = u.begin(ctx, u.batch, m.changes()); err != nil {
		return err
	}
	if err := m.carryOut(); err != nil {
		return u.abandon(ctx, operation, u.opened, u.batch, err)
	}
	u.RemoveFolders(u.moved.after, u.moved.folders)
	u.Importer.batch = u.batch
	if err := u.reprojectMoved(ctx, operation, u.Vault, u.moved.after, u.moved.before); err != nil {
		return err
	}
	u.result.Warnings = append(u.result.Warnings, m.warnings...)
	u.result.Notes = append(u.result.Notes, UndoneNote{Path: u.moved.before, From: u.moved.after, Change: "moved"})
	for _, f := range m.files {
		if f.path != m.Path {
			u.result.Notes = append(u.result.Notes, UndoneNote{Path: f.path, Change: "restored"})
		}
	}
	return u.finish(ctx, u.batch)
}

// lastChange is the last row of the journal that the undo made, 0 where it made
// none.
func (u *undoing) lastChange(ctx context.Context) (int64, error) {
	batch, err := journal.Journal{DB: u.DB, Caller: u.Caller}.BatchByNumber(ctx, u.batch.Number)
	if batch.Changes == 0 {
		batch.Seq = 0
	}
	return batch.Seq, err
}

// undoFirstImport puts a vault away, unless more was done to it since.
func (i Importer) undoFirstImport(ctx context.Context, batch journal.Batch) (UndoResult, error) {
	later, err := i.lastChangeSince(ctx, batch)
	if err != nil {
		return UndoResult{}, err
	}
	if later != 0 {
		return UndoResult{}, fault.New(fault.Conflict, "undo: the vault %s was imported or written again since its first import (change %d); put all of it away with hence forget --vault %s", batch.Vault, later, batch.Vault).With("change", later)
	}
	u := memory.Batch{Operation: "forget", Undoes: batch.Number}
	done, u, err := i.forgetVault(ctx, "undo", batch.Vault, false, u)
	if err != nil {
		return UndoResult{}, err
	}
	by, err := journal.Journal{DB: i.DB, Caller: i.Caller}.BatchByNumber(ctx, u.Number)
	return UndoResult{
		Vault: batch.Vault, Operation: batch.Operation, Notes: []UndoneNote{}, Forgotten: &done, By: by.Seq,
		Warnings: []string{fmt.Sprintf("hence import %s brings it back", done.Root)},
	}, err
}

// lastChangeSince is the last change of what was done to a batch's vault since and is
// not taken back, 0 where there is none.
func (i Importer) lastChangeSince(ctx context.Context, batch journal.Batch) (seq int64, err error) {
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		seq, _, err = db.One[int64](ctx, r, `
select coalesce(max(upto), 0)
from batches
where vault = ?1
  and batch < ?2
  and changes > 0
  and undoes is null
  and undone_by is null`, batch.Vault, batch.Number)
		return err
	})
	return seq, err
}
