package vault

import (
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
	key   string // as mention.Fold has it
	form  string // as mention.Key has it: not the key where it is found in capitals only
	small bool   // the note itself is called so without a capital
}

// finder finds the names that only one note has.
type finder struct {
	*mention.Finder
	names []string // by number, as mention.Fold has them
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
	if IsNote(path) && !d.Has(path) {
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
	if IsNote(path) && d.Has(path) {
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
	if !IsNote(path) {
		return nil
	}
	names := []name{}
	for _, text := range append([]string{titleOf(path)}, c.aliases...) {
		form := mention.Key(text, c.wanted)
		n := name{key: mention.Fold(form), form: form, small: strings.ToLower(text) == text}
		if form == "" || d.muted[n.key] {
			continue
		}
		at := slices.IndexFunc(names, func(other name) bool { return other.key == n.key })
		if at < 0 {
			names = append(names, n)
			continue
		}
		// Of two spellings, one is found in any case if either is, and has a
		// capital if either has.
		if names[at].small = names[at].small && n.small; n.form == n.key {
			names[at].form = n.form
		}
	}
	slices.SortFunc(names, func(a, b name) int { return strings.Compare(a.key, b.key) })
	return names
}

// owner returns the only note of a name, "" where there is none or several: a
// guess that could be either is not made.
func (d *directory) owner(name string) string {
	if paths := d.owners[name]; len(paths) == 1 {
		return paths[0]
	}
	return ""
}

// named returns the name of the only note of it, with an empty key where there is
// none or several.
func (d *directory) named(key string) (n name) {
	for _, n := range d.names[d.owner(key)] {
		if n.key == key {
			return n
		}
	}
	return name{}
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
	forms := []string{}
	for _, key := range names {
		if path := d.owner(key); path != "" {
			n := d.named(key)
			f.names = append(f.names, key)
			f.paths = append(f.paths, path)
			f.small = append(f.small, n.small)
			forms = append(forms, n.form)
		}
	}
	f.Finder = mention.New(forms)
	return f
}
