// Package writing creates, changes and moves the notes of a vault, and undoes its
// own writes.
//
// A write goes through these steps:
//
//  1. Lock. The vault's folder is locked against other writers and imports of
//     Hence. Editors do not know the lock, so every write compares hashes too.
//     A write that a crash interrupted is finished or dropped first.
//  2. Plan. The new bytes are made and checked (see package edit), and a move
//     finds every link that would lead to another file. Nothing is written yet; a
//     dry run ends here.
//  3. Keep. A batch with the old bytes is stored, see package undolog.
//  4. Replace. New bytes are staged in a hidden file beside the note, synced, and
//     renamed over it, so that a reader sees the old file or the new one. A move
//     stages all files before it renames the first, and restores the old files if
//     one rename fails.
//  5. Project. The changed files are imported as part of the batch, and the result
//     lists the edges that were added and removed.
//  6. Done. The batch is marked as done, and can be undone while its bytes are kept.
//
// A crash after step 3 leaves a batch that is not done. The next write, undo or
// import of the vault compares the files with the batch. It drops the batch if no
// file was changed, else it imports the files as they are. Another program may see
// a move that is half done, and a crash may leave one: then the note is at both
// paths or at the new one, and nothing is lost.
//
// An undo is itself a write, with the bytes of the batch it undoes, and can be
// undone. It refuses files that were edited since.
package writing

import (
	"context"
	"errors"

	"hence/internal/ref"
	"hence/projection/folder"
	"hence/projection/undolog"
	"hence/vault"
)

// Writer writes the notes of the vaults that its caller may see.
type Writer struct {
	ref.View
	disk folder.Disk // writes the files; tests replace it
}

// New returns a writer for a view of a store.
func New(v ref.View) Writer { return Writer{View: v} }

// vaults returns the importer, which finds the files that a caller names and imports them.
func (w Writer) vaults() vault.Importer { return vault.Importer{DB: w.DB, Caller: w.Caller} }

// hold takes the lock of an open vault, unless it is a dry run. release unlocks and closes
// the vault. After an error hold has closed the vault already.
func (w Writer) hold(ctx context.Context, operation string, o *vault.OpenVault, dryRun bool) (release func() error, err error) {
	o.Disk = w.disk
	if dryRun {
		return o.Close, nil
	}
	unlock, err := w.vaults().Mirror().Hold(ctx, operation, o.Vault, o.Folder)
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return func() error {
		unlock()
		return o.Close()
	}, nil
}

// log returns the undo log of the store.
func (w Writer) log() undolog.Log { return undolog.Log(w.View) }
