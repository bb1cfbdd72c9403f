// Package components finds the strongly connected components of a directed graph, the largest
// sets of nodes that can all reach each other, and the shortest way between two nodes.
package components

import "slices"

// Number returns the number of the component of each node of a graph, which is given as the
// successors of each node. Two nodes have the same number if each can reach the other; a node
// that is not on a cycle has a number of its own. A component that another leads to has a
// smaller number than that. It runs in linear time (Tarjan 1972), without
// recursion, because a chain of nodes may be long.
func Number[N comparable](next map[N][]N) map[N]int {
	s := search[N]{next: next, index: map[N]int{}, low: map[N]int{}, component: map[N]int{}}
	for start := range next {
		if s.index[start] == 0 {
			s.visit(start)
		}
	}
	return s.component
}

type search[N comparable] struct {
	next       map[N][]N
	index, low map[N]int // from 1, in the order of discovery
	component  map[N]int // from 1, set once it is known
	count      int       // of the components that are known
	stack      []N       // discovered nodes whose component is not known yet
}

// visit visits all nodes that start can reach.
func (s *search[N]) visit(start N) {
	type call struct {
		node N
		next int // index of the next edge to follow
	}
	s.discover(start)
	for calls := []call{{node: start}}; len(calls) > 0; {
		current := &calls[len(calls)-1]
		if current.next < len(s.next[current.node]) {
			to := s.next[current.node][current.next]
			current.next++
			switch {
			case s.index[to] == 0:
				s.discover(to)
				calls = append(calls, call{node: to})
			case s.component[to] == 0:
				s.low[current.node] = min(s.low[current.node], s.index[to])
			}
			continue
		}
		node := current.node
		if s.low[node] == s.index[node] {
			s.popComponent(node)
		}
		if calls = calls[:len(calls)-1]; len(calls) > 0 {
			caller := calls[len(calls)-1].node
			s.low[caller] = min(s.low[caller], s.low[node])
		}
	}
}

// discover numbers a node and pushes it onto the stack.
func (s *search[N]) discover(node N) {
	s.index[node] = len(s.index) + 1
	s.low[node] = s.index[node]
	s.stack = append(s.stack, node)
}

// popComponent makes a component of the nodes on the stack from first on.
func (s *search[N]) popComponent(first N) {
	s.count++
	for {
		node := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		s.component[node] = s.count
		if node == first {
			return
		}
	}
}

// Route returns the nodes of the shortest way from a node to one for which isEnd is true, both
// included, nil if there is none; of several, the first in the order in which next lists nodes.
func Route[N comparable](from N, isEnd func(N) bool, next func(N) []N) (way []N) {
	previous := map[N]N{from: from}
	for queue := []N{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if isEnd(at) {
			for way = []N{at}; at != from; way = append(way, at) {
				at = previous[at]
			}
			slices.Reverse(way)
			return way
		}
		for _, to := range next(at) {
			if _, seen := previous[to]; !seen {
				previous[to] = at
				queue = append(queue, to)
			}
		}
	}
	return nil
}
