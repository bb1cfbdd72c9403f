package community

import (
	"cmp"
	"math"
	"slices"
)

// Area is a group as a disc on the plane, which contains areas or nodes. Its nodes are the
// range from Start to End, exclusive, of Map.Order.
type Area struct {
	Parent     int // index of the area that contains it, -1 for none
	Start, End int
	X, Y, R    float64 // R² is proportional to the number of nodes, among areas with the same parent
	Loose      bool    // its nodes have no edges to each other, or it combines small groups
	children   []int
}

// Map is a graph on a plane: nested areas, and nodes as dots in the innermost areas.
type Map struct {
	Areas  []Area    // level by level from the outermost, which are sorted by size, with nodes without edges last
	Order  []int32   // the nodes; those of an area are adjacent, the ones with most edges first
	X, Y   []float64 // positions of the nodes, in the order of Order
	Leaves []int32   // innermost areas of the nodes, in the order of Order
}

const (
	maxTop       = 60 // number of outermost areas; smaller ones are combined
	minSplit     = 40 // number of nodes from which on an area is divided into parts
	minParts     = 2  // number of parts of an area that is divided
	minPart      = 8  // number of nodes of a part; smaller parts are combined
	minPartShare = 50 // a part with less than 1/50 of the nodes of its area is combined with others
)

// Place divides a graph of n nodes and places it on a plane. Nodes without an edge are grouped
// by their number in loose. since is the time of each node: the oldest node of an area is
// placed in its middle and newer ones around it, so that the area grows at its rim.
func Place(n int, edges []Edge, loose []int32, since []uint32) Map {
	degree := make([]int32, n)
	for _, e := range edges {
		if e.A != e.B {
			degree[e.A]++
			degree[e.B]++
		}
	}
	t := &tree{levels: Divide(n, edges), degree: degree, since: since}
	top := t.outermost(n, loose)
	t.grow(top)
	t.placeAreas(edges)
	return t.m
}

// tree is the state of Place.
type tree struct {
	m       Map
	levels  [][]int32
	degree  []int32
	since   []uint32
	members [][]int32 // nodes of each area
}

// part is a group of nodes.
type part struct {
	members []int32
	loose   bool
	level   int    // level on which it can be divided further, -1 for none
	parts   []part // set if the part was combined from these
}

// outermost returns the outermost groups: those of the last level, of which small ones may be
// combined into one, and last the nodes without edges.
func (t *tree) outermost(n int, loose []int32) []part {
	linked, single := []int32{}, map[int32][]int32{}
	for i := range int32(n) {
		if t.degree[i] > 0 {
			linked = append(linked, i)
		} else {
			single[loose[i]] = append(single[loose[i]], i)
		}
	}
	groups := t.split(linked, len(t.levels)-1)
	sortBySize(groups)
	if len(groups) > maxTop {
		rest := combine(groups[maxTop-1:])
		rest.parts = joinSmall(groups[maxTop-1:])
		groups = append(groups[:maxTop-1:maxTop-1], rest)
	}
	unlinked := part{loose: true, level: -1}
	for _, members := range single {
		unlinked.parts = append(unlinked.parts, part{members: members, loose: true, level: -1})
		unlinked.members = append(unlinked.members, members...)
	}
	sortBySize(groups)
	if len(unlinked.members) > 0 { // last, so that it is placed at the rim
		sortBySize(unlinked.parts)
		groups = append(groups, unlinked)
	}
	return groups
}

// split returns the given nodes divided by their groups on a level.
func (t *tree) split(members []int32, level int) []part {
	if level < 0 {
		if len(members) == 0 {
			return nil
		}
		return []part{{members: members, level: -1}}
	}
	indexOf, parts := map[int32]int{}, []part{}
	for _, i := range members {
		c := t.levels[level][i]
		index, ok := indexOf[c]
		if !ok {
			index = len(parts)
			indexOf[c] = index
			parts = append(parts, part{level: level - 1})
		}
		parts[index].members = append(parts[index].members, i)
	}
	return parts
}

// sortBySize sorts parts, the largest first.
func sortBySize(parts []part) {
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(len(b.members), len(a.members)), cmp.Compare(slices.Min(a.members), slices.Min(b.members)))
	})
}

