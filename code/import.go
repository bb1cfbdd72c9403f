// Package code mirrors repositories of source code: files, packages and symbols become
// memories, and who calls, imports and implements whom becomes edges. Package
// projection does the import; the packages golang, syntax and bind read the languages.
//
// # Memories
//
// A file is a memory of kind file, without its text. A declaration is a memory of kind
// code, called code://<repository>/<module>#<name>: a module is the folder of a Go
// package, or else the file, so that a Go function may move within its package. Its
// content is its signature and comment; its body stays on disk, where symbols.start_byte
// says, and text_hash tells whether that is still so. Its hash is that of its tokens
// without its own name, so that what rests on it is in doubt when the tokens change, and
// not when a comment, the layout, its place or its name does. Packages and the
// repository are memories too.
//
// # Edges
//
// Every reference has evidence (sites.resolved_by), and what is outside the repository
// has none. There is one site for each from, to, kind and rel of a file: the first
// place. Whether an edit changes what other files mean is told by the surface of a file
// (symbol.File.Surface); where it does, all files of the language are bound again, and
// those whose references differ (by a hash in files.words) are written again.
package code

import (
	"context"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/projection"
	"hence/projection/folder"
)

// origin is that of all that is read in source code.
const origin = "code"

// format is what package projection knows of repositories.
var format = func() projection.Format {
	f := projection.Code
	f.Settings = []string{ownIgnore, indexFile}
	f.Nested = []string{gitIgnore}
	f.Open = func(f *folder.Folder) (projection.Source, error) { return openSource(f), nil }
	return f
}()

// Importer imports repositories into a store.
type Importer struct {
	DB       *db.DB
	Caller   ref.Caller
	Progress func(done, total int) // called as files are read and written; may be nil
}

// Mirror keeps the folders of the repositories.
func (i Importer) Mirror() projection.Mirror {
	return projection.Mirror{DB: i.DB, Caller: i.Caller, Format: format, Progress: i.Progress}
}

// Import brings the store to what the folder holds, see projection.Mirror.
func (i Importer) Import(ctx context.Context, a projection.ImportArgs) (projection.Report, error) {
	return i.Mirror().Import(ctx, a)
}

// Watch imports a repository and keeps the store up with it, see projection.Mirror.
func (i Importer) Watch(ctx context.Context, a projection.ImportArgs, each func(projection.Report, error)) error {
	return i.Mirror().Watch(ctx, a, each)
}

// Repositories returns the repositories that the caller may see, by name.
func (i Importer) Repositories(ctx context.Context) ([]projection.Vault, error) {
	return i.Mirror().Vaults(ctx)
}

// Project takes a file that was written into the store, see projection.Mirror.
func (i Importer) Project(ctx context.Context, batch memory.Batch, p Place) error {
	return i.Mirror().Project(ctx, batch, p.Repository, source{}, p.Path)
}

// ByPath returns the memory of a package by its path in its repository, or of a repository
// by its name; false where there is none. It fails with ambiguous where several
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
