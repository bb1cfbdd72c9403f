package walk

import (
	"cmp"
	"slices"
)

// member is a memory of a shape.
type member struct {
	key     int64
	current bool
}

// shape is the whole graph by numbers: which memories are joined, how often,
// and by which causes.
type shape struct {
	members []member
	number  map[int64]int32 // key → place among the members
	edges   []int32         // number of edges at each
	parent  []int32         // disjoint sets: the way to each one's piece
	causes  [][2]int32
}

// newShape takes the memories in the order in which ties are to be decided.
func newShape(members []member) *shape {
	s := &shape{
		members: members, number: make(map[int64]int32, len(members)),
		edges: make([]int32, len(members)), parent: make([]int32, len(members)),
	}
	for i, m := range members {
		s.number[m.key] = int32(i)
		s.parent[i] = int32(i)
	}
	return s
}

// join adds an edge. Edges to what is no member are left out.
func (s *shape) join(from, to int64, causal bool) {
	a, isA := s.number[from]
	b, isB := s.number[to]
	if !isA || !isB {
		return
	}
	s.edges[a]++
	s.edges[b]++
	s.parent[s.piece(a)] = s.piece(b)
	if causal {
		s.causes = append(s.causes, [2]int32{a, b})
	}
}

// piece finds the piece that a member belongs to, halving the way to it
// (Tarjan and van Leeuwen 1984).
func (s *shape) piece(a int32) int32 {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

func (s *shape) degree(key int64) int { return int(s.edges[s.number[key]]) }

// components returns the number of pieces of two or more, and the size of the
// largest.
func (s *shape) components() (count, largest int) {
	sizes := make([]int, len(s.members))
	for i := range s.members {
		sizes[s.piece(int32(i))]++
	}
	for _, size := range sizes {
		if size > 1 {
			count++
			largest = max(largest, size)
		}
	}
	return count, largest
}

// orphans returns the current memories without an edge.
func (s *shape) orphans() []int64 {
	keys := []int64{}
	for i, m := range s.members {
		if m.current && s.edges[i] == 0 {
			keys = append(keys, m.key)
		}
	}
	return keys
}

// mostLinked returns the current memories with the most edges, at most n.
func (s *shape) mostLinked(n int) []int64 {
	numbers := []int32{}
	for i, m := range s.members {
		if m.current && s.edges[i] > 0 {
			numbers = append(numbers, int32(i))
		}
	}
	slices.SortFunc(numbers, func(a, b int32) int { return cmp.Or(cmp.Compare(s.edges[b], s.edges[a]), cmp.Compare(a, b)) })
	return s.keys(numbers[:min(len(numbers), n)])
}

func (s *shape) keys(numbers []int32) []int64 {
	keys := make([]int64, len(numbers))
	for i, n := range numbers {
		keys[i] = s.members[n].key
	}
	return keys
}

// loops returns the sets of memories that cause each other, the largest
// first: the strongly connected components of two or more (Tarjan 1972,
// without recursion).
func (s *shape) loops() [][]int64 {
	effects := map[int32][]int32{}
	for _, c := range s.causes {
		effects[c[0]] = append(effects[c[0]], c[1])
	}
	t := tarjan{effects: effects, index: map[int32]int{}, low: map[int32]int{}, onStack: map[int32]bool{}}
	for _, c := range s.causes {
		t.visit(c[0])
	}
	for _, set := range t.found {
		slices.Sort(set)
	}
	slices.SortFunc(t.found, func(a, b []int32) int { return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b)) })
	loops := make([][]int64, len(t.found))
	for i, set := range t.found {
		loops[i] = s.keys(set)
	}
	return loops
}

// tarjan is the state of the search for strongly connected components.
type tarjan struct {
	effects    map[int32][]int32
	index, low map[int32]int
	stack      []int32
	onStack    map[int32]bool
	found      [][]int32
}

// visit searches from a node that was not visited. Each call on its way is a
// node and the number of its effects that have been looked at.
func (t *tarjan) visit(start int32) {
	if _, ok := t.index[start]; ok {
		return
	}
	type call struct {
		node int32
		next int
	}
	calls := []call{{node: start}}
	t.enter(start)
	for len(calls) > 0 {
		at := &calls[len(calls)-1]
		if at.next < len(t.effects[at.node]) {
			effect := t.effects[at.node][at.next]
			at.next++
			if _, ok := t.index[effect]; !ok {
				t.enter(effect)
				calls = append(calls, call{node: effect})
			} else if t.onStack[effect] {
				t.low[at.node] = min(t.low[at.node], t.index[effect])
			}
			continue
		}
		done := at.node
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			up := calls[len(calls)-1].node
			t.low[up] = min(t.low[up], t.low[done])
		}
		t.leave(done)
	}
}

func (t *tarjan) enter(node int32) {
	t.index[node], t.low[node] = len(t.index), len(t.index)
	t.stack = append(t.stack, node)
	t.onStack[node] = true
}

// leave takes a component off the stack when its first node is done.
func (t *tarjan) leave(node int32) {
	if t.low[node] != t.index[node] {
		return
	}
	start := len(t.stack)
	for start == len(t.stack) || t.stack[start] != node {
		start--
		t.onStack[t.stack[start]] = false
	}
	set := slices.Clone(t.stack[start:])
	t.stack = t.stack[:start]
	if len(set) > 1 {
		t.found = append(t.found, set)
	}
}