// divide returns the parts into which an area is divided, nil for an innermost area.
func (t *tree) divide(p part) []part {
	if len(p.members) < minSplit {
		return nil
	}
	if len(p.parts) >= minParts {
		return p.parts
	}
	for level := p.level; level >= 0; level-- {
		if parts := t.split(p.members, level); len(parts) >= minParts {
			return joinSmall(t.splitLargest(parts, len(p.members)))
		}
	}
	return nil
}

// splitLargest replaces a part by its own parts as long as it has more than half of all nodes,
// because a disc that nearly fills another one shows nothing.
func (t *tree) splitLargest(parts []part, total int) []part {
	sortBySize(parts)
	for 2*len(parts[0].members) > total && parts[0].level >= 0 {
		parts = append(t.split(parts[0].members, parts[0].level), parts[1:]...)
		sortBySize(parts)
	}
	return parts
}

// joinSmall combines the small parts, which come last, into one, because thousands of specks
// show nothing. It returns nil if most nodes are in small parts.
func joinSmall(parts []part) []part {
	large, total := 0, 0
	for _, p := range parts {
		total += len(p.members)
	}
	for large < len(parts) && len(parts[large].members) >= max(minPart, total/minPartShare) {
		large++
	}
	rest := combine(parts[large:])
	switch {
	case 2*len(rest.members) > total:
		return nil
	case len(parts)-large < minParts:
		return parts
	}
	return append(parts[:large:large], rest)
}

// combine returns one loose part with the nodes of the given parts.
func combine(parts []part) part {
	combined := part{loose: true, level: -1}
	for _, p := range parts {
		combined.members = append(combined.members, p.members...)
	}
	return combined
}

// grow appends the areas to the Map level by level, so that the areas with the same parent
// are adjacent.
func (t *tree) grow(top []part) {
	queue, parents := top, make([]int, len(top))
	for i := range parents {
		parents[i] = -1
	}
	for index := 0; index < len(queue); index++ {
		p := queue[index]
		t.m.Areas = append(t.m.Areas, Area{Parent: parents[index], Loose: p.loose})
		t.members = append(t.members, p.members)
		if parents[index] >= 0 {
			parent := &t.m.Areas[parents[index]]
			parent.children = append(parent.children, index)
		}
		for _, inner := range t.divide(p) {
			queue, parents = append(queue, inner), append(parents, index)
		}
	}
}

// placeAreas places all areas and nodes, from the outermost to the innermost. It scales the
// areas within an area so that they fill it.
func (t *tree) placeAreas(edges []Edge) {
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
	for i := range areas { // parents precede their children
		children := areas[i].children
		if len(children) == 0 {
			continue
		}
		scale := areas[i].R / pack(areas, children, ties)
		for _, c := range children {
			areas[c].X, areas[c].Y, areas[c].R = areas[i].X+scale*areas[c].X, areas[i].Y+scale*areas[c].Y, scale*areas[c].R
		}
	}
	t.m.Leaves = make([]int32, 0, len(t.degree))
	for _, i := range top {
		t.appendNodes(i)
	}
	t.spread(edges, leaf)
}

// appendNodes appends the nodes of an area to Order and Leaves, and sets its range.
func (t *tree) appendNodes(area int) {
	a := &t.m.Areas[area]
	a.Start = len(t.m.Order)
	for _, inner := range a.children {
		t.appendNodes(inner)
	}
	if len(a.children) == 0 {
		members := slices.Clone(t.members[area])
		slices.SortFunc(members, func(x, y int32) int { return cmp.Or(cmp.Compare(t.degree[y], t.degree[x]), cmp.Compare(x, y)) })
		t.m.Order = append(t.m.Order, members...)
		t.m.Leaves = append(t.m.Leaves, slices.Repeat([]int32{int32(area)}, len(members))...)
	}
	a.End = len(t.m.Order)
}

// Apart returns the two areas with the same parent that contain the areas a and b, the lower
// index first; -1, -1 if there are none because a contains b, b contains a, or they are equal.
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

// tiesOf returns the number of edges between each two areas with the same parent, by their
// indexes, the lower first.
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
