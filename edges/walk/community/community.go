// Package community divides a graph into groups of nodes that have more edges to each other
// than to other nodes, in levels, and places them on a plane.
//
// It finds the groups with the Louvain algorithm (Blondel and others, Fast unfolding of
// communities in large networks, 2008), which maximizes the modularity (Newman and Girvan,
// 2004). Nodes move in the order of their indexes, and of two equal groups the lower one is
// chosen, so that the same graph is always divided the same way. A node is skipped if none of
// its neighbours has moved since its last turn (Ozaki, Tezuka and Inaba, A simple
// acceleration method for the Louvain algorithm, 2016). The Go library that exists orders the
// nodes at random and keeps its graph in maps, which takes a hundred times as long for
// 100,000 nodes.
package community

import "slices"

// Edge joins two nodes, by their indexes.
type Edge struct{ A, B int32 }

const (
	maxPasses = 12   // number of passes over all nodes on one level
	fewMoves  = 0.01 // a pass that moves at most this fraction of the nodes ends a level
)

// graph is an undirected graph with weights. The edges of node i are those with the indexes
// start[i] to start[i+1]-1 in neighbour and weight.
type graph struct {
	start     []int32
	neighbour []int32
	weight    []float32
	loops     []float32 // for each node, twice the weight of its edges to itself
}

// Divide returns the groups of n nodes as levels[level][node], the level of the smallest
// groups first. The groups of a level are numbered in the order of their first nodes, and
// each is part of one group of the next level. There is no level if no two nodes share a
// group. Edges of a node to itself are ignored.
func Divide(n int, edges []Edge) (levels [][]int32) {
	g := newGraph(n, edges)
	nodeOf := make([]int32, n) // the node of g that contains each node
	for i := range nodeOf {
		nodeOf[i] = int32(i)
	}
	for {
		groups, count := g.move()
		if count == len(g.loops) {
			return levels
		}
		level := make([]int32, n)
		for i := range nodeOf {
			level[i] = groups[nodeOf[i]]
		}
		levels, nodeOf = append(levels, level), level
		g = g.contract(groups, count)
	}
}

// newGraph returns a graph of n nodes in which each edge has the weight 1.
func newGraph(n int, edges []Edge) graph {
	g := graph{start: make([]int32, n+1), loops: make([]float32, n)}
	for _, e := range edges {
		if e.A != e.B {
			g.start[e.A+1]++
			g.start[e.B+1]++
		}
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	g.neighbour, g.weight = make([]int32, g.start[n]), make([]float32, g.start[n])
	next := slices.Clone(g.start)
	for _, e := range edges {
		if e.A != e.B {
			g.neighbour[next[e.A]], g.neighbour[next[e.B]] = e.B, e.A
			next[e.A]++
			next[e.B]++
		}
	}
	for i := range g.weight {
		g.weight[i] = 1
	}
	return g
}

// move moves nodes to the groups of neighbours as long as that raises the modularity. It
// returns the group of each node, numbered in the order of their first nodes, and the number
// of groups.
func (g graph) move() (groups []int32, count int) {
	n := len(g.loops)
	degree, total := make([]float64, n), 0.0
	for i := range n {
		degree[i] = float64(g.loops[i])
		for j := g.start[i]; j < g.start[i+1]; j++ {
			degree[i] += float64(g.weight[j])
		}
		total += degree[i]
	}
	groups = make([]int32, n)
	sum := slices.Clone(degree) // for each group, the sum of the degrees of its nodes
	for i := range groups {
		groups[i] = int32(i)
	}
	if total == 0 {
		return groups, n
	}
	shared, candidates := make([]float64, n), []int32{} // weight between the node and a group; the groups
	settled := make([]bool, n)                          // no neighbour has moved since the node's last turn
	for range maxPasses {
		moved := 0
		for i := range int32(n) {
			if settled[i] {
				continue
			}
			settled[i] = true
			own := groups[i]
			candidates = append(candidates[:0], own)
			for j := g.start[i]; j < g.start[i+1]; j++ {
				c := groups[g.neighbour[j]]
				if shared[c] == 0 && c != own {
					candidates = append(candidates, c)
				}
				shared[c] += float64(g.weight[j])
			}
			sum[own] -= degree[i]
			best, bestGain := own, shared[own]-sum[own]*degree[i]/total
			for _, c := range candidates[1:] {
				gain := shared[c] - sum[c]*degree[i]/total
				if gain > bestGain+1e-9 || gain > bestGain-1e-9 && c < best && best != own {
					best, bestGain = c, gain
				}
			}
			sum[best] += degree[i]
			for _, c := range candidates {
				shared[c] = 0
			}
			if best == own {
				continue
			}
			groups[i] = best
			moved++
			for j := g.start[i]; j < g.start[i+1]; j++ {
				if groups[g.neighbour[j]] != best {
					settled[g.neighbour[j]] = false
				}
			}
		}
		if float64(moved) <= fewMoves*float64(n) {
			break
		}
	}
	return number(groups)
}

// number renumbers groups from 0 in the order of their first nodes, in place, and returns how
// many there are.
func number(groups []int32) (numbered []int32, count int) {
	numberOf := make([]int32, len(groups)) // new number plus one
	for i, c := range groups {
		if numberOf[c] == 0 {
			count++
			numberOf[c] = int32(count)
		}
		groups[i] = numberOf[c] - 1
	}
	return groups, count
}

// contract returns the graph whose nodes are the groups. The weight of an edge is the sum of
// the weights of the edges between the two groups.
func (g graph) contract(groups []int32, count int) graph {
	members := make([][]int32, count)
	for i, c := range groups {
		members[c] = append(members[c], int32(i))
	}
	contracted := graph{start: make([]int32, count+1), loops: make([]float32, count)}
	weightTo, others := make([]float32, count), []int32{}
	for c, nodes := range members {
		others = others[:0]
		for _, i := range nodes {
			contracted.loops[c] += g.loops[i]
			for j := g.start[i]; j < g.start[i+1]; j++ {
				other := groups[g.neighbour[j]]
				if int(other) == c {
					contracted.loops[c] += g.weight[j]
					continue
				}
				if weightTo[other] == 0 {
					others = append(others, other)
				}
				weightTo[other] += g.weight[j]
			}
		}
		slices.Sort(others)
		for _, other := range others {
			contracted.neighbour, contracted.weight = append(contracted.neighbour, other), append(contracted.weight, weightTo[other])
			weightTo[other] = 0
		}
		contracted.start[c+1] = int32(len(contracted.neighbour))
	}
	return contracted
}
