package community

import (
	"cmp"
	"math"
	"slices"
)

const (
	maxPacked = 90   // number of areas up to which they are placed near those they have edges to
	gap       = 1.07 // factor of the radius of an area that leaves space around it
)

// pack places the areas with the given indexes around the origin, so that they do not overlap
// and those with edges to each other are near, and returns the radius of the disc around
// them. ties counts the edges between two areas, the lower index first.
func pack(areas []Area, indexes []int, ties map[[2]int32]float64) (radius float64) {
	if len(indexes) > maxPacked {
		return spiral(areas, indexes)
	}
	placed := []int{}
	remaining := append([]int{}, indexes...)
	for len(remaining) > 0 {
		next := nextToPlace(remaining, placed, ties)
		i := remaining[next]
		remaining = append(remaining[:next], remaining[next+1:]...)
		areas[i].X, areas[i].Y = bestSpot(areas, i, placed, ties)
		placed = append(placed, i)
	}
	return centre(areas, indexes)
}

// nextToPlace returns the position in remaining of the area with the most ties to those that
// are placed; 0, which is the largest area, if none has any.
func nextToPlace(remaining, placed []int, ties map[[2]int32]float64) (best int) {
	highest := 0.0
	for n, i := range remaining {
		sum := 0.0
		for _, j := range placed {
			sum += countTies(ties, i, j)
		}
		if sum > highest {
			best, highest = n, sum
		}
	}
	return best
}

// countTies returns the number of edges between the areas i and j.
func countTies(ties map[[2]int32]float64, i, j int) float64 {
	return ties[[2]int32{int32(min(i, j)), int32(max(i, j))}]
}

// bestSpot returns the centre of area i at which it touches two placed areas, overlaps none,
// and is nearest to the origin and to the areas that it has ties to.
func bestSpot(areas []Area, i int, placed []int, ties map[[2]int32]float64) (x, y float64) {
	r := areas[i].R * gap
	switch len(placed) {
	case 0:
		return 0, 0
	case 1:
		return areas[placed[0]].X + areas[placed[0]].R*gap + r, areas[placed[0]].Y
	}
	weight, sum := make([]float64, len(placed)), 0.0
	for n, j := range placed {
		weight[n] = countTies(ties, i, j)
		sum += weight[n]
	}
	lowest := math.Inf(1)
	try := func(px, py float64) {
		cost := math.Hypot(px, py)
		for n, j := range placed {
			d := math.Hypot(px-areas[j].X, py-areas[j].Y)
			if d < areas[j].R*gap+r-1e-6 {
				return
			}
			if sum > 0 {
				cost += d * weight[n] / sum
			}
		}
		if cost < lowest-1e-9 {
			lowest, x, y = cost, px, py
		}
	}
	for n, j := range placed {
		for _, k := range placed[n+1:] {
			tryBeside(areas[j], areas[k], r, try)
		}
	}
	return x, y
}

// tryBeside calls try with the two centres of a disc of radius r that touches a and b.
func tryBeside(a, b Area, r float64, try func(x, y float64)) {
	ra, rb := a.R*gap+r, b.R*gap+r
	dx, dy := b.X-a.X, b.Y-a.Y
	d := math.Hypot(dx, dy)
	if d == 0 || d > ra+rb {
		return
	}
	distanceAlong := (ra*ra - rb*rb + d*d) / (2 * d)
	distanceAcross := math.Sqrt(max(0, ra*ra-distanceAlong*distanceAlong))
	mx, my := a.X+distanceAlong*dx/d, a.Y+distanceAlong*dy/d
	try(mx-distanceAcross*dy/d, my+distanceAcross*dx/d)
	try(mx+distanceAcross*dy/d, my-distanceAcross*dx/d)
}

// spiral places areas evenly on a spiral, the first in the middle, and returns the radius of
// the disc around them.
func spiral(areas []Area, indexes []int) float64 {
	filled := 0.0
	for n, i := range indexes {
		r := areas[i].R * gap
		distance, angle := 0.0, float64(n)*golden
		if n > 0 {
			distance = 1.25*math.Sqrt(filled) + r
		}
		areas[i].X, areas[i].Y = distance*math.Cos(angle), distance*math.Sin(angle)
		filled += r * r
	}
	return centre(areas, indexes)
}

