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
	path       string // the note that is called so
	key        string // its name, as mention.Fold has it
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

// look finds the names of other notes in a file's text: each name once in a
// line, and each on its own, so that a name which comes or goes changes nothing
// about the others. It notes which names stand there as a word, those of the note
// itself included: without a capital or, where the note is called so without one,
// anyhow, since a word has a capital where a sentence or a heading begins.
func (f *finder) look(d *document) {
	lines := map[int]int{} // by name: the last line that has it
	words := map[int]bool{}
	kept := restOf(d)
	for _, s := range kept.plain {
		f.Find(s.Line, s.Start, s.End, func(name, start, end int) {
			key := f.names[name]
			if !words[name] && (f.small[name] || s.Line[start:end] == key) {
				words[name] = true
			}
			if f.paths[name] == d.Path || lines[name] == s.Number {
				return
			}
			lines[name] = s.Number
			kept.mentions = append(kept.mentions, bareMention{path: f.paths[name], key: key, stretch: s, start: start, end: end})
		})
	}
	d.Words = make([]string, 0, len(words))
	for name := range words {
		d.Words = append(d.Words, f.names[name])
	}
	slices.Sort(d.Words)
	kept.plain = nil
}

// site is the mention as a site. Title or alias, it is a name.
func (m bareMention) site() projection.Site {
	s := m.stretch
	return projection.Site{
		Kind: edges.Mentions, Origin: projection.Mention,
		Target: s.Line[m.start:m.end], TargetKey: resolve.Key(m.key),
		Line: s.Number, Start: s.Offset + m.start, End: s.Offset + m.end, Context: s.Context(m.start, m.end),
		Found: m.path,
	}
}
