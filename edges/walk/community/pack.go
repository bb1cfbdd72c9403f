package community

import "math"

const (
	mostPacked = 90   // areas that are placed by what they are tied to; more are only placed evenly
	gap        = 1.07 // between areas, as a factor of their radius
)

// pack places areas around a common middle, so that none covers another and those that
// are tied lie near each other, and returns the radius of the disc around them.
func pack(areas []Area, inside []int, ties map[[2]int32]float64) (radius float64) {
	if len(inside) > mostPacked {
		return spiral(areas, inside)
	}
	fixed := []int{}
	left := append([]int{}, inside...)
	for len(left) > 0 {
		at := nextToPlace(left, fixed, ties)
		i := left[at]
		left = append(left[:at], left[at+1:]...)
		areas[i].X, areas[i].Y = bestSpot(areas, i, fixed, ties)
		fixed = append(fixed, i)
	}
	return centre(areas, inside)
}

// nextToPlace is the area with the most ties to those that are placed, and at first, and
// where none has any, the largest.
func nextToPlace(left, fixed []int, ties map[[2]int32]float64) (best int) {
	most := 0.0
	for n, i := range left {
		sum := 0.0
		for _, j := range fixed {
			sum += tie(ties, i, j)
		}
		if sum > most {
			best, most = n, sum
		}
	}
	return best
}

func tie(ties map[[2]int32]float64, i, j int) float64 {
	return ties[[2]int32{int32(min(i, j)), int32(max(i, j))}]
}

// bestSpot is the place beside two of the placed areas from which the way to the middle,
// and to those that the area is tied to, is short.
func bestSpot(areas []Area, i int, fixed []int, ties map[[2]int32]float64) (x, y float64) {
	r := areas[i].R * gap
	switch len(fixed) {
	case 0:
		return 0, 0
	case 1:
		return areas[fixed[0]].X + areas[fixed[0]].R*gap + r, areas[fixed[0]].Y
	}
	weight, all := make([]float64, len(fixed)), 0.0
	for n, j := range fixed {
		weight[n] = tie(ties, i, j)
		all += weight[n]
	}
	least := math.Inf(1)
	try := func(px, py float64) {
		cost := math.Hypot(px, py)
		for n, j := range fixed {
			d := math.Hypot(px-areas[j].X, py-areas[j].Y)
			if d < areas[j].R*gap+r-1e-6 {
				return
			}
			if all > 0 {
				cost += d * weight[n] / all
			}
		}
		if cost < least-1e-9 {
			least, x, y = cost, px, py
		}
	}
	for n, j := range fixed {
		for _, k := range fixed[n+1:] {
			tryBeside(areas[j], areas[k], r, try)
		}
	}
	return x, y
}

// tryBeside calls try with the places of a disc that touches two others.
func tryBeside(a, b Area, r float64, try func(x, y float64)) {
	ra, rb := a.R*gap+r, b.R*gap+r
	dx, dy := b.X-a.X, b.Y-a.Y
	d := math.Hypot(dx, dy)
	if d == 0 || d > ra+rb {
		return
	}
	along := (ra*ra - rb*rb + d*d) / (2 * d)
	up := math.Sqrt(max(0, ra*ra-along*along))
	mx, my := a.X+along*dx/d, a.Y+along*dy/d
	try(mx-up*dy/d, my+up*dx/d)
	try(mx+up*dy/d, my-up*dx/d)
}

// spiral places many areas evenly, the first in the middle.
func spiral(areas []Area, inside []int) float64 {
	filled := 0.0
	for n, i := range inside {
		r := areas[i].R * gap
		distance, angle := 0.0, float64(n)*golden
		if n > 0 {
			distance = 1.25*math.Sqrt(filled) + r
		}
		areas[i].X, areas[i].Y = distance*math.Cos(angle), distance*math.Sin(angle)
		filled += r * r
	}
	return centre(areas, inside)
}

// centre moves areas so that the least disc around them is around the origin, and returns
// its radius. It goes to what is farthest, in ever shorter steps (Bădoiu and Clarkson,
// Smaller core-sets for balls, 2003).
func centre(areas []Area, inside []int) (radius float64) {
	if len(inside) == 0 {
		return 0
	}
	x, y := areas[inside[0]].X, areas[inside[0]].Y
	farthest := func() (at int, far float64) {
		for _, i := range inside {
			if d := math.Hypot(areas[i].X-x, areas[i].Y-y) + areas[i].R; d > far {
				at, far = i, d
			}
		}
		return at, far
	}
	for step := 2.0; step < 500; step++ {
		at, _ := farthest()
		x, y = x+(areas[at].X-x)/step, y+(areas[at].Y-y)/step
	}
	_, radius = farthest()
	for _, i := range inside {
		areas[i].X -= x
		areas[i].Y -= y
	}
	return radius * 1.04
}
