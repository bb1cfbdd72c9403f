// Package bind decides which declaration of a repository a call means, from what
// package syntax says of each file: the same file, imports and what modules export
// again, this and super with inheritance, and the declared types of receivers. It never
// binds two things because they have the same name: a call that none of these explains
// refers to nothing.
package bind

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"hence/code/symbol"
	"hence/code/syntax"
)

// Repository holds what the files of a repository say. It is for one goroutine.
type Repository struct {
	files   map[string]*syntax.Places
	names   map[string]map[string]bool     // key of an index → paths
	looked  map[string]map[string]bool     // what was looked at → the files that did
	seen    map[string][]string            // the reverse of looked
	changed map[string]bool                // files to bind again
	spots   map[string]map[position]string // of files that an index told of
	index   *Index
}

// New returns an empty repository.
func New() *Repository {
	return &Repository{
		files: map[string]*syntax.Places{}, names: map[string]map[string]bool{},
		looked: map[string]map[string]bool{}, seen: map[string][]string{}, changed: map[string]bool{},
		spots: map[string]map[position]string{},
	}
}

// Put adds a file or replaces what it says.
func (r *Repository) Put(places *syntax.Places) {
	r.Remove(places.Path)
	r.files[places.Path] = places
	r.changed[places.Path] = true
	for _, key := range keysOf(places) {
		if r.names[key] == nil {
			r.names[key] = map[string]bool{}
		}
		r.names[key][places.Path] = true
		r.touch(key)
	}
	r.touch(places.Path)
}

// Remove takes a file out.
func (r *Repository) Remove(filePath string) {
	places := r.files[filePath]
	delete(r.changed, filePath)
	delete(r.spots, filePath)
	if places == nil {
		return
	}
	delete(r.files, filePath)
	r.forget(filePath)
	for _, key := range keysOf(places) {
		delete(r.names[key], filePath)
		r.touch(key)
	}
	r.touch(filePath)
}

// touch says that what was looked at has changed.
func (r *Repository) touch(key string) {
	for filePath := range r.looked[key] {
		if r.files[filePath] != nil {
			r.changed[filePath] = true
		}
	}
}

func (r *Repository) forget(filePath string) {
	for _, key := range r.seen[filePath] {
		delete(r.looked[key], filePath)
	}
	delete(r.seen, filePath)
}

// Pending returns the files, sorted, whose references may differ from those that Bind
// last gave for them: files that were put, and files whose references rest on one that
// was put or removed, or on one that was not there.
func (r *Repository) Pending() []string {
	return slices.Sorted(maps.Keys(r.changed))
}

// Look says what the references of an unchanged file rest on, as Bound.Seen had it in
// another process, so that the file need not be bound again for Pending to know it.
func (r *Repository) Look(filePath string, seen []string) {
	r.forget(filePath)
	r.seen[filePath] = seen
	for _, key := range seen {
		if r.looked[key] == nil {
			r.looked[key] = map[string]bool{}
		}
		r.looked[key][filePath] = true
	}
	delete(r.changed, filePath)
}

// Bound is what the places of a file refer to.
type Bound struct {
	References []symbol.Reference // by place; one for each From, To, Kind and Rel
	Seen       []string           // sorted: what they rest on, for Look
}

// Bind returns what a file refers to. A file that the repository does not have refers
// to nothing.
func (r *Repository) Bind(filePath string) Bound {
	places := r.files[filePath]
	if places == nil || places.Project != nil {
		delete(r.changed, filePath)
		return Bound{}
	}
	b := &binder{Repository: r, file: places, seen: map[string]bool{}, memo: map[memoKey]value{}, once: map[symbol.Reference]bool{}}
	b.bindImports()
	b.bindParents()
	b.bindCalls()
	slices.SortStableFunc(b.references, func(x, y symbol.Reference) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.To, y.To))
	})
	delete(b.seen, filePath)
	bound := Bound{References: b.references, Seen: slices.Sorted(maps.Keys(b.seen))}
	r.Look(filePath, bound.Seen)
	return bound
}

// BindAll binds all files, in the order of their paths.
func (r *Repository) BindAll() map[string]Bound {
	all := map[string]Bound{}
	for _, filePath := range slices.Sorted(maps.Keys(r.files)) {
		all[filePath] = r.Bind(filePath)
	}
	return all
}

// settingsKey is looked at by files whose imports are named by settings.
const settingsKey = "settings"

// keysOf returns what others may look up a file by, beside its path.
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
	return append(keys, externs(places)...)
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
