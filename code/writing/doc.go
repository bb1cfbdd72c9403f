// Package writing changes repositories for tools: it patches a file, and runs a suite of
// tests. Both are off until a person allows them for a repository.
//
// A patch is written like a note (see package vault/writing). It locks the folder, compares
// the hash of the file with the expected one, makes the new text, stores the old bytes for
// an undo, writes a new file beside the old one, renames it over the old one, and imports it.
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
