package community

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
)

// ring returns groups of nodes, each node joined to all others of its group, with one edge from
// each group to the next.
func ring(groups, size int) (n int, edges []Edge) {
	for g := range groups {
		for i := range size {
			for j := range i {
				edges = append(edges, Edge{int32(g*size + i), int32(g*size + j)})
			}
		}
		edges = append(edges, Edge{int32(g * size), int32((g + 1) % groups * size)})
	}
	return groups * size, edges
}

func TestGroupsOfARingAreFound(t *testing.T) {
	n, edges := ring(8, 6)
	levels := Divide(n, edges)
	if len(levels) == 0 {
		t.Fatal("nothing belongs together")
	}
	for i, c := range levels[0] {
		if want := int32(i / 6); c != want {
			t.Errorf("node %d is in %d, want %d", i, c, want)
		}
	}
}

func TestWithoutEdgesThereIsNoGroup(t *testing.T) {
	if levels := Divide(5, []Edge{{1, 1}}); len(levels) != 0 {
		t.Errorf("%v", levels)
	}
	if levels := Divide(0, nil); len(levels) != 0 {
		t.Errorf("%v", levels)
	}
}

func drawGraph(t *rapid.T) (n int, edges []Edge) {
	n = rapid.IntRange(0, 120).Draw(t, "nodes")
	if n > 0 {
		node := rapid.Int32Range(0, int32(n-1))
		edges = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge { return Edge{node.Draw(t, "a"), node.Draw(t, "b")} }), 0, 300).Draw(t, "edges")
	}
	return n, edges
}

// modularity returns the modularity of groups by its definition.
func modularity(n int, edges []Edge, groups []int32) (q float64) {
	degree, inside, m := map[int32]float64{}, 0.0, 0.0
	for _, e := range edges {
		if e.A == e.B {
			continue
		}
		m++
		degree[groups[e.A]]++
		degree[groups[e.B]]++
		if groups[e.A] == groups[e.B] {
			inside++
		}
	}
	if m == 0 {
		return 0
	}
	q = inside / m
	for _, d := range degree {
		q -= d / (2 * m) * d / (2 * m)
	}
	return q
}

// Each level is coarser than the previous one, and has a higher modularity.
func TestLevelsNestAndImprove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := drawGraph(t)
		before := make([]int32, n)
		for i := range before {
			before[i] = int32(i)
		}
		quality := modularity(n, edges, before)
		for _, level := range Divide(n, edges) {
			into := map[int32]int32{}
			for i, c := range level {
				if known, ok := into[before[i]]; ok && known != c {
					t.Fatalf("the group %d is in %d and %d", before[i], known, c)
				}
				into[before[i]] = c
			}
			better := modularity(n, edges, level)
			if better < quality-1e-6 {
				t.Fatalf("modularity falls from %f to %f", quality, better)
			}
			before, quality = level, better
		}
	})
}

// A map has every node once, in areas that do not overlap, are sized by their number of nodes, and
// are within their parents. Place returns the same map every time.
func TestPlaceIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := drawGraph(t)
		loose := make([]int32, n)
		for i := range loose {
			loose[i] = int32(i % 3)
		}
		since := rapid.SliceOfN(rapid.Uint32Range(0, 9), n, n).Draw(t, "since")
		m := Place(n, edges, loose, since)
		if all := slices.Sorted(slices.Values(m.Order)); len(all) != n || len(slices.Compact(all)) != n {
			t.Fatalf("%d of %d nodes", len(all), n)
		}
		for i, a := range m.Areas {
			if a.Start > a.End || len(a.children) == 0 && a.Start == a.End {
				t.Fatalf("area %d: %+v", i, a)
			}
			if p := a.Parent; p >= 0 {
				if outer := m.Areas[p]; p >= i || a.Start < outer.Start || a.End > outer.End || math.Hypot(a.X-outer.X, a.Y-outer.Y)+a.R > outer.R+1e-6 {
					t.Fatalf("area %d %+v is not in %+v", i, a, outer)
				}
			}
			for j, b := range m.Areas[:i] {
				if a.Parent != b.Parent {
					continue
				}
				if math.Hypot(a.X-b.X, a.Y-b.Y) < a.R+b.R-1e-6 {
					t.Fatalf("areas %d and %d cover each other", i, j)
				}
				if each, other := a.R*a.R/float64(a.End-a.Start), b.R*b.R/float64(b.End-b.Start); math.Abs(each-other) > 1e-6*other {
					t.Fatalf("a node of area %d has %f of the plane, one of %d has %f", i, each, j, other)
				}
			}
		}
		for i := range m.Order {
			a := m.Areas[m.Leaves[i]]
			if len(a.children) > 0 || i < a.Start || i >= a.End || math.Hypot(m.X[i]-a.X, m.Y[i]-a.Y) > a.R {
				t.Fatalf("node %d is not in its area", i)
			}
			for j := a.Start; j < i; j++ {
				if apart := math.Hypot(m.X[i]-m.X[j], m.Y[i]-m.Y[j]) * math.Sqrt(float64(a.End-a.Start)) / a.R; apart < 1.2 {
					t.Fatalf("nodes %d and %d of area %+v are %f apart", j, i, a, apart)
				}
			}
		}
		again := Place(n, edges, loose, since)
		if !slices.Equal(m.X, again.X) || !slices.Equal(m.Order, again.Order) {
			t.Fatal("it is another map the second time")
		}
	})
}

