// Package writing is what tools do to repositories: they patch a file, and run a suite
// of tests. Both are off until a person allows them for a repository.
//
// A patch goes the way of a write of a note (see package vault/writing): the folder is
// locked, the new text is made and compared with the expected one, the bytes before are
// kept for an undo, a new file is written beside the old one and renamed over it, and
// the store takes it in.
package writing

import (
	"hence/code"
	"hence/internal/ref"
	"hence/projection/folder"
	"hence/projection/undolog"
)

// Writer changes the repositories that its caller may see.
type Writer struct {
	ref.View
	disk folder.Disk // how files are written; tests replace it
}

// New returns a writer for a view of a store.
func New(v ref.View) Writer { return Writer{View: v} }

func (w Writer) importer() code.Importer { return code.Importer{DB: w.DB, Caller: w.Caller} }

func (w Writer) log() undolog.Log { return undolog.Log(w.View) }
