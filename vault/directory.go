package vault

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hence/vault/mention"
	"hence/vault/resolve"
)

// directory is who is called what in a vault: every file's path and its
// aliases, for links, and the names that a text may mention.
type directory struct {
	*resolve.Index
	mentions bool                // names are looked for in text
	muted    map[string]bool     // folded names that are not
	notes    int                 // in the vault
	names    map[string][]name   // path → names of the note
	wanted   map[string]bool     // path → the note wants to be mentioned, whatever it is called
	owners   map[string][]string // name → notes that are called so
	counts   map[string]int      // name → notes in whose text it stands as a word; nil: not known yet
	finder   *finder             // nil: to be made anew
}

// name is what a text may call a note.
type name struct {
	key   string // as mention.Key has it
	small bool   // the note itself is called so without a capital
}

// finder finds the names that only one note has.
type finder struct {
	*mention.Finder
	names []string // by number, as mention.Key has them
	paths []string // by number: who is called so
	small []bool   // by number: and without a capital
}

func newDirectory(s settings) *directory {
	return &directory{
		Index: resolve.New(nil), mentions: !s.noMentions, muted: s.muted,
		names: map[string][]name{}, wanted: map[string]bool{}, owners: map[string][]string{},
	}
}

// set adds a file, or changes what it is called.
func (d *directory) set(path string, c called) {
	if (entry{path: path}).isNote() && !d.Has(path) {
		d.notes++
	}
	d.Add(path)
	d.Aliases(path, c.aliases)
	if d.mentions {
		d.rename(path, d.namesOf(path, c))
		if delete(d.wanted, path); c.wanted {
			d.wanted[path] = true
		}
	}
}

// drop removes a file.
func (d *directory) drop(path string) {
	if (entry{path: path}).isNote() && d.Has(path) {
		d.notes--
	}
	d.Remove(path)
	d.rename(path, nil)
	delete(d.wanted, path)
}

// rename gives a note other names.
func (d *directory) rename(path string, names []name) {
	old := d.names[path]
	if slices.Equal(old, names) {
		return
	}
	d.finder = nil
	for _, n := range old {
		if d.owners[n.key] = slices.DeleteFunc(d.owners[n.key], func(p string) bool { return p == path }); len(d.owners[n.key]) == 0 {
			delete(d.owners, n.key)
		}
	}
	for _, n := range names {
		d.owners[n.key] = append(d.owners[n.key], path)
	}
	if d.names[path] = names; len(names) == 0 {
		delete(d.names, path)
	}
}

// namesOf returns the names by which a note may be mentioned, sorted. Other
// files have none: nobody mentions a picture by its name.
func (d *directory) namesOf(path string, c called) []name {
	e := entry{path: path}
	if !e.isNote() {
		return nil
	}
	names := []name{}
	for _, text := range append([]string{e.title()}, c.aliases...) {
		if key := mention.Key(text, c.wanted); key != "" && !d.muted[mention.Fold(text)] {
			names = append(names, name{key, strings.ToLower(text) == text})
		}
	}
	// Of two spellings the one with a capital comes first, and stands.
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(strings.Compare(a.key, b.key), compareBools(a.small, b.small))
	})
	names = slices.CompactFunc(names, func(a, b name) bool { return a.key == b.key })
	if len(names) < 2 {
		return names
	}
	// A name in capitals that is looked for in any case too would be found twice.
	all := slices.Clone(names)
	return slices.DeleteFunc(names, func(n name) bool {
		return slices.ContainsFunc(all, func(other name) bool { return other.key != n.key && other.key == mention.Fold(n.key) })
	})
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// owner returns the only note of a name, "" where there is none or several: a
// guess that could be either is not made.
func (d *directory) owner(name string) string {
	if paths := d.owners[name]; len(paths) == 1 {
		return paths[0]
	}
	return ""
}

// isSmall says whether the only note of a name is called so without a capital.
func (d *directory) isSmall(key string) bool {
	return slices.Contains(d.names[d.owner(key)], name{key, true})
}

// find returns the finder of every name that has one owner.
func (d *directory) find() *finder {
	if d.finder == nil {
		d.finder = d.findOnly(slices.Sorted(maps.Keys(d.owners)))
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
			f.small = append(f.small, d.isSmall(name))
		}
	}
	f.Finder = mention.New(f.names)
	return f
}
