package exchange

import (
	"cmp"

	"hence/edges"
	"hence/internal/ref"
)

// A file that Hence wrote is trusted as whoever hands it over: its lines say who said what.
// What a person calls a stranger's file (ImportArgs.Source) is trusted no more than that,
// whatever its lines say, and a line that says nothing of itself speaks as an import.

// isStrangers reports whether the file is a stranger's.
func (r reader) isStrangers() bool { return r.source != "" && ref.Rank(r.source) < ref.RankOfAgent }

// lower makes a memory come from the source of the import, unless its line says a less
// trusted one. A stranger confirms and verifies nothing, and its text is never the later
// one in a merge.
func (r reader) lower(m *memoryLine, saysSource bool) {
	if r.source == "" {
		return
	}
	own := cmp.Or(value(m.Source), map[string]string{"vault": ref.Note}[m.Origin], m.Origin)
	if !saysSource || ref.Rank(r.source) < ref.Rank(own) {
		m.Source = &r.source
	}
	if ref.Rank(r.source) < ref.RankOfPerson {
		m.Confirmed = nil
	}
	if r.isStrangers() {
		m.Verifications, m.Changed = nil, nil
	}
}

// lowerEdge says by whose word an edge is declared. A stranger's is as new as the import: it
// was not declared with the memory whose text it says goes back to another.
func (r reader) lowerEdge(e *edgeLine, saysOrigin bool) {
	switch {
	case r.source != "":
		e.Word = ref.Rank(r.source)
	case !saysOrigin:
		e.Word = ref.Rank(ref.Import)
	}
	if r.isStrangers() {
		e.Origin, e.CreatedAt, e.Sites, e.Declared, e.Changed = "import", r.now, []site{}, nil, nil
	}
}

// mayBeProposal reports whether an edge is kept as a proposal if its word counts for less
// than the memory that it replaces or contradicts.
func (e *edgeLine) mayBeProposal() bool {
	kind := edges.Kind(e.EdgeType)
	return e.Word > 0 && e.Unsettled == "" && (kind == edges.Supersedes || kind == edges.Contradicts)
}

// maxAhead is how many years a clock may be wrong: a text from the year 9000 would win every
// merge.
const maxAhead = 10

// lastTime returns the last time at which a line says that something was done.
func (rec record) lastTime() (last string) {
	see := func(c fieldStamps, all ...*string) {
		for _, stamps := range c {
			all = append(all, &stamps[0])
		}
		for _, at := range all {
			last = max(last, timeOf(value(at)))
		}
	}
	switch {
	case rec.memory != nil:
		see(rec.memory.Changed, &rec.memory.CreatedAt, &rec.memory.UpdatedAt, rec.memory.ForgottenAt, rec.memory.VerifiedAt)
	case rec.edge != nil:
		see(rec.edge.Changed, &rec.edge.CreatedAt)
	case rec.removed != nil:
		see(nil, &rec.removed.At)
	}
	return last
}
