package tidy

import (
	"fmt"
	"maps"
	"slices"

	"hence/edges"
)

const mostSupporting = 5 // supporting memories that are named for each side of a conflict

// conflicts proposes to settle each open contradiction: the side that more memories
// support replaces the other, or the newer one if as many do. A note is not replaced.
func (w *world) conflicts() []proposal {
	proposals := map[*record]proposal{} // by the memory that goes, which has one successor
	for _, m := range w.all {
		for _, e := range m.edges {
			if e.kind != edges.Contradicts || !e.out || e.over {
				continue
			}
			p, ok := settle(m, e.other)
			if !ok {
				continue
			}
			stays, goes := p.memories[0], p.memories[1]
			if other, known := proposals[goes]; !known || p.sure > other.sure || p.sure == other.sure && stays.id < other.memories[0].id {
				proposals[goes] = p
			}
		}
	}
	return slices.AppendSeq(slices.Concat(w.listProposed(edges.Contradicts), w.listMerged()), maps.Values(proposals)) // find sorts them
}

// settle proposes which of two contradicting memories replaces the other. It returns false if
// both are notes.
func settle(a, b *record) (proposal, bool) {
	forA, forB := a.supporters(), b.supporters()
	stays, goes := a, b
	if b.note || !a.note && (len(forB) > len(forA) || len(forB) == len(forA) && (b.since() > a.since() || b.since() == a.since() && b.id > a.id)) {
		stays, goes, forA, forB = b, a, forB, forA
	}
	if goes.note {
		return proposal{}, false
	}
	why := fmt.Sprintf("they contradict each other; %d support the first, %d the second", len(forA), len(forB))
	if len(forA) == len(forB) && !stays.note {
		why += ", and the first is newer"
	}
	p := propose(float64(len(forA)-len(forB)), why, newEdge{stays, goes, edges.Supersedes, "settles a contradiction"}, stays, goes)
	p.support = [][]*record{forA, forB}
	return p, true
}

// supporters returns the current memories that support a memory or that it is derived
// from, by id.
func (m *record) supporters() []*record {
	all := []*record{}
	for _, e := range m.edges {
		if !e.over && (e.kind == edges.Supports && !e.out || e.kind == edges.DerivedFrom && e.out) && !slices.Contains(all, e.other) {
			all = append(all, e.other)
		}
	}
	slices.SortFunc(all, byID)
	return all
}
