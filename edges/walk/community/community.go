// Package community divides a graph into groups of nodes that have more edges among
// each other than to others, in levels, and places them on a plane.
//
// Groups are found by modularity (Newman and Girvan 2004), with the passes of Blondel
// and others, Fast unfolding of communities in large networks, 2008. Nodes move in the
// order of their numbers and ties go to the lower group, so that the same graph is
// always divided the same way. A node none of whose neighbours has moved is passed over
// (Ozaki, Tezuka and Inaba, A simple acceleration method for the Louvain algorithm, 2016).
// A library for Go draws its order from a random source and keeps its graph in maps, which
// takes a hundred times as long for 100,000 nodes.
package community

import "slices"

// Edge joins two nodes, by their numbers from 0.
type Edge struct{ A, B int32 }

const (
	maxPasses = 12   // over all nodes, on one level
	fewMoves  = 0.01 // of the nodes: from there on a level is done
)

// graph is an undirected graph with weights: the neighbours of node i are at[i]:at[i+1].
type graph struct {
	at     []int32
	to     []int32
	weight []float32
	loops  []float32 // twice the weight of the edges within a node
}

// Divide returns the groups of n nodes, level by level, the smallest groups first: of
// each level the group of each node. Groups of a level are numbered by their first node,
// and lie within one group of the next level. There is no level if no two nodes belong
// together. Edges of a node to itself are ignored.
func Divide(n int, edges []Edge) (levels [][]int32) {
	g := newGraph(n, edges)
	of := make([]int32, n) // the node of g that a node is in
	for i := range of {
		of[i] = int32(i)
	}
	for {
		groups, count := g.move()
		if count == len(g.loops) {
			return levels
		}
		level := make([]int32, n)
		for i := range of {
			level[i] = groups[of[i]]
		}
		levels, of = append(levels, level), level
		g = g.gather(groups, count)
	}
}

func newGraph(n int, edges []Edge) graph {
	g := graph{at: make([]int32, n+1), loops: make([]float32, n)}
	for _, e := range edges {
		if e.A != e.B {
			g.at[e.A+1]++
			g.at[e.B+1]++
		}
	}
	for i := range n {
		g.at[i+1] += g.at[i]
	}
	g.to, g.weight = make([]int32, g.at[n]), make([]float32, g.at[n])
	next := slices.Clone(g.at)
	for _, e := range edges {
		if e.A != e.B {
			g.to[next[e.A]], g.to[next[e.B]] = e.B, e.A
			next[e.A]++
			next[e.B]++
		}
	}
	for i := range g.weight {
		g.weight[i] = 1
	}
	return g
}

// move puts each node into the group of a neighbour as long as that raises the
// modularity, and returns the groups, numbered by their first node.
func (g graph) move() (groups []int32, count int) {
	n := len(g.loops)
	degree, total := make([]float64, n), 0.0
	for i := range n {
		degree[i] = float64(g.loops[i])
		for j := g.at[i]; j < g.at[i+1]; j++ {
			degree[i] += float64(g.weight[j])
		}
		total += degree[i]
	}
	groups = make([]int32, n)
	sum := slices.Clone(degree) // of the degrees in a group
	for i := range groups {
		groups[i] = int32(i)
	}
	if total == 0 {
		return groups, n
	}
	shared, near := make([]float64, n), []int32{} // the weight between a node and a group, and which groups
	settled := make([]bool, n)                    // no neighbour has moved since the node was looked at
	for range maxPasses {
		moved := 0
		for i := range int32(n) {
			if settled[i] {
				continue
			}
			settled[i] = true
			own := groups[i]
			near = append(near[:0], own)
			for j := g.at[i]; j < g.at[i+1]; j++ {
				c := groups[g.to[j]]
				if shared[c] == 0 && c != own {
					near = append(near, c)
				}
				shared[c] += float64(g.weight[j])
			}
			sum[own] -= degree[i]
			best, most := own, shared[own]-sum[own]*degree[i]/total
			for _, c := range near[1:] {
				gain := shared[c] - sum[c]*degree[i]/total
				if gain > most+1e-9 || gain > most-1e-9 && c < best && best != own {
					best, most = c, gain
				}
			}
			sum[best] += degree[i]
			for _, c := range near {
				shared[c] = 0
			}
			if best == own {
				continue
			}
			groups[i] = best
			moved++
			for j := g.at[i]; j < g.at[i+1]; j++ {
				if groups[g.to[j]] != best {
					settled[g.to[j]] = false
				}
			}
		}
		if float64(moved) <= fewMoves*float64(n) {
			break
		}
	}
	return number(groups)
}

// number numbers groups by their first node.
func number(groups []int32) (numbered []int32, count int) {
	known := make([]int32, len(groups))
	for i, c := range groups {
		if known[c] == 0 {
			count++
			known[c] = int32(count)
		}
		groups[i] = known[c] - 1
	}
	return groups, count
}

// gather makes a graph of which the nodes are the groups.
func (g graph) gather(groups []int32, count int) graph {
	members := make([][]int32, count)
	for i, c := range groups {
		members[c] = append(members[c], int32(i))
	}
	into := graph{at: make([]int32, count+1), loops: make([]float32, count)}
	shared, near := make([]float32, count), []int32{}
	for c, all := range members {
		near = near[:0]
		for _, i := range all {
			into.loops[c] += g.loops[i]
			for j := g.at[i]; j < g.at[i+1]; j++ {
				other := groups[g.to[j]]
				if int(other) == c {
					into.loops[c] += g.weight[j]
					continue
				}
				if shared[other] == 0 {
					near = append(near, other)
				}
				shared[other] += g.weight[j]
			}
		}
		slices.Sort(near)
		for _, other := range near {
			into.to, into.weight = append(into.to, other), append(into.weight, shared[other])
			shared[other] = 0
		}
		into.at[c+1] = int32(len(into.to))
	}
	return into
}
