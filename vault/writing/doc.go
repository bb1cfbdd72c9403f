// Package writing creates, changes and moves the notes of a vault, and undoes
// what it wrote.
//
// A write goes through these steps:
//
//  1. Lock. The vault's folder is locked against other writers and imports of
//     Hence. Editors do not know the lock, so every write compares hashes too.
//     A write that a crash cut off is finished or dropped first.
//  2. Plan. The new bytes are made and checked (see package edit), and a move
//     finds every link that would lead elsewhere. Nothing is written yet; a dry
//     run ends here.
//  3. Keep. A batch with the bytes before is stored, see package undolog.
//  4. Replace. New bytes are staged in a hidden file beside the note, synced, and
//     renamed over it, so that a reader sees the old file or the new one. A move
//     stages all files before it renames the first, and puts them back in order
//     if one fails.
//  5. Project. The changed files are taken into the store as part of the batch, and
//     the caller learns which edges came and went.
//  6. Done. The batch is marked as done, and can be undone while its bytes are kept.
//
// A crash after step 3 leaves a batch that is not done. The next write, undo or
// import of the vault compares the files with what the batch wanted, and drops the
// batch or projects what is there. Other programs may see a move half done, and so
// may a crash leave it: then the note is at both paths or at the new one, and
// nothing is lost.
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
	disk folder.Disk // how files are written; tests replace it
}

// New returns a writer for a view of a store.
func New(v ref.View) Writer { return Writer{View: v} }

// vaults finds the files that a caller means, and takes them into the store.
func (w Writer) vaults() vault.Importer { return vault.Importer{DB: w.DB, Caller: w.Caller} }

// hold takes the lock of a vault that is open, unless it is a dry run. release
// unlocks and closes the vault; after an error it is closed already.
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

// log holds the bytes that are kept for an undo.
func (w Writer) log() undolog.Log { return undolog.Log(w.View) }
