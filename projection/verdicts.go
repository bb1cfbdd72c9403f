package projection

import (
	"hence/edges"
	"hence/internal/components"
)

// verdicts accepts or refuses edges one by one, given those accepted before.
type verdicts struct {
	successor map[int64]int64 // memory → its successor
	next      map[end][]int64 // the accepted edges
	loops     map[end]int     // number of the strongly connected component among all claims; nil: not computed
}

// end is a memory in the graph of the edges of one kind.
type end struct {
	kind   edges.Kind
	memory int64
}

// newVerdicts returns verdicts that have accepted fixed edges without judging them.
func newVerdicts(fixed []pair) *verdicts {
	v := &verdicts{successor: map[int64]int64{}, next: map[end][]int64{}}
	for _, e := range fixed {
		v.accept(e)
	}
	return v
}

// foresee computes the strongly connected components of the accepted edges and all claims,
// so that judge searches for cycles only within a component.
func (v *verdicts) foresee(claims []storedSite) {
	all := map[end][]end{}
	for from, tos := range v.next {
		for _, to := range tos {
			all[from] = append(all[from], end{from.kind, to})
		}
	}
	for _, c := range claims {
		e := c.pair()
		all[end{e.kind, e.from}] = append(all[end{e.kind, e.from}], end{e.kind, e.to})
	}
	v.loops = components.Number(all)
}

func (v *verdicts) accept(e pair) {
	v.next[end{e.kind, e.from}] = append(v.next[end{e.kind, e.from}], e.to)
	if e.kind == edges.Supersedes {
		v.successor[e.to] = e.from
	}
}

// judge accepts an edge and returns "", or returns why the edge is refused.
func (v *verdicts) judge(e pair) string {
	if successor, ok := v.successor[e.to]; ok && e.kind == edges.Supersedes {
		if successor == e.from {
			return "" // declared twice
		}
		return RefusedSuccessor
	}
	if v.closesCycle(e) {
		return RefusedCycle
	}
	v.accept(e)
	return ""
}

// closesCycle reports whether the accepted edges lead from e.to back to e.from. A cycle
// lies within one strongly connected component, so only the component's edges are
// followed.
func (v *verdicts) closesCycle(e pair) bool {
	part := v.loops[end{e.kind, e.from}]
	if v.loops[end{e.kind, e.to}] != part {
		return false
	}
	seen := map[int64]bool{e.to: true}
	for todo := []int64{e.to}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at == e.from {
			return true
		}
		for _, to := range v.next[end{e.kind, at}] {
			if !seen[to] && v.loops[end{e.kind, to}] == part {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return false
}
