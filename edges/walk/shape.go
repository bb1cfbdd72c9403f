package walk

import (
	"cmp"
	"slices"

	"hence/internal/components"
)

// member is a memory of a shape.
type member struct {
	key     int64
	current bool
}

// shape is the graph by numbers: how many edges each memory has, which memories
// are connected, and which cause which.
type shape struct {
	members []member
	number  map[int64]int32 // key → index in members
	edges   []int32         // number of edges of each member
	parent  []int32         // disjoint sets: a step towards the root of each member's component
	causes  [][2]int32
}

// newShape returns a shape without edges. The order of the members decides ties.
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

// join adds an edge. Edges to memories that are not members are left out.
func (s *shape) join(from, to int64, causal bool) {
	a, isA := s.number[from]
	b, isB := s.number[to]
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

// rootOf finds the root of a member's component, halving the way to it (Tarjan
// and van Leeuwen 1984).
func (s *shape) rootOf(a int32) int32 {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

func (s *shape) degree(key int64) int { return int(s.edges[s.number[key]]) }

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

// loops returns the sets of memories that cause each other, the largest first:
// the strongly connected components of two or more.
func (s *shape) loops() [][]int64 {
	effects := map[int32][]int32{}
	for _, c := range s.causes {
		effects[c[0]] = append(effects[c[0]], c[1])
	}
	sets := map[int][]int32{}
	for number, component := range components.Of(effects) {
		sets[component] = append(sets[component], number)
	}
	all := [][]int32{}
	for _, set := range sets {
		if len(set) > 1 {
			slices.Sort(set)
			all = append(all, set)
		}
	}
	slices.SortFunc(all, func(a, b []int32) int { return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b)) })
	loops := make([][]int64, len(all))
	for i, set := range all {
		loops[i] = s.keys(set)
	}
	return loops
}
