package vault

import (
	"runtime"
	"slices"
	"sync"

	"hence/edges"
	"hence/vault/note"
	"hence/vault/resolve"
)

// mentioned is a note's name in the text of another, where nobody linked it.
type mentioned struct {
	path       string // the note that is called so
	key        string // its name, as mention.Fold has it
	stretch    note.Stretch
	start, end int // of the name in the stretch's line
}

// findMentions finds the names of a finder in the text of files, as many at a
// time as there are processors.
func (p *project) findMentions(documents []*document, f *finder) {
	if !p.directory.mentions {
		return
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				f.look(documents[i])
			}
		})
	}
	for i := range documents {
		next <- i
	}
	close(next)
	workers.Wait()
}

// findRead finds the mentions in the files that were read, and counts in how
// many each name stands as a word.
func (p *project) findRead() {
	p.findMentions(p.documents, p.directory.find())
	for _, d := range p.documents {
		p.directory.count(d.words, 1)
	}
}

// leaveOutOrdinary takes the mentions by ordinary words out of what was found.
// Only once all was read is it known which these are.
func (p *project) leaveOutOrdinary() {
	for _, d := range slices.Concat(p.documents, p.elsewhere) {
		d.mentions = slices.DeleteFunc(d.mentions, func(m mentioned) bool { return p.directory.isOrdinary(m.key) })
	}
}

// look finds the names of other notes in a file's text: each name once in a
// line, and each on its own, so that a name which comes or goes changes nothing
// about the others. It notes which names stand there as a word, those of the note
// itself included: without a capital or, where the note is called so without one,
// anyhow, since a word has a capital where a sentence or a heading begins.
func (f *finder) look(d *document) {
	lines := map[int]int{} // by name: the last line that has it
	words := map[int]bool{}
	d.mentions = nil
	for _, s := range d.plain {
		unspaced := f.Find(s.Line, s.Start, s.End, func(name, start, end int) {
			key := f.names[name]
			if !words[name] && (f.small[name] || s.Line[start:end] == key) {
				words[name] = true
			}
			if f.paths[name] == d.Path || lines[name] == s.Number {
				return
			}
			lines[name] = s.Number
			d.mentions = append(d.mentions, mentioned{path: f.paths[name], key: key, stretch: s, start: start, end: end})
		})
		d.unspaced = d.unspaced || unspaced
	}
	d.words = make([]string, 0, len(words))
	for name := range words {
		d.words = append(d.words, f.names[name])
	}
	slices.Sort(d.words)
	d.plain = nil
}

// site is the mention as a site of its note. Title or alias, it is a name.
func (m mentioned) site(d *document) site {
	s := m.stretch
	return site{
		source: d.Path, path: m.path, Kind: edges.Mentions, Origin: "mention", At: d.time(),
		Target: s.Line[m.start:m.end], TargetKey: resolve.Key(m.key),
		Line: s.Number, Start: s.Offset + m.start, End: s.Offset + m.end, Context: s.Context(m.start, m.end),
		ResolvedBy: string(resolve.ByName), Candidates: "[]",
	}
}
