package vault

import (
	"context"
	"maps"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/projection"
	"hence/vault/note"
	"hence/vault/resolve"
)

// bareMention is a note's name in the text of another, where nobody linked it.
type bareMention struct {
	path       string // the note that has the name
	key        string // the name, in the form of mention.Fold
	stretch    note.Stretch
	start, end int // of the name in the stretch's line
}

// findMentions finds the names of notes in the text of files, as many at a time as
// there are processors.
func (d *directory) findMentions(documents []*document) {
	if !d.mentions {
		return
	}
	lists.InParallel(len(documents), func(i int) { d.look(documents[i]) })
}

// look finds the names of other notes in a document's text, each at most once in a line.
// Names may overlap, so that adding or removing one does not change the mentions of others.
// It also sets doc.Words to the names that the text has as words, the note's own included: a
// name counts if it is written without a capital, or if the note's own spelling has none
// (the capital may then come from the start of a sentence).
func (d *directory) look(doc *document) {
	lines := map[string]int{} // name → the last line that has it
	words := map[string]bool{}
	remaining := restOf(doc)
	for _, s := range remaining.plain {
		d.finder.Find(s.Line, s.Start, s.End, func(form string, start, end int) {
			n := d.meant(form)
			if n.key == "" {
				return
			}
			if n.small || s.Line[start:end] == n.key {
				words[n.key] = true
			}
			path := d.owner(n.key).path
			if path == doc.Path || lines[n.key] == s.Number {
				return
			}
			lines[n.key] = s.Number
			remaining.mentions = append(remaining.mentions, bareMention{path: path, key: n.key, stretch: s, start: start, end: end})
		})
	}
	doc.Words = append(make([]string, 0, len(words)), slices.Sorted(maps.Keys(words))...)
	remaining.plain = nil
}

// site returns the mention as a site of the document that has it.
func (m bareMention) site(in *rest) projection.Site {
	s := m.stretch
	site := projection.Site{
		Kind: edges.Mentions, Origin: projection.Mention,
		Target: s.Line[m.start:m.end], TargetKey: resolve.Key(m.key),
		Line: s.Number, Start: s.Offset + m.start, End: s.Offset + m.end,
		Meaning: projection.Meaning{Path: m.path, By: string(resolve.ByName)},
	}
	in.setContext(&site, s.Context(m.start, m.end))
	return site
}

// A name that more than one in ordinaryShare notes have as a word (see look) is an ordinary
// word of its vault, and makes no mention. A vault of fewer than ordinaryVault notes counts
// as one of ordinaryVault, so that the word must be in three: in a small vault every word is
// in a large share of the notes.
const (
	ordinaryShare = 50 // more than 2 %
	ordinaryVault = 100
)

// isOrdinary reports whether a name makes no mention because it is an ordinary word. It is
// false for a name of a note with mentions: true.
func (d *directory) isOrdinary(name string) bool {
	return d.counts[name]*ordinaryShare > max(d.notes, ordinaryVault) && !d.wanted[d.owner(name).path]
}

// count adds notes, which may be negative, to the counts of names.
func (d *directory) count(names []string, notes int) {
	for _, name := range names {
		if d.counts[name] += notes; d.counts[name] == 0 {
			delete(d.counts, name)
		}
	}
}

// allOrdinary returns the ordinary words among the names that only one note has.
func (d *directory) allOrdinary() map[string]bool {
	all := map[string]bool{}
	for name := range d.counts {
		if d.owner(name).path != "" && d.isOrdinary(name) {
			all[name] = true
		}
	}
	return all
}

// turnedNames returns the names that have become ordinary words or ceased to be, given
// those that were before.
func (d *directory) turnedNames(before map[string]bool) (names []string) {
	now := d.allOrdinary()
	for _, sets := range [][2]map[string]bool{{now, before}, {before, now}} {
		for name := range sets[0] {
			if !sets[1][name] {
				names = append(names, name)
			}
		}
	}
	return names
}

// readCounts reads d.counts from the store, unless it has been read.
func (d *directory) readCounts(ctx context.Context, c *projection.Changes) error {
	if d.counts != nil {
		return nil
	}
	d.counts = map[string]int{}
	if !d.mentions {
		return nil
	}
	return db.Fill(ctx, c.DB, d.counts, `
select
  w.value,
  count(*)
from files f
join json_each(f.words) w
where f.mirror = ?
group by w.value`, c.Known.Key)
}

// uncount subtracts removed and changed files from the counts.
func (d *directory) uncount(c *projection.Changes) error {
	changed := lists.Map(c.Documents, func(doc *document) string { return doc.Path })
	for _, path := range slices.Concat(c.Removed, changed) {
		words, err := wordsOf(c.Known.Files[path].Words)
		if err != nil {
			return err
		}
		d.count(words, -1)
	}
	return nil
}
