// Package components finds the strongly connected components of a directed graph:
// the largest sets of nodes that can all reach each other.
package components

// Number numbers the components of a graph, given as the successors of each node. Two
// nodes have the same number if each can reach the other; a node on no cycle has a
// number of its own. It runs in linear time (Tarjan 1972), without recursion, because
// a chain of nodes may be long.
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
	component  map[N]int // from 1, as soon as it is known
	open       []N       // discovered, component unknown
}

// visit visits all nodes that start can reach.
func (s *search[N]) visit(start N) {
	type call struct {
		node N
		next int // place of the next edge to follow
	}
	s.discover(start)
	for calls := []call{{node: start}}; len(calls) > 0; {
		at := &calls[len(calls)-1]
		if at.next < len(s.next[at.node]) {
			to := s.next[at.node][at.next]
			at.next++
			switch {
			case s.index[to] == 0:
				s.discover(to)
				calls = append(calls, call{node: to})
			case s.component[to] == 0:
				s.low[at.node] = min(s.low[at.node], s.index[to])
			}
			continue
		}
		done := at.node
		if s.low[done] == s.index[done] {
			s.close(done)
		}
		if calls = calls[:len(calls)-1]; len(calls) > 0 {
			caller := calls[len(calls)-1].node
			s.low[caller] = min(s.low[caller], s.low[done])
		}
	}
}

func (s *search[N]) discover(node N) {
	s.index[node] = len(s.index) + 1
	s.low[node] = s.index[node]
	s.open = append(s.open, node)
}

// close makes a component of the open nodes from first on.
func (s *search[N]) close(first N) {
	for {
		node := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.component[node] = s.index[first]
		if node == first {
			return
		}
	}
}
