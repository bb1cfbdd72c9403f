package walk

import (
	"cmp"
	"slices"

	"hence/edges"
	"hence/internal/components"
	"hence/internal/db"
)

// member is a memory of a shape.
type member struct {
	key     int64
	current bool
}

// shape is the structure of the graph: how many edges each memory has, which memories are
// connected, and which cause others. It identifies a member by its index.
type shape struct {
	members []member
	index   db.Index   // index of a member by its key
	edges   []int32    // number of edges of each member
	parent  []int32    // disjoint sets: the parent of each member in the tree of its component
	causes  [][2]int32 // causal edges: cause and effect
}

// newShape returns a shape without edges. Members with equal numbers of edges are listed in
// the given order.
func newShape(members []member) *shape {
	s := &shape{
		members: members, index: indexOf(members),
		edges: make([]int32, len(members)), parent: make([]int32, len(members)),
	}
	for i := range members {
		s.parent[i] = int32(i)
	}
	return s
}

func indexOf(members []member) db.Index {
	return db.IndexOf(edges.Keys(members, func(m member) int64 { return m.key }))
}

// join adds an edge, unless one of its ends is not a member.
func (s *shape) join(from, to int64, causal bool) {
	a, isA := s.index.Place(from)
	b, isB := s.index.Place(to)
	if !isA || !isB {
		return
	}
	s.edges[a]++
	s.edges[b]++
	s.parent[s.rootOf(a)] = s.rootOf(b)
	if causal {
		s.causes = append(s.causes, [2]int32{a, b})
	}
}

// rootOf returns the root of a member's component. It halves the path to it (Tarjan and
// van Leeuwen 1984).
func (s *shape) rootOf(a int32) int32 {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

// degree returns the number of edges of a member.
func (s *shape) degree(key int64) int {
	i, _ := s.index.Place(key)
	return int(s.edges[i])
}

// components returns the number of components of two or more memories, and the
// size of the largest.
func (s *shape) components() (count, largest int) {
	sizes := make([]int, len(s.members))
	for i := range s.members {
		sizes[s.rootOf(int32(i))]++
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
	top := []int32{} // sorted
	compare := func(a, b int32) int { return cmp.Or(cmp.Compare(s.edges[b], s.edges[a]), cmp.Compare(a, b)) }
	for i, m := range s.members {
		number := int32(i)
		if !m.current || s.edges[i] == 0 || len(top) == n && compare(number, top[n-1]) > 0 {
			continue
		}
		index, _ := slices.BinarySearchFunc(top, number, compare)
		top = slices.Insert(top, index, number)
		top = top[:min(len(top), n)]
	}
	return s.keys(top)
}

// keys returns the keys of the members with the given indexes.
func (s *shape) keys(indexes []int32) []int64 {
	keys := make([]int64, len(indexes))
	for i, index := range indexes {
		keys[i] = s.members[index].key
	}
	return keys
}

// loops returns the sets of memories that cause each other, the largest first: the strongly
// connected components of two or more memories.
func (s *shape) loops() [][]int64 {
	effects := map[int32][]int32{}
	for _, c := range s.causesAfterLoops() {
		effects[c[0]] = append(effects[c[0]], c[1])
	}
	sets := map[int][]int32{}
	for number, component := range components.Number(effects) {
		sets[component] = append(sets[component], number)
	}
	cycles := [][]int32{}
	for _, set := range sets {
		if len(set) > 1 {
			slices.Sort(set)
			cycles = append(cycles, set)
		}
	}
	slices.SortFunc(cycles, func(a, b []int32) int { return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b)) })
	loops := make([][]int64, len(cycles))
	for i, set := range cycles {
		loops[i] = s.keys(set)
	}
	return loops
}

// causesAfterLoops returns the causal edges from memories on a loop or after one. It removes
// the other memories, which are most, by a topological sort (Kahn 1962): repeatedly those
// without a remaining cause.
func (s *shape) causesAfterLoops() [][2]int32 {
	causes := make([]int32, len(s.members)) // number of remaining causes of each member
	first := make([]int32, len(s.members)+1)
	for _, c := range s.causes {
		causes[c[1]]++
		first[c[0]+1]++
	}
	for i := range s.members {
		first[i+1] += first[i]
	}
	effects, next := make([]int32, len(s.causes)), slices.Clone(first)
	for _, c := range s.causes {
		effects[next[c[0]]] = c[1]
		next[c[0]]++
	}
	ready, removed := []int32{}, make([]bool, len(s.members))
	for i := range s.members {
		if causes[i] == 0 && first[i] < first[i+1] {
			ready = append(ready, int32(i))
		}
	}
	for len(ready) > 0 {
		member := ready[len(ready)-1]
		ready, removed[member] = ready[:len(ready)-1], true
		for _, effect := range effects[first[member]:first[member+1]] {
			if causes[effect]--; causes[effect] == 0 {
				ready = append(ready, effect)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(s.causes), func(c [2]int32) bool { return removed[c[0]] })
}
