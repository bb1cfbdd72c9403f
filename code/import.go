// Package code mirrors repositories of source code: files, packages and symbols become
// memories; calls, imports and implementations become edges. Package projection does the
// import; the packages golang, syntax and bind read the languages.
//
// # Memories
//
// A file is a memory of kind file, without its text. A declaration is a memory of kind
// code with the uri code://<repository>/<module>#<name>. A module is the folder of a Go
// package, or the file in other languages, so that a Go function may move within its
// package. The content of a declaration is its signature and comment. Its body stays on
// disk from symbols.start_byte on; text_hash tells whether it is still there. The hash of
// a declaration is that of its tokens without its own name: memories that rest on it are
// in doubt when the tokens change, and not when a comment, the layout, its place or its
// name changes. Packages and the repository are memories too.
//
// # Edges
//
// Every reference has evidence (sites.resolved_by). Names outside the repository have no
// reference. A file has one site for each from, to, kind and rel: the first place. The
// surface of a file (symbol.File.Surface) tells whether an edit may change the references
// of other files. If it changes, all files of the language are bound again, and those
// whose references differ (by a hash in files.words) are written again.
package code

import (
	"context"
	"strings"

	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/projection"
	"hence/projection/folder"
)

// origin is the origin of every site in source code.
const origin = "code"

// format describes repositories to package projection.
var format = func() projection.Format {
	f := projection.Code
	f.Settings = []string{ownIgnore, indexFile}
	f.Nested = []string{gitIgnore}
	f.Same = checkout.Same
	f.Open = func(f *folder.Folder) (projection.Source, error) { return openSource(f), nil }
	return f
}()

// Importer imports repositories into a store.
type Importer struct {
	DB       *db.DB
	Caller   ref.Caller
	Progress func(done, total int) // called as files are read and written; may be nil
}

// Mirror returns the mirror of the repositories' folders.
func (i Importer) Mirror() projection.Mirror {
	return projection.Mirror{DB: i.DB, Caller: i.Caller, Format: format, Progress: i.Progress}
}

// Project imports one file that was written, as part of a batch, see projection.Mirror.
func (i Importer) Project(ctx context.Context, batch journal.Batch, p Place) error {
	return i.Mirror().Project(ctx, batch, p.Repository, source{}, p.Path)
}

// ByPath returns the memory of a package by its path in its repository, or of a repository
// by its name; ok is false if there is none. It fails with ambiguous if several
// repositories have the path.
func (i Importer) ByPath(ctx context.Context, r *db.Reader, path string) (m ref.Memory, ok bool, err error) {
	repositories, err := i.Mirror().ReadVaults(ctx, r)
	if err != nil {
		return m, false, err
	}
	memories := []ref.Memory{}
	for _, one := range repositories {
		rest := strings.Trim(path, "/")
		if rest == one.Name {
			rest = projection.Root
		}
		uri := format.URI(one.Name, rest)
		matches, err := i.Caller.Matches(ctx, r, uri)
		if err != nil {
			return m, false, err
		}
		memories = append(memories, matches...)
	}
	switch len(memories) {
	case 0:
		return m, false, nil
	case 1:
		return memories[0], true, nil
	}
	return m, false, fault.New(fault.Ambiguous, "several repositories have %q; name it by its uri, such as %s", path, memories[0].URI)
}
