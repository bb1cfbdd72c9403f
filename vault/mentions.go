package vault

import (
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
	stretch    note.Stretch
	start, end int // of the name in the stretch's line
}

// findMentions finds the names of notes in the text of files, as many at a time as
// there are processors.
func (d *directory) findMentions(documents []*document) {
	if !d.mentions {
		return
	}
	f := d.find()
	projection.InParallel(len(documents), func(i int) { f.look(documents[i]) })
}

// look finds the names of other notes in a document's text, each at most once in a line.
// Names may overlap, so that adding or removing one does not change the mentions of others.
// It also sets d.Words to the names that the text has as words, the note's own included: a
// name counts if it is written without a capital, or if the note's own spelling has none
// (the capital may then come from the start of a sentence).
func (f *finder) look(d *document) {
	lines := map[int]int{} // number of a name → the last line that has it
	words := map[int]bool{}
	remaining := restOf(d)
	for _, s := range remaining.plain {
		f.Find(s.Line, s.Start, s.End, func(name, start, end int) {
			key := f.names[name]
			if !words[name] && (f.small[name] || s.Line[start:end] == key) {
				words[name] = true
			}
			if f.paths[name] == d.Path || lines[name] == s.Number {
				return
			}
			lines[name] = s.Number
			remaining.mentions = append(remaining.mentions, bareMention{path: f.paths[name], key: key, stretch: s, start: start, end: end})
		})
	}
	d.Words = make([]string, 0, len(words))
	for name := range words {
		d.Words = append(d.Words, f.names[name])
	}
	slices.Sort(d.Words)
	remaining.plain = nil
}

// site returns the mention as a site.
func (m bareMention) site() projection.Site {
	s := m.stretch
	return projection.Site{
		Kind: edges.Mentions, Origin: projection.Mention,
		Target: s.Line[m.start:m.end], TargetKey: resolve.Key(m.key),
		Line: s.Number, Start: s.Offset + m.start, End: s.Offset + m.end, Context: s.Context(m.start, m.end),
		Found: m.path,
	}
}
