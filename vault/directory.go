package vault

import (
	"context"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/projection"
	"hence/vault/mention"
	"hence/vault/note"
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
	finder   *finder             // nil: must be made again
	changed  *renaming           // the changes of the last Update; nil after a first import
}

// Wholes returns nothing: a note is one memory.
func (d *directory) Wholes() []projection.Unit { return nil }

// renaming is what an import has changed about names.
type renaming struct {
	names    []string        // that mean another note than before, or none, or are spelled in other capitals; sorted
	ordinary map[string]bool // names that were ordinary words before
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

// naming is what a note says of its names.
type naming struct {
	aliases []string
	wanted  bool // mentions: true: they are looked for in plain text even where they are short or ordinary
}

// Directory returns who was called what at the last import.
func (s settings) Directory(ctx context.Context, r *db.Reader, known projection.Known) (projection.Directory, error) {
	d := &directory{
		Index: resolve.New(nil), mentions: !s.noMentions, muted: s.muted,
		names: map[string][]name{}, wanted: map[string]bool{}, owners: map[string][]string{},
	}
	wanted := map[string]bool{}
	err := db.Fill(ctx, r, wanted, `
select
  f.path,
  true
from files f
join memories m on m.key = f.memory
where f.vault = ?
  and instr(m.properties, '"mentions":true')
  and json_type(m.properties, '$.mentions') is 'true'`, known.Key)
	for path, f := range known.Files {
		d.set(path, naming{f.Aliases, wanted[path]})
	}
	return d, err
}

// Update brings the names to what they are now. A name that means another note
// than before, or none, is kept in renames.
func (d *directory) Update(ctx context.Context, c *projection.Changes) (keys []string, err error) {
	if d.changed = nil; c.Known.Key == 0 {
		if d.counts == nil {
			d.counts = map[string]int{}
		}
		for _, doc := range c.Documents {
			d.set(doc.Path, calledOf(doc))
		}
		return nil, nil
	}
	if err := d.readCounts(ctx, c); err != nil {
		return nil, err
	}
	type meaning struct {
		path string
		name name
	}
	owners := map[string]meaning{} // of every name that may change hands, as it was
	note := func(names []name) {
		for _, n := range names {
			owners[n.key] = meaning{d.owner(n.key), d.findName(n.key)}
		}
	}
	ordinary := d.allOrdinary()
	for _, path := range c.Removed {
		note(d.names[path])
	}
	for _, doc := range c.Documents {
		note(d.names[doc.Path])
		note(d.namesOf(doc.Path, calledOf(doc)))
	}
	for _, path := range c.Removed {
		d.drop(path)
	}
	for _, doc := range c.Documents {
		d.set(doc.Path, calledOf(doc))
	}
	d.changed = &renaming{ordinary: ordinary}
	for name, was := range owners {
		now := d.owner(name)
		if from, ok := c.Moved[now]; ok {
			now = from
		}
		if now != was.path || d.findName(name) != was.name {
			d.changed.names = append(d.changed.names, name)
		}
	}
	slices.Sort(d.changed.names)
	return concernedKeys(c), d.uncount(c)
}

// concernedKeys returns the keys of every name that has come or gone.
func concernedKeys(c *projection.Changes) []string {
	keys := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			keys[resolve.Key(name)] = true
		}
	}
	for _, path := range c.Removed {
		add(path)
		add(c.Known.Files[path].Aliases...)
	}
	for _, doc := range c.Documents {
		old, there := c.Known.Files[doc.Path]
		if !there {
			add(doc.Path)
		}
		if !slices.Equal(old.Aliases, doc.Aliases) {
			add(old.Aliases...)
			add(doc.Aliases...)
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// calledOf is what a file says of its names now.
func calledOf(doc *document) naming { return naming{doc.Aliases, restOf(doc).wanted} }

// Resolve finds what sites mean.
func (d *directory) Resolve(sites []projection.Site) []projection.Meaning {
	all := make([]projection.Meaning, len(sites))
	for i, s := range sites {
		if s.Origin == projection.Mention {
			all[i] = projection.Meaning{Path: s.Found, By: string(resolve.ByName)}
			continue
		}
		result := FindTarget(d.Index, s.Source, s.Target, s.Lenient)
		all[i] = projection.Meaning{Path: result.Path, By: string(result.By), Candidates: result.Candidates}
		if result.Path != "" && s.Lenient != "" {
			all[i].By = s.Lenient
		}
	}
	return all
}

// FindTarget returns what the target of a link means in a file, a name without
// brackets being a note's name and nothing else.
func FindTarget(x *resolve.Index, source, target, lenient string) resolve.Result {
	if lenient == string(note.Bare) {
		return x.FindByName(target)
	}
	return x.Resolve(source, target)
}

// set adds a file, or changes what it is called.
func (d *directory) set(path string, c naming) {
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
func (d *directory) namesOf(path string, c naming) []name {
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
		// Two spellings are one name. It is found in any case if either is, and has
		// a capital if either has.
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

// findName returns the name of the only note of it, with an empty key where there is
// none or several.
func (d *directory) findName(key string) (n name) {
	for _, n := range d.names[d.owner(key)] {
		if n.key == key {
			return n
		}
	}
	return name{}
}

// find returns the finder of every name that has one owner.
func (d *directory) find() *finder {
	if d.finder != nil {
		return d.finder
	}
	f := &finder{}
	forms := []string{}
	for _, key := range slices.Sorted(maps.Keys(d.owners)) {
		if path := d.owner(key); path != "" {
			n := d.findName(key)
			f.names = append(f.names, key)
			f.paths = append(f.paths, path)
			f.small = append(f.small, n.small)
			forms = append(forms, n.form)
		}
	}
	f.Finder = mention.New(forms)
	d.finder = f
	return f
}
