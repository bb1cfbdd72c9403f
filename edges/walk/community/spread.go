package community

import (
	"cmp"
	"math"
	"slices"
)

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
