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

// shape is the graph by numbers: how many edges each memory has, which memories
// are connected, and which cause which.
type shape struct {
	members []member
	place   db.Index // of a member by its key
	edges   []int32  // number of edges of each member
	parent  []int32  // disjoint sets: a step towards the root of each member's component
	causes  [][2]int32
}

// newShape returns a shape without edges. The order of the members decides ties.
func newShape(members []member) *shape {
	s := &shape{
		members: members, place: indexOf(members),
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

// join adds an edge. Edges to memories that are not members are left out.
func (s *shape) join(from, to int64, causal bool) {
	a, isA := s.place.Place(from)
	b, isB := s.place.Place(to)
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

func (s *shape) degree(key int64) int {
	i, _ := s.place.Place(key)
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
	most := []int32{} // in order
	compare := func(a, b int32) int { return cmp.Or(cmp.Compare(s.edges[b], s.edges[a]), cmp.Compare(a, b)) }
	for i, m := range s.members {
		at := int32(i)
		if !m.current || s.edges[i] == 0 || len(most) == n && compare(at, most[n-1]) > 0 {
			continue
		}
		place, _ := slices.BinarySearchFunc(most, at, compare)
		most = slices.Insert(most, place, at)
		most = most[:min(len(most), n)]
	}
	return s.keys(most)
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
	for _, c := range s.causesAfterLoops() {
		effects[c[0]] = append(effects[c[0]], c[1])
	}
	sets := map[int][]int32{}
	for number, component := range components.Number(effects) {
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

// causesAfterLoops returns the causal edges from memories on a loop or after one: what
// has no cause, directly or through others, is left out, which is most (Kahn 1962).
func (s *shape) causesAfterLoops() [][2]int32 {
	causes := make([]int32, len(s.members)) // that are left, of each member
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
	open, gone := []int32{}, make([]bool, len(s.members))
	for i := range s.members {
		if causes[i] == 0 && first[i] < first[i+1] {
			open = append(open, int32(i))
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open, gone[at] = open[:len(open)-1], true
		for _, effect := range effects[first[at]:first[at+1]] {
			if causes[effect]--; causes[effect] == 0 {
				open = append(open, effect)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(s.causes), func(c [2]int32) bool { return gone[c[0]] })
}
