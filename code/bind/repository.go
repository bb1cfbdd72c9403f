// Package bind finds the declaration of a repository that a call refers to, from the places
// that package syntax reads in each file. It uses declarations of the same file, imports
// and re-exports, this and super with inheritance, and the declared types of receivers. An
// equal name alone is not enough: a call that none of these explains has no reference.
package bind

import (
	"cmp"
	"context"
	"path"
	"slices"

	"hence/code/symbol"
	"hence/code/syntax"
)

// repository holds the places of the files of a repository, for one call of Bind.
type repository struct {
	index *Index                         // nil: there is none
	files map[string]*syntax.Places      // by path
	names map[string][]*syntax.Places    // key of keysOf → files, in the order of their paths
	spots map[string]map[position]string // cache of declaredAt: path → place → name
	known map[string]value               // cache of packages and crates by their names
	below map[string][]*syntax.Places    // cache of filesBelow
}

// Bind returns the references of all files of a repository, in the order of paths and places;
// one for each From, To, Kind and Rel of a file. In a file that the index covers, the index decides
// the targets of calls; a call at a place that the index does not have, because the file was edited
// since, is bound from the source. index may be nil. left lists the files that have no references
// because they took too much work. The error is that of the context.
func Bind(ctx context.Context, files []*syntax.Places, index *Index) (all []symbol.Reference, left []string, err error) {
	r := &repository{index: index, files: map[string]*syntax.Places{}, names: map[string][]*syntax.Places{}, spots: map[string]map[position]string{}, known: map[string]value{}, below: map[string][]*syntax.Places{}}
	files = slices.SortedFunc(slices.Values(files), func(a, b *syntax.Places) int { return cmp.Compare(a.Path, b.Path) })
	for _, places := range files {
		r.files[places.Path] = places
		for _, key := range keysOf(places) {
			if named := r.names[key]; len(named) == 0 || named[len(named)-1] != places {
				r.names[key] = append(named, places)
			}
		}
	}
	for _, places := range files {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if places.Project == nil {
			references, ok := r.bind(places)
			if all = append(all, references...); !ok {
				left = append(left, places.Path)
			}
		}
	}
	return all, left, ctx.Err()
}

// bind returns the references of one file; ok is false if they took too much work.
func (r *repository) bind(places *syntax.Places) (references []symbol.Reference, ok bool) {
	b := &binder{repository: r, file: places, memo: map[memoKey]value{}, handed: map[handedKey]value{}, added: map[symbol.Reference]bool{}, fuel: fuel}
	b.limit = leastWork + workOfPlace*(len(places.Calls)+len(places.Uses)+len(places.Classes)+len(places.Imports))
	for _, place := range places.Imports {
		for _, file := range b.importedFiles(place) {
			b.refer(b.here(""), value{file: file}, "imports", "", symbol.ByImport, syntax.Spot{Start: place.Start, End: place.End, Line: place.Line})
		}
	}
	b.bindParents()
	b.bindCalls()
	b.bindUses()
	if b.work > b.limit {
		return nil, false
	}
	slices.SortStableFunc(b.references, func(x, y symbol.Reference) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.To, y.To))
	})
	return b.references, true
}

// settingsKey is the key of all settings files, such as package.json.
const settingsKey = "settings"

// keysOf returns the keys, besides its path, by which other files look up a file: its base
// name, namespace and folders, its extern functions, and the classes that it has parts of.
func keysOf(places *syntax.Places) []string {
	if places.Project != nil {
		return []string{settingsKey}
	}
	keys := []string{"base " + path.Base(places.Path)}
	if places.Space != "" {
		for name, holds := range places.Names {
			if holds.Op == syntax.Declared {
				keys = append(keys, spaceKey(places.Space, name))
			}
		}
	}
	if places.Language == "python" {
		for folder := path.Dir(places.Path); folder != "." && folder != "/"; folder = path.Dir(folder) {
			keys = append(keys, "folder "+folder)
		}
	}
	if places.Language == "c" {
		for name, function := range places.Funcs {
			if !function.Local && !function.Bodiless {
				keys = append(keys, "extern "+name)
			}
		}
	}
	for name, class := range places.Classes {
		if class.Of != nil {
			keys = append(keys, "part "+symbol.OwnName(name))
		}
	}
	return keys
}

// spaceKey is the key of files that declare a name in a namespace.
func spaceKey(space, name string) string { return "space " + space + " " + name }

// family returns one name for languages whose files import each other.
func family(language string) string {
	switch language {
	case "typescript", "javascript":
		return "ecma"
	}
	return language
}
