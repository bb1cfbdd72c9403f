package community

import (
	"cmp"
	"math"
	"slices"
)

// Area is a group as a disc on the plane, with the areas or the nodes in it. Its nodes
// are a range of the order of a Map.
type Area struct {
	Parent     int // -1 for one that is in no other
	Start, End int
	X, Y, R    float64 // R² is in proportion to its nodes, among the areas that lie in the same one
	Loose      bool    // its nodes have no edges to each other, or are left-over small groups
	children   []int
}

// Map is a graph on a plane: areas within areas, and nodes as dots in the innermost.
type Map struct {
	Areas  []Area    // those in no other first, the largest first, and last what has no edges; then level by level
	Order  []int32   // the nodes; those of an area are next to each other, the most linked first
	X, Y   []float64 // of the nodes, in that order
	Leaves []int32   // the innermost area of each, in that order
}

const (
	mostTop       = 60 // areas in no other; smaller ones are put together
	splitFrom     = 40 // nodes, from which on an area is shown in parts
	fewestParts   = 2  // of an area that is shown in parts
	smallest      = 8  // nodes of a part; smaller ones are put together
	smallestShare = 50 // a part with less than this fraction, 1/50, of its area is put together with others
)

// Place divides a graph and puts it on a plane. Nodes without an edge are grouped by
// loose, a number for each node. Those of an area lie around the one that since says is
// the oldest, like the rings of a tree: the area grows at its rim.
func Place(n int, edges []Edge, loose []int32, since []uint32) Map {
	degree := make([]int32, n)
	for _, e := range edges {
		if e.A != e.B {
			degree[e.A]++
			degree[e.B]++
		}
	}
	t := &tree{levels: Divide(n, edges), degree: degree, since: since}
	top := t.tops(n, loose)
	t.grow(top)
	t.settle(edges)
	return t.m
}

// tree is a Map while it is made.
type tree struct {
	m       Map
	levels  [][]int32
	degree  []int32
	since   []uint32
	members [][]int32 // of an area
}

// part is a group of nodes.
type part struct {
	members []int32
	loose   bool
	level   int
	parts   []part // what it is made of, where that is known
}

// tops are the outermost groups: those of the last level, what is left of small ones,
// and the nodes without edges.
func (t *tree) tops(n int, loose []int32) []part {
	linked, single := []int32{}, map[int32][]int32{}
	for i := range int32(n) {
		if t.degree[i] > 0 {
			linked = append(linked, i)
		} else {
			single[loose[i]] = append(single[loose[i]], i)
		}
	}
	groups := t.split(linked, len(t.levels)-1)
	bySize(groups)
	if len(groups) > mostTop {
		rest := restOf(groups[mostTop-1:])
		rest.parts = joinSmall(groups[mostTop-1:])
		groups = append(groups[:mostTop-1:mostTop-1], rest)
	}
	alone := part{loose: true, level: -1}
	for _, members := range single {
		alone.parts = append(alone.parts, part{members: members, loose: true, level: -1})
		alone.members = append(alone.members, members...)
	}
	bySize(groups)
	if len(alone.members) > 0 { // last, so that it lies at the edge
		bySize(alone.parts)
		groups = append(groups, alone)
	}
	return groups
}

// split divides nodes by their groups on a level.
func (t *tree) split(members []int32, level int) []part {
	if level < 0 {
		if len(members) == 0 {
			return nil
		}
		return []part{{members: members, level: -1}}
	}
	of, parts := map[int32]int{}, []part{}
	for _, i := range members {
		c := t.levels[level][i]
		at, ok := of[c]
		if !ok {
			at = len(parts)
			of[c] = at
			parts = append(parts, part{level: level - 1})
		}
		parts[at].members = append(parts[at].members, i)
	}
	return parts
}

func bySize(parts []part) {
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(len(b.members), len(a.members)), cmp.Compare(slices.Min(a.members), slices.Min(b.members)))
	})
}

// parts are what an area is shown in: nil for one that is shown as its nodes.
func (t *tree) parts(p part) []part {
	if len(p.members) < splitFrom {
		return nil
	}
	if len(p.parts) >= fewestParts {
		return p.parts
	}
	for level := p.level; level >= 0; level-- {
		if parts := t.split(p.members, level); len(parts) >= fewestParts {
			return joinSmall(t.open(parts, len(p.members)))
		}
	}
	return nil
}

// open puts the parts of a part in its place if that is most of what all are parts of: a
// disc that nearly fills another one says nothing.
func (t *tree) open(parts []part, all int) []part {
	bySize(parts)
	for 2*len(parts[0].members) > all && parts[0].level >= 0 {
		parts = append(t.split(parts[0].members, parts[0].level), parts[1:]...)
		bySize(parts)
	}
	return parts
}

