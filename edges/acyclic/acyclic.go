// Package acyclic decides which edges stand where two exclude each other: it accepts or refuses
// them one by one, so that no accepted edges form a cycle and no memory has two successors.
package acyclic

import (
	"slices"

	"hence/edges"
	"hence/internal/components"
)

// Edge is an edge of a kind that may not have cycles. Edges of different kinds do not form
// cycles together. K names a memory.
type Edge[K comparable] struct {
	Kind     edges.Kind
	From, To K
}

// Verdict is why an edge is refused.
type Verdict string

// The verdicts.
const (
	Accepted  Verdict = ""
	Cycle     Verdict = "cycle"     // it would close a cycle
	Successor Verdict = "successor" // the memory has another successor
)

// end is a memory in the graph of the edges of one kind.
type end[K comparable] struct {
	kind   edges.Kind
	memory K
}

// Judge judges edges in the order in which they come.
type Judge[K comparable] struct {
	successor map[K]K
	next      map[end[K]][]K // the accepted edges
	component map[end[K]]int // number of the strongly connected component among all edges
}

// New returns a judge that has accepted fixed edges, and will be asked about the claims only.
func New[K comparable](fixed, claims []Edge[K]) *Judge[K] {
	j := &Judge[K]{successor: map[K]K{}, next: map[end[K]][]K{}}
	all := map[end[K]][]end[K]{}
	for i, e := range append(fixed[:len(fixed):len(fixed)], claims...) {
		from := end[K]{e.Kind, e.From}
		all[from] = append(all[from], end[K]{e.Kind, e.To})
		if i < len(fixed) {
			j.accept(e)
		}
	}
	j.component = components.Number(all)
	return j
}

func (j *Judge[K]) accept(e Edge[K]) {
	from := end[K]{e.Kind, e.From}
	j.next[from] = append(j.next[from], e.To)
	if e.Kind == edges.Supersedes {
		j.successor[e.To] = e.From
	}
}

// Judge accepts an edge, or returns why it is refused, and the successor that the memory has.
func (j *Judge[K]) Judge(e Edge[K]) (v Verdict, successor K) {
	if successor, ok := j.successor[e.To]; ok && e.Kind == edges.Supersedes {
		if successor == e.From {
			return Accepted, successor // declared twice
		}
		return Successor, successor
	}
	if j.closesCycle(e) {
		return Cycle, successor
	}
	j.accept(e)
	return Accepted, successor
}

// closesCycle reports whether the accepted edges lead from e.To back to e.From. A cycle lies
// within one strongly connected component, so only the component's edges are followed.
func (j *Judge[K]) closesCycle(e Edge[K]) bool {
	own := j.component[end[K]{e.Kind, e.From}]
	if j.component[end[K]{e.Kind, e.To}] != own {
		return false
	}
	return components.Route(e.To, func(at K) bool { return at == e.From }, func(at K) []K {
		return slices.DeleteFunc(slices.Clone(j.next[end[K]{e.Kind, at}]), func(to K) bool { return j.component[end[K]{e.Kind, to}] != own })
	}) != nil
}
