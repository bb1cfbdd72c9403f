package acyclic_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/acyclic"
	_ "hence/internal/repeattest"
)

type edge = acyclic.Edge[int]

// leads reports whether accepted edges of a kind lead from one memory to another.
func leads(accepted []edge, kind edges.Kind, from, to int) bool {
	reached := []int{from}
	for i := 0; i < len(reached); i++ {
		for _, e := range accepted {
			if e.Kind == kind && e.From == reached[i] && !slices.Contains(reached, e.To) {
				reached = append(reached, e.To)
			}
		}
	}
	return slices.Contains(reached, to)
}

// TestTheJudgeAgreesWithASearchOfAllEdges holds each verdict against a search of all edges that
// were accepted before.
func TestTheJudgeAgreesWithASearchOfAllEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) edge {
			memory := rapid.IntRange(0, 6)
			return edge{rapid.SampledFrom([]edges.Kind{edges.Supersedes, edges.DependsOn}).Draw(t, "kind"), memory.Draw(t, "from"), memory.Draw(t, "to")}
		})
		fixed := []edge{}
		for _, e := range rapid.SliceOfN(draw, 0, 4).Draw(t, "fixed") {
			if e.Kind == edges.DependsOn && !leads(fixed, e.Kind, e.To, e.From) {
				fixed = append(fixed, e)
			}
		}
		claims := rapid.SliceOfN(draw, 0, 25).Draw(t, "claims")
		accepted, judge := slices.Clone(fixed), acyclic.New(fixed, claims)
		for _, e := range claims {
			want := acyclic.Accepted
			at := slices.IndexFunc(accepted, func(a edge) bool { return a.Kind == edges.Supersedes && a.To == e.To })
			switch {
			case e.Kind == edges.Supersedes && at >= 0:
				if accepted[at].From != e.From {
					want = acyclic.Successor
				}
			case leads(accepted, e.Kind, e.To, e.From):
				want = acyclic.Cycle
			default:
				accepted = append(accepted, e)
			}
			got, successor := judge.Judge(e)
			if got != want || want == acyclic.Successor && successor != accepted[at].From {
				t.Fatalf("%+v: %q, successor %d; want %q after %+v", e, got, successor, want, accepted)
			}
		}
	})
}