// joinSmall puts small parts, which come last, together: thousands of specks say
// nothing. It returns nil if most nodes are in small ones.
func joinSmall(parts []part) []part {
	large, all := 0, 0
	for _, p := range parts {
		all += len(p.members)
	}
	for large < len(parts) && len(parts[large].members) >= max(smallest, all/smallestShare) {
		large++
	}
	rest := restOf(parts[large:])
	switch {
	case 2*len(rest.members) > all:
		return nil
	case len(parts)-large < fewestParts:
		return parts
	}
	return append(parts[:large:large], rest)
}

// restOf is what is left of small parts, as one.
func restOf(parts []part) part {
	rest := part{loose: true, level: -1}
	for _, p := range parts {
		rest.members = append(rest.members, p.members...)
	}
	return rest
}

// grow makes the areas, level by level, so that the areas in an area are next to each
// other.
func (t *tree) grow(top []part) {
	queue, parents := top, make([]int, len(top))
	for i := range parents {
		parents[i] = -1
	}
	for at := 0; at < len(queue); at++ {
		p := queue[at]
		t.m.Areas = append(t.m.Areas, Area{Parent: parents[at], Loose: p.loose})
		t.members = append(t.members, p.members)
		if parents[at] >= 0 {
			parent := &t.m.Areas[parents[at]]
			parent.children = append(parent.children, at)
		}
		for _, inner := range t.parts(p) {
			queue, parents = append(queue, inner), append(parents, at)
		}
	}
}

// settle places all areas and nodes, from the outside to the inside. What lies in an
// area is drawn as large as there is room for.
func (t *tree) settle(edges []Edge) {
	areas, top := t.m.Areas, []int{}
	leaf := make([]int32, len(t.degree))
	for i := range areas {
		areas[i].R = math.Sqrt(float64(len(t.members[i])))
		if areas[i].Parent < 0 {
			top = append(top, i)
		}
		if len(areas[i].children) == 0 {
			for _, node := range t.members[i] {
				leaf[node] = int32(i)
			}
		}
	}
	ties := tiesOf(areas, leaf, edges)
	pack(areas, top, ties)
	for i := range areas { // children come after their parents
		inside := areas[i].children
		if len(inside) == 0 {
			continue
		}
		scale := areas[i].R / pack(areas, inside, ties)
		for _, c := range inside {
			areas[c].X, areas[c].Y, areas[c].R = areas[i].X+scale*areas[c].X, areas[i].Y+scale*areas[c].Y, scale*areas[c].R
		}
	}
	t.m.Leaves = make([]int32, 0, len(t.degree))
	for _, i := range top {
		t.number(i)
	}
	t.spread(edges, leaf)
}

// number gives the nodes of an area their places in the order.
func (t *tree) number(at int) {
	a := &t.m.Areas[at]
	a.Start = len(t.m.Order)
	for _, inner := range a.children {
		t.number(inner)
	}
	if len(a.children) == 0 {
		members := slices.Clone(t.members[at])
		slices.SortFunc(members, func(x, y int32) int { return cmp.Or(cmp.Compare(t.degree[y], t.degree[x]), cmp.Compare(x, y)) })
		t.m.Order = append(t.m.Order, members...)
		t.m.Leaves = append(t.m.Leaves, slices.Repeat([]int32{int32(at)}, len(members))...)
	}
	a.End = len(t.m.Order)
}

// Apart returns the two areas side by side in which two innermost areas lie: those below
// the area that has both; -1, -1 if they are one area.
func Apart(areas []Area, a, b int32) (left, right int32) {
	depth := func(i int32) (n int) {
		for ; areas[i].Parent >= 0; i = int32(areas[i].Parent) {
			n++
		}
		return n
	}
	da, db := depth(a), depth(b)
	for ; da > db; da-- {
		a = int32(areas[a].Parent)
	}
	for ; db > da; db-- {
		b = int32(areas[b].Parent)
	}
	if a == b {
		return -1, -1
	}
	for areas[a].Parent != areas[b].Parent {
		a, b = int32(areas[a].Parent), int32(areas[b].Parent)
	}
	return min(a, b), max(a, b)
}

// tiesOf counts the edges between areas side by side.
func tiesOf(areas []Area, leaf []int32, edges []Edge) map[[2]int32]float64 {
	ties := map[[2]int32]float64{}
	for _, e := range edges {
		if leaf[e.A] == leaf[e.B] {
			continue
		}
		if a, b := Apart(areas, leaf[e.A], leaf[e.B]); a >= 0 {
			ties[[2]int32{a, b}]++
		}
	}
	return ties
}
