package tidy

import (
	"fmt"

	"hence/edges"
)

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
			proposals = append(proposals, decide(propose(surest, why, agreedEdge{newEdge{m, e.other, kind, ""}}, m, e.other)))
		}
	}
	return proposals
}
