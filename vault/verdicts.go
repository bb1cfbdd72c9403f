package vault

import (
	"slices"

	"hence/edges"
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

// foresee tells what will be claimed, so that circles are looked for only where
// there may be some.
func (v *verdicts) foresee(claims []claim) {
	all := map[end][]int64{}
	for from, to := range v.next {
		all[from] = slices.Clone(to)
	}
	for _, c := range claims {
		all[end{c.Kind, c.from}] = append(all[end{c.Kind, c.from}], c.to)
	}
	v.loops = components(all)
}

func (v *verdicts) accept(e pair) {
	v.next[end{e.kind, e.from}] = append(v.next[end{e.kind, e.from}], e.to)
	if e.kind == edges.Supersedes {
		v.successor[e.to] = e.from
	}
}

// judge says why an edge is refused, or accepts it.
func (v *verdicts) judge(e pair) string {
	if by, ok := v.successor[e.to]; ok && e.kind == edges.Supersedes {
		if by == e.from {
			return "" // said again
		}
		return refusedSuccessor
	}
	if v.closesCircle(e) {
		return refusedCycle
	}
	v.accept(e)
	return ""
}

// closesCircle says whether the accepted edges lead from an edge's end back to
// its start. No way leads out of a strongly connected part and back, so only
// its own edges are followed where the parts are known.
func (v *verdicts) closesCircle(e pair) bool {
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

// components numbers the strongly connected parts of a graph (Tarjan's way,
// without recursion, since a chain of notes may be long).
func components(next map[end][]int64) map[end]int {
	t := tarjan{next: next, index: map[end]int{}, low: map[end]int{}, part: map[end]int{}}
	for start := range next {
		if t.index[start] == 0 {
			t.visit(start)
		}
	}
	return t.part
}

type tarjan struct {
	next       map[end][]int64
	index, low map[end]int // from 1, in the order of discovery
	part       map[end]int // from 1, once it is known
	open       []end       // discovered, part not known
}

// visit walks all that can be reached from start.
func (t *tarjan) visit(start end) {
	type frame struct {
		at   end
		edge int // the next edge to follow
	}
	t.discover(start)
	for stack := []frame{{at: start}}; len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.edge < len(t.next[f.at]) {
			to := end{f.at.kind, t.next[f.at][f.edge]}
			f.edge++
			switch {
			case t.index[to] == 0:
				t.discover(to)
				stack = append(stack, frame{at: to})
			case t.part[to] == 0:
				t.low[f.at] = min(t.low[f.at], t.index[to])
			}
			continue
		}
		if t.low[f.at] == t.index[f.at] {
			t.close(f.at)
		}
		at := f.at
		if stack = stack[:len(stack)-1]; len(stack) > 0 {
			above := stack[len(stack)-1].at
			t.low[above] = min(t.low[above], t.low[at])
		}
	}
}

func (t *tarjan) discover(e end) {
	t.index[e] = len(t.index) + 1
	t.low[e] = t.index[e]
	t.open = append(t.open, e)
}

// close makes all that was discovered since root, and is open, a part.
func (t *tarjan) close(root end) {
	for {
		e := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.part[e] = t.index[root]
		if e == root {
			return
		}
	}
}
