package vault

import (
	"slices"

	"hence/vault/mention"
	"hence/vault/resolve"
)

// directory is who is called what in a vault: every file's path and its
// aliases, for links, and the names that a text may mention.
type directory struct {
	*resolve.Index
	mentions bool                // names are looked for in text
	names    map[string][]string // path → folded names of the note
	owners   map[string][]string // folded name → notes that are called so
	finder   *finder             // nil: to be made anew
}

// finder finds the names that only one note has.
type finder struct {
	*mention.Finder
	names []string // by number, folded
	paths []string // by number: who is called so
}

func newDirectory(mentions bool) *directory {
	return &directory{
		Index: resolve.New(nil), mentions: mentions,
		names: map[string][]string{}, owners: map[string][]string{},
	}
}

// set adds a file, or changes its aliases.
func (d *directory) set(path string, aliases []string) {
	d.Add(path)
	d.Aliases(path, aliases)
	if d.mentions {
		d.rename(path, namesOf(path, aliases))
	}
}

// drop removes a file.
func (d *directory) drop(path string) {
	d.Remove(path)
	d.rename(path, nil)
}

// rename gives a note other names.
func (d *directory) rename(path string, names []string) {
	old := d.names[path]
	if slices.Equal(old, names) {
		return
	}
	d.finder = nil
	for _, name := range old {
		if d.owners[name] = slices.DeleteFunc(d.owners[name], func(p string) bool { return p == path }); len(d.owners[name]) == 0 {
			delete(d.owners, name)
		}
	}
	for _, name := range names {
		d.owners[name] = append(d.owners[name], path)
	}
	if d.names[path] = names; len(names) == 0 {
		delete(d.names, path)
	}
}

// namesOf returns the names by which a note may be mentioned, sorted. Other
// files have none: nobody mentions a picture by its name.
func namesOf(path string, aliases []string) []string {
	e := entry{path: path}
	if !e.isNote() {
		return nil
	}
	names := []string{}
	for _, name := range append([]string{e.title()}, aliases...) {
		if folded := mention.Fold(name); folded != "" {
			names = append(names, folded)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// owner returns the only note of a name, "" where there is none or several: a
// guess that could be either is not made.
func (d *directory) owner(name string) string {
	if paths := d.owners[name]; len(paths) == 1 {
		return paths[0]
	}
	return ""
}

// find returns the finder of every name that has one owner.
func (d *directory) find() *finder {
	if d.finder == nil {
		names := make([]string, 0, len(d.owners))
		for name := range d.owners {
			names = append(names, name)
		}
		slices.Sort(names)
		d.finder = d.findOnly(names)
	}
	return d.finder
}

// findOnly returns a finder of some names.
func (d *directory) findOnly(names []string) *finder {
	f := &finder{}
	for _, name := range names {
		if path := d.owner(name); path != "" {
			f.names = append(f.names, name)
			f.paths = append(f.paths, path)
		}
	}
	f.Finder = mention.New(f.names)
	return f
}