// centre moves areas so that the smallest disc around them is centred on the origin, and
// returns its radius. It finds the centre by moving toward the farthest area in ever shorter
// steps (Bădoiu and Clarkson, Smaller core-sets for balls, 2003).
func centre(areas []Area, indexes []int) (radius float64) {
	if len(indexes) == 0 {
		return 0
	}
	x, y := areas[indexes[0]].X, areas[indexes[0]].Y
	farthest := func() (index int, distance float64) {
		for _, i := range indexes {
			if d := math.Hypot(areas[i].X-x, areas[i].Y-y) + areas[i].R; d > distance {
				index, distance = i, d
			}
		}
		return index, distance
	}
	for step := 2.0; step < 500; step++ {
		index, _ := farthest()
		x, y = x+(areas[index].X-x)/step, y+(areas[index].Y-y)/step
	}
	_, radius = farthest()
	for _, i := range indexes {
		areas[i].X -= x
		areas[i].Y -= y
	}
	return radius * 1.04
}

const (
	golden      = 2.399963229728653 // the golden angle, whose multiples fill a disc evenly
	margin      = 0.62              // space between the outermost nodes of an area and its rim, where nodes are 1.8 apart
	maxArranged = 5000              // number of nodes of a graph up to which areas are arranged; in a larger one nobody sees it
	maxSwapped  = 80                // number of nodes of an area up to which it is arranged, because each pair is tried
	maxRounds   = 6
)

// spread places the nodes of each innermost area evenly over its disc. leaf is the innermost
// area of each node.
func (t *tree) spread(edges []Edge, leaf []int32) {
	n := len(t.m.Order)
	t.m.X, t.m.Y = make([]float64, n), make([]float64, n)
	place := make([]int32, n) // index of each node in Order
	for i, node := range t.m.Order {
		place[node] = int32(i)
	}
	for i := range t.m.Areas {
		a := &t.m.Areas[i]
		if len(a.children) > 0 {
			continue
		}
		byAge := slices.Clone(t.m.Order[a.Start:a.End])
		slices.SortFunc(byAge, func(x, y int32) int { return cmp.Or(cmp.Compare(t.since[x], t.since[y]), cmp.Compare(x, y)) })
		for k, spot := range spots(len(byAge), a.R) {
			t.m.X[place[byAge[k]]], t.m.Y[place[byAge[k]]] = a.X+spot[0], a.Y+spot[1]
		}
	}
	if n > maxArranged {
		return
	}
	g := newGraph(n, edges)
	for i, a := range t.m.Areas {
		if len(a.children) == 0 && a.End-a.Start <= maxSwapped {
			t.arrange(int32(i), g, leaf, place)
		}
	}
}

// spots returns n evenly spaced points of a disc around the origin, from the middle outward.
func spots(n int, radius float64) [][2]float64 {
	points, x, y := make([][2]float64, n), 0.0, 0.0
	for k := range points {
		r, angle := math.Sqrt(float64(k)+0.5), float64(k)*golden
		points[k] = [2]float64{r * math.Cos(angle), r * math.Sin(angle)}
		x, y = x+points[k][0]/float64(n), y+points[k][1]/float64(n)
	}
	farthest := 0.0
	for k := range points {
		points[k][0] -= x
		points[k][1] -= y
		farthest = max(farthest, math.Hypot(points[k][0], points[k][1]))
	}
	scale := radius / math.Sqrt(float64(n)) * min(1, (math.Sqrt(float64(n))-margin)/max(farthest, margin))
	for k := range points {
		points[k][0] *= scale
		points[k][1] *= scale
	}
	return points
}

// arrange swaps pairs of nodes of an area as long as that brings them nearer to their
// neighbours, within the area and outside it.
func (t *tree) arrange(area int32, g graph, leaf, place []int32) {
	a, x, y := t.m.Areas[area], t.m.X, t.m.Y
	distances := func(node, other int32, atX, atY float64) (sum float64) { // to its neighbours except other
		for _, to := range g.neighbour[g.start[node]:g.start[node+1]] {
			switch p := place[to]; {
			case to == other:
			case leaf[to] == area:
				sum += math.Hypot(atX-x[p], atY-y[p])
			default: // the centre is enough: only the direction matters
				sum += math.Hypot(atX-t.m.Areas[leaf[to]].X, atY-t.m.Areas[leaf[to]].Y)
			}
		}
		return sum
	}
	for range maxRounds {
		moved := false
		for i := a.Start; i < a.End; i++ {
			for j := i + 1; j < a.End; j++ {
				p, q := t.m.Order[i], t.m.Order[j]
				now := distances(p, q, x[i], y[i]) + distances(q, p, x[j], y[j])
				if distances(p, q, x[j], y[j])+distances(q, p, x[i], y[i]) < now-1e-9 {
					x[i], y[i], x[j], y[j] = x[j], y[j], x[i], y[i]
					moved = true
				}
			}
		}
		if !moved {
			return
		}
	}
}
