package projection

import (
	"hence/edges"
	"hence/internal/components"
)

// verdicts judges edges one by one against those accepted before.
type verdicts struct {
	successor map[int64]int64 // memory → what supersedes it
	next      map[end][]int64 // the accepted edges
	loops     map[end]int     // the strongly connected part of all that will be claimed; nil: not known
}

// end is a memory in the graph of one kind.
type end struct {
	kind   edges.Kind
	memory int64
}

// newVerdicts starts with edges that stand whatever is claimed.
func newVerdicts(fixed []pair) *verdicts {
	v := &verdicts{successor: map[int64]int64{}, next: map[end][]int64{}}
	for _, e := range fixed {
		v.accept(e)
	}
	return v
}

// foresee tells what will be claimed, so that cycles are looked for only where
// there may be some.
func (v *verdicts) foresee(claims []claim) {
	all := map[end][]end{}
	for from, tos := range v.next {
		for _, to := range tos {
			all[from] = append(all[from], end{from.kind, to})
		}
	}
	for _, c := range claims {
		from := end{c.Kind, c.from}
		all[from] = append(all[from], end{c.Kind, c.to})
	}
	v.loops = components.Number(all)
}

func (v *verdicts) accept(e pair) {
	v.next[end{e.kind, e.from}] = append(v.next[end{e.kind, e.from}], e.to)
	if e.kind == edges.Supersedes {
		v.successor[e.to] = e.from
	}
}

// judge says why an edge is refused, or accepts it.
func (v *verdicts) judge(e pair) string {
	if successor, ok := v.successor[e.to]; ok && e.kind == edges.Supersedes {
		if successor == e.from {
			return "" // said again
		}
		return RefusedSuccessor
	}
	if v.closesCycle(e) {
		return RefusedCycle
	}
	v.accept(e)
	return ""
}

// closesCycle says whether the accepted edges lead from an edge's end back to
// its start. No way leads out of a strongly connected part and back, so only
// its own edges are followed where the parts are known.
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
