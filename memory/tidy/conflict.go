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
	proposals := map[*memo]proposal{} // by the memory that goes, which has one successor
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
			if other, known := proposals[goes]; !known || p.sure > other.sure || p.sure == other.sure && stays.ID < other.memories[0].ID {
				proposals[goes] = p
			}
		}
	}
	return slices.AppendSeq(slices.Concat(w.listProposed(edges.Contradicts), w.listMerged()), maps.Values(proposals)) // find sorts them
}

// settle proposes which of two contradicting memories replaces the other. It returns false if
// both are notes.
func settle(a, b *memo) (proposal, bool) {
	forA, forB := a.supporters(), b.supporters()
	stays, goes := a, b
	if b.note() || !a.note() && (len(forB) > len(forA) || len(forB) == len(forA) && (b.since() > a.since() || b.since() == a.since() && b.ID > a.ID)) {
		stays, goes, forA, forB = b, a, forB, forA
	}
	if goes.note() {
		return proposal{}, false
	}
	why := fmt.Sprintf("they contradict each other; %d support the first, %d the second", len(forA), len(forB))
	if len(forA) == len(forB) && !stays.note() {
		why += ", and the first is newer"
	}
	p := propose(float64(len(forA)-len(forB)), why, link(stays, goes, edges.Supersedes, "settles a contradiction"), stays, goes)
	p.support = [][]*memo{forA, forB}
	return p, true
}

// supporters returns the current memories that support a memory or that it is derived
// from, by id.
func (m *memo) supporters() []*memo {
	all := []*memo{}
	for _, e := range m.edges {
		if !e.over && (e.kind == edges.Supports && !e.out || e.kind == edges.DerivedFrom && e.out) && !slices.Contains(all, e.other) {
			all = append(all, e.other)
		}
	}
	slices.SortFunc(all, byID)
	return all
}

// listMerged proposes to settle what merges left open: to forget a losing text once the text
// that stands has taken over what it lacks, and to drop an edge that would close a cycle.
func (w *world) listMerged() (proposals []proposal) {
	const sure = 2
	for _, e := range w.edits {
		why := "both are edits of one memory, made apart; the first stands, and the second gave way in a merge: take over what the first lacks, then accept"
		proposals = append(proposals, propose(sure, why, forget(e.gaveWay, "settled: "+e.stands.quote()+" stands"), e.stands, e.gaveWay))
	}
	for _, u := range w.untaken {
		why := fmt.Sprintf("a merge brought the edge %s from the first to the second, which would close a cycle; it stays out, and the next merge tries again", u.kind)
		proposals = append(proposals, propose(sure, why, drop(u), u.from, u.to))
	}
	return proposals
}

// listProposed lists the edges of a kind that agents declared from a less trusted memory to a
// more trusted one, and that a person has not yet agreed to: see edges.Proposed.
func (w *world) listProposed(kind edges.Kind) []proposal {
	const surest = 3
	proposals := []proposal{}
	for _, m := range w.all {
		for _, e := range m.edges {
			if !e.out || e.over || e.proposed != kind {
				continue
			}
			why := fmt.Sprintf("an agent or a file says that the first %s the second; a person decides", kind)
			proposals = append(proposals, decide(propose(surest, why, accede(m, e.other, kind), m, e.other)))
		}
	}
	return proposals
}