func TestManySmallGroupsArePutTogether(t *testing.T) {
	edges := []Edge{}
	for i := range int32(500) {
		edges = append(edges, Edge{2 * i, 2*i + 1})
	}
	m := Place(1000, edges, make([]int32, 1000), make([]uint32, 1000))
	top := 0
	for _, a := range m.Areas {
		if a.Parent < 0 {
			top++
		}
	}
	if top != maxTop || !m.Areas[0].Loose || m.Areas[0].End-m.Areas[0].Start != 1000-2*(maxTop-1) {
		t.Errorf("%d areas, the first %+v", top, m.Areas[0])
	}
}

// alone returns a map of one area with all nodes.
func alone(n int, since []uint32, edges []Edge) Map {
	t := &tree{degree: make([]int32, n), since: since, m: Map{Areas: []Area{{Parent: -1, End: n, R: math.Sqrt(float64(n))}}}}
	for i := range int32(n) {
		t.m.Order = append(t.m.Order, i)
	}
	t.spread(edges, make([]int32, n))
	return t.m
}

// A large area grows like a tree: its oldest nodes are in the middle.
func TestALargeAreaGrowsAtItsRim(t *testing.T) {
	since := make([]uint32, 300)
	for i := range since {
		since[i] = uint32(i * 77 % len(since))
	}
	m := alone(len(since), since, nil)
	for i, age := range since {
		if want := math.Sqrt(float64(age)); math.Abs(math.Hypot(m.X[i], m.Y[i])-want) > 1 {
			t.Errorf("number %d lies %f from the middle, want %f", age, math.Hypot(m.X[i], m.Y[i]), want)
		}
	}
}

// Areas with edges to each other are placed next to each other.
func TestJoinedNodesOfAnAreaAreBroughtTogether(t *testing.T) {
	const n = 24
	edges := []Edge{}
	for i := range int32(n) { // a ring, in an order that says nothing
		edges = append(edges, Edge{i * 7 % n, (i + 1) * 7 % n})
	}
	m, sum := alone(n, make([]uint32, n), edges), 0.0
	for _, e := range edges {
		sum += math.Hypot(m.X[e.A]-m.X[e.B], m.Y[e.A]-m.Y[e.B])
	}
	if sum/n > 2.4 { // neighbours are 1.8 apart
		t.Errorf("joined nodes are %f apart", sum/n)
	}
}

func TestSmallPartsArePutTogether(t *testing.T) {
	const pairs, n = 120, 180 // six groups of 20, and then pairs
	of := make([]int32, n)
	for i := range of {
		of[i] = int32(i / 20)
		if i >= pairs {
			of[i] = int32(6 + (i-pairs)/2)
		}
	}
	members := make([]int32, n)
	for i := range members {
		members[i] = int32(i)
	}
	tr := &tree{levels: [][]int32{of}}
	parts := tr.divide(part{members: members, level: 0})
	if len(parts) != 7 || len(parts[6].members) != 60 || !parts[6].loose || parts[5].loose {
		t.Errorf("%d parts", len(parts))
	}
	if parts := tr.divide(part{members: members[pairs:], level: 0}); parts != nil {
		t.Errorf("%d parts of pairs alone", len(parts))
	}
	if parts := tr.divide(part{members: members[pairs-40:], level: 0}); parts != nil {
		t.Errorf("%d parts, though most nodes are in pairs", len(parts))
	}
}

// A part with most nodes of an area is replaced by its own parts.
func TestAPartThatFillsItsAreaIsOpened(t *testing.T) {
	fine, coarse, members := []int32{}, []int32{}, []int32{}
	for i := range int32(100) { // 30, 30, 30 and 10 nodes; the first three are one
		fine, coarse, members = append(fine, i/30), append(coarse, i/90), append(members, i)
	}
	tr := &tree{levels: [][]int32{fine, coarse}}
	sizes := []int{}
	for _, p := range tr.divide(part{members: members, level: 1}) {
		sizes = append(sizes, len(p.members))
	}
	if !slices.Equal(sizes, []int{30, 30, 30, 10}) {
		t.Errorf("parts of %v", sizes)
	}
}

func BenchmarkPlace(b *testing.B) {
	const n, m = 100_000, 500_000
	edges, seed := make([]Edge, m), uint32(1)
	random := func(below int) int32 {
		seed = seed*1664525 + 1013904223
		return int32(uint64(seed) * uint64(below) >> 32)
	}
	for i := range edges {
		f := float64(random(n)) / n
		edges[i] = Edge{random(n), int32(n * f * f * f)}
	}
	for b.Loop() {
		Place(n, edges, make([]int32, n), make([]uint32, n))
	}
}
