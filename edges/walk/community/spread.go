package community

import (
	"cmp"
	"math"
	"slices"
)

const (
	golden       = 2.399963229728653 // the angle that fills a disc evenly
	margin       = 0.62              // between the outermost nodes of an area and its rim, where nodes are 1.8 apart
	mostArranged = 5000              // nodes of a graph in which those that are joined are brought together: in a larger one nobody sees it
	mostSwapped  = 80                // nodes of an area in which that is done: each is tried in the place of each
	rounds       = 6
)

// spread places the nodes of the innermost areas, evenly over their discs.
func (t *tree) spread(edges []Edge, leaf []int32) {
	n := len(t.m.Order)
	t.m.X, t.m.Y = make([]float64, n), make([]float64, n)
	place := make([]int32, n) // of each node in the order
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
	if n > mostArranged {
		return
	}
	among := newGraph(n, edges)
	for i, a := range t.m.Areas {
		if len(a.children) == 0 && a.End-a.Start <= mostSwapped {
			t.arrange(int32(i), among, leaf, place)
		}
	}
}

// spots are places in a disc around the origin, from the middle outward.
func spots(n int, radius float64) [][2]float64 {
	all, x, y := make([][2]float64, n), 0.0, 0.0
	for k := range all {
		r, angle := math.Sqrt(float64(k)+0.5), float64(k)*golden
		all[k] = [2]float64{r * math.Cos(angle), r * math.Sin(angle)}
		x, y = x+all[k][0]/float64(n), y+all[k][1]/float64(n)
	}
	far := 0.0
	for k := range all {
		all[k][0] -= x
		all[k][1] -= y
		far = max(far, math.Hypot(all[k][0], all[k][1]))
	}
	scale := radius / math.Sqrt(float64(n)) * min(1, (math.Sqrt(float64(n))-margin)/max(far, margin))
	for k := range all {
		all[k][0] *= scale
		all[k][1] *= scale
	}
	return all
}

// arrange lets nodes of an area change places as long as that brings them nearer to what
// they are joined to, within the area and outside it.
func (t *tree) arrange(area int32, among graph, leaf, place []int32) {
	a, x, y := t.m.Areas[area], t.m.X, t.m.Y
	far := func(node, other int32, atX, atY float64) (sum float64) { // from what it is joined to but for other
		for _, to := range among.to[among.at[node]:among.at[node+1]] {
			switch p := place[to]; {
			case to == other:
			case leaf[to] == area:
				sum += math.Hypot(atX-x[p], atY-y[p])
			default: // which side of the area is all that counts
				sum += math.Hypot(atX-t.m.Areas[leaf[to]].X, atY-t.m.Areas[leaf[to]].Y)
			}
		}
		return sum
	}
	for range rounds {
		moved := false
		for i := a.Start; i < a.End; i++ {
			for j := i + 1; j < a.End; j++ {
				p, q := t.m.Order[i], t.m.Order[j]
				now := far(p, q, x[i], y[i]) + far(q, p, x[j], y[j])
				if far(p, q, x[j], y[j])+far(q, p, x[i], y[i]) < now-1e-9 {
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
