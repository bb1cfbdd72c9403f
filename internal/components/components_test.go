package components_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/components"
	_ "hence/internal/repeattest"
)

// Two nodes are in the same component exactly if each can reach the other, by Warshall's
// algorithm.
func TestOfAgreesWithReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		next, leads := map[int][]int{}, make([][]bool, n)
		for i := range leads {
			leads[i] = make([]bool, n)
			leads[i][i] = true
		}
		for range rapid.IntRange(0, 20).Draw(t, "edges") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			next[from] = append(next[from], to)
			leads[from][to] = true
		}
		for k := range n {
			for i := range n {
				for j := range n {
					leads[i][j] = leads[i][j] || leads[i][k] && leads[k][j]
				}
			}
		}
		got := components.Number(next)
		for a := range got {
			for b := range got {
				if together := got[a] == got[b]; together != (leads[a][b] && leads[b][a]) {
					t.Fatalf("%d and %d together: %v, in %v", a, b, together, next)
				}
			}
		}
		for node := range next {
			if got[node] == 0 {
				t.Fatalf("node %d of %v has no component", node, next)
			}
		}
	})
}

func TestOfALongChain(t *testing.T) {
	next := map[int][]int{}
	for i := range 200_000 {
		next[i] = []int{i + 1}
	}
	next[200_000] = []int{0}
	got := components.Number(next)
	if len(got) != 200_001 || got[0] != got[200_000] || got[0] != got[100_000] {
		t.Errorf("%d nodes, the first in %d, the last in %d", len(got), got[0], got[200_000])
	}
}

func TestRouteIsTheFirstShortest(t *testing.T) {
	next := map[string][]string{"a": {"c", "b", "e"}, "b": {"d"}, "c": {"d", "a"}, "d": {"z"}, "e": {"f"}, "f": {"g"}, "g": {"z"}, "x": {"x"}}
	for from, want := range map[string][]string{"a": {"a", "c", "d", "z"}, "e": {"e", "f", "g", "z"}, "z": {"z"}, "x": nil} {
		if got := components.Route(from, func(n string) bool { return n == "z" }, func(n string) []string { return next[n] }); !slices.Equal(got, want) {
			t.Errorf("from %s: %v, want %v", from, got, want)
		}
	}
}
