// Package bind decides which declaration of a repository a call means, from what
// package syntax says of each file: the same file, imports and what modules export
// again, this and super with inheritance, and the declared types of receivers. It never
// binds two things because they have the same name: a call that none of these explains
// refers to nothing.
package bind

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"

	"hence/code/symbol"
	"hence/code/syntax"
)

// Repository holds what the files of a repository say. It is for one goroutine.
type Repository struct {
	// Index decides what calls mean in the files that it has; nil: there is none. Where a
	// file has changed since, so that no name is at the place of a call, the evidence of
	// the source decides as ever.
	Index *Index
	files map[string]*syntax.Places
	names map[string]map[string]bool     // key of an index → paths
	spots map[string]map[position]string // of files that the index told of
}

// New returns an empty repository.
func New() *Repository {
	return &Repository{files: map[string]*syntax.Places{}, names: map[string]map[string]bool{}, spots: map[string]map[position]string{}}
}

// Put adds a file.
func (r *Repository) Put(places *syntax.Places) {
	r.files[places.Path] = places
	for _, key := range keysOf(places) {
		if r.names[key] == nil {
			r.names[key] = map[string]bool{}
		}
		r.names[key][places.Path] = true
	}
}

// Bind returns what the files refer to, in the order of their paths and of the places;
// one reference for each From, To, Kind and Rel of a file.
func (r *Repository) Bind(ctx context.Context) (all []symbol.Reference, err error) {
	for _, filePath := range slices.Sorted(maps.Keys(r.files)) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if places := r.files[filePath]; places.Project == nil {
			all = append(all, r.bind(places)...)
		}
	}
	return all, ctx.Err()
}

func (r *Repository) bind(places *syntax.Places) []symbol.Reference {
	b := &binder{Repository: r, file: places, memo: map[memoKey]value{}, once: map[symbol.Reference]bool{}}
	for _, place := range places.Imports {
		for _, file := range b.importedFiles(place) {
			b.refer(b.here(""), value{file: file}, "imports", "", symbol.ByImport, syntax.Spot{Start: place.Start, End: place.End, Line: place.Line})
		}
	}
	b.bindParents()
	b.bindCalls()
	slices.SortStableFunc(b.references, func(x, y symbol.Reference) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.To, y.To))
	})
	return b.references
}

// settingsKey is looked up by files whose imports are named by settings.
const settingsKey = "settings"

// keysOf returns what others may look up a file by, beside its path: functions that they
// may link to and parts of their classes, too.
func keysOf(places *syntax.Places) []string {
	if places.Project != nil {
		return []string{settingsKey}
	}
	keys := []string{"base " + path.Base(places.Path)}
	if places.Space != "" {
		keys = append(keys, "space "+places.Space)
	}
	if places.Language == "python" {
		for folder := path.Dir(places.Path); folder != "." && folder != "/"; folder = path.Dir(folder) {
			keys = append(keys, "folder "+folder)
		}
	}
	if family(places.Language) == "c" {
		for name, function := range places.Funcs {
			if !function.Local && !function.Bodiless {
				keys = append(keys, "extern "+name)
			}
		}
	}
	for name, class := range places.Classes {
		if class.Of != nil {
			keys = append(keys, "part "+lastName(name))
		}
	}
	return keys
}

// family joins languages whose files import each other.
func family(language string) string {
	switch language {
	case "typescript", "javascript":
		return "ecma"
	case "c", "cpp":
		return "c"
	}
	return language
}
