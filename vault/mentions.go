package vault

import (
	"maps"
	"slices"

	"hence/edges"
	"hence/projection"
	"hence/vault/note"
	"hence/vault/resolve"
)

// bareMention is a note's name in the text of another, where nobody linked it.
type bareMention struct {
	path       string // the note that has the name
	key        string // the name, in the form of mention.Fold
	in         *rest  // of the document that has it
	stretch    note.Stretch
	start, end int // of the name in the stretch's line
}

// findMentions finds the names of notes in the text of files, as many at a time as
// there are processors.
func (d *directory) findMentions(documents []*document) {
	if !d.mentions {
		return
	}
	projection.InParallel(len(documents), func(i int) { d.look(documents[i]) })
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
			path := d.owner(n.key)
			if path == doc.Path || lines[n.key] == s.Number {
				return
			}
			lines[n.key] = s.Number
			remaining.mentions = append(remaining.mentions, bareMention{path: path, key: n.key, in: remaining, stretch: s, start: start, end: end})
		})
	}
	doc.Words = append(make([]string, 0, len(words)), slices.Sorted(maps.Keys(words))...)
	remaining.plain = nil
}

// site returns the mention as a site.
func (m bareMention) site() projection.Site {
	s := m.stretch
	site := projection.Site{
		Kind: edges.Mentions, Origin: projection.Mention,
		Target: s.Line[m.start:m.end], TargetKey: resolve.Key(m.key),
		Line: s.Number, Start: s.Offset + m.start, End: s.Offset + m.end,
		Meaning: projection.Meaning{Path: m.path, By: string(resolve.ByName)},
	}
	m.in.setContext(&site, s.Context(m.start, m.end))
	return site
}
