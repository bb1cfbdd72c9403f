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

// directory holds the names in a vault: the paths and aliases of all files, for links, and
// the names of notes that a text may mention.
type directory struct {
	*resolve.Index
	mentions bool               // names are searched in plain text
	muted    map[string]bool    // folded names that are not searched
	notes    int                // in the vault
	names    map[string][]name  // path → names of the note
	wanted   map[string]bool    // path → the note has mentions: true, see naming
	owners   map[string][]owned // key of a name → the notes with this name
	counts   map[string]int     // name → number of notes whose text has it as a word; nil: not read yet
	finder   *mention.Finder    // of the forms of all names
	changed  *renaming          // the changes of the last Update; nil after a first import
}

// Wholes returns nothing: a note is one memory.
func (d *directory) Wholes() []projection.Unit { return nil }

// renaming holds the changes of an import to names.
type renaming struct {
	names    []string        // that mean another note than before, or none, or have other capitals; sorted
	ordinary map[string]bool // names that were ordinary words before
}

// name is a name by which a text may mention a note.
type name struct {
	key   string // in the form of mention.Fold
	form  string // in the form of mention.Key; differs from key if it is found in capitals only
	small bool   // the note's own spelling has no capital
}

// owned is a name of a note.
type owned struct {
	path string
	name name
}

// naming is what a note declares about its names.
type naming struct {
	aliases []string
	wanted  bool // mentions: true, so that the names are searched even if they are short or ordinary
}

// Directory returns the names of the vault's files as of the last import.
func (s settings) Directory(ctx context.Context, r *db.Reader, known projection.Known) (projection.Directory, error) {
	d := &directory{
		Index: resolve.New(nil), mentions: !s.noMentions, muted: s.muted,
		names: map[string][]name{}, wanted: map[string]bool{}, owners: map[string][]owned{}, finder: mention.New(nil),
	}
	wanted := map[string]bool{}
	err := db.Fill(ctx, r, wanted, `
select
  f.path,
  true
from files f
join memories m on m.key = f.memory
where f.mirror = ?
  and instr(m.properties, '"mentions":true')
  and json_type(m.properties, '$.mentions') is 'true'`, known.Key)
	for path, f := range known.Files {
		d.set(path, naming{f.Aliases, wanted[path]})
	}
	return d, err
}

// Update brings the names up to date. It keeps the names that mean another note than
// before, or none, in d.changed.
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
	owners := map[string]owned{} // key of a name that may get another owner → its meaning before
	note := func(names []name) {
		for _, n := range names {
			owners[n.key] = d.owner(n.key)
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
		if from, ok := c.Moved[now.path]; ok {
			now.path = from
		}
		if now != was {
			d.changed.names = append(d.changed.names, name)
		}
	}
	slices.Sort(d.changed.names)
	return concernedKeys(c), d.uncount(c)
}

// concernedKeys returns the target keys of all names that were added or removed.
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

// calledOf returns what a file declares about its names now.
func calledOf(doc *document) naming { return naming{doc.Aliases, restOf(doc).wanted} }

// Resolve sets the meaning of a site, but of a mention, which has it.
func (d *directory) Resolve(s *projection.Site) {
	if s.Origin == projection.Mention {
		return
	}
	result := FindTarget(d.Index, s.Source, s.Target, s.Lenient)
	s.Meaning = projection.Meaning{Path: result.Path, By: string(result.By), Candidates: result.Candidates}
	if result.Path != "" && s.Lenient != "" {
		s.By = s.Lenient
	}
}

// FindTarget returns the file that the target of a link in source means. A name without
// brackets (note.Bare) means only a note by its name or alias.
func FindTarget(x *resolve.Index, source, target, lenient string) resolve.Result {
	if lenient == string(note.Bare) {
		return x.FindByName(target)
	}
	return x.Resolve(source, target)
}

// set adds a file, or changes its names.
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

// rename replaces the names of a note.
func (d *directory) rename(path string, names []name) {
	old := d.names[path]
	if slices.Equal(old, names) {
		return
	}
	for _, n := range old {
		d.finder.Add(n.form, -1)
		if d.owners[n.key] = slices.DeleteFunc(d.owners[n.key], func(o owned) bool { return o.path == path }); len(d.owners[n.key]) == 0 {
			delete(d.owners, n.key)
		}
	}
	for _, n := range names {
		d.finder.Add(n.form, 1)
		d.owners[n.key] = append(d.owners[n.key], owned{path, n})
	}
	if d.names[path] = names; len(names) == 0 {
		delete(d.names, path)
	}
}

// namesOf returns the names by which a note may be mentioned, sorted. Other files have
// none: nobody mentions a picture by its name.
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
		// Two spellings with one key are one name. It is found in any case if one of them is,
		// and has a capital if one of them has.
		if names[at].small = names[at].small && n.small; n.form == n.key {
			names[at].form = n.form
		}
	}
	slices.SortFunc(names, func(a, b name) int { return strings.Compare(a.key, b.key) })
	return names
}

// owner returns the only note with a name, by its key; the zero value if there is none. It is also the zero value
// for several, because the name does not tell which one is meant.
func (d *directory) owner(key string) owned {
	if notes := d.owners[key]; len(notes) == 1 {
		return notes[0]
	}
	return owned{}
}

// meant returns the name that has a form, if exactly one note has it; else the zero value.
func (d *directory) meant(form string) name {
	key := form
	if len(d.owners[form]) == 0 {
		key = mention.Fold(form)
	}
	if n := d.owner(key).name; n.form == form {
		return n
	}
	return name{}
}
