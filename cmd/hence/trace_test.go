package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/ref"
	"hence/tools/show"
)

func traced(id string, kind edges.Kind, direction string, route ...string) walk.Traced {
	return walk.Traced{
		Seen:  ref.Seen{ID: id, Title: "T" + id, Status: "current"},
		Via:   walk.Via{Hop: len(route), EdgeType: kind, Direction: direction, From: route[len(route)-1]},
		Route: append(append([]string{}, route...), id),
	}
}

func TestDrawTraces(t *testing.T) {
	gone := belief.Doubt{Named: ref.Named{ID: "gone", Title: "Old plan"}, Reason: "superseded", Route: []string{"s", "a", "b", "gone"}}
	near := belief.Doubt{Named: ref.Named{ID: "near", Title: "Near"}, Reason: "contradicted", Route: []string{"s", "near"}}
	a := traced("a", edges.DependsOn, "out", "s")
	a.Stale = []belief.Doubt{{Named: ref.Named{Title: "Old plan"}, Reason: "forgotten", Route: []string{"a", "b", "gone"}}, {Named: ref.Named{Title: "Note"}, Reason: "changed", Route: []string{"a", "n"}}}
	b := traced("b", edges.Supports, "in", "s", "a")
	b.Status = "superseded"
	got := drawn(t, func(v *view) {
		v.draw(show.Traced(
			walk.TraceResult{
				End: ref.End{Named: ref.Named{ID: "s", Title: "Seed"}, Status: "current"}, Direction: "upstream", Stale: []belief.Doubt{near, gone},
				Results: []walk.Traced{a, b}, ReturnedCount: 2, StaleCount: 1, Truncated: true, Next: "max_hops",
			},
			walk.TraceResult{End: ref.End{Named: ref.Named{ID: "s", Title: "Seed"}, Status: "current"}, Direction: "downstream", Results: []walk.Traced{}},
		))
	})
	want := `
Seed  s
  stale: "Near" is contradicted
  stale: "Old plan" was superseded, by way of title of a → title of b

what it rests on (1 of 2 stale)
└─ —depends-on→ Ta  a
   │ stale: "Old plan" was forgotten, by way of title of b
   │ stale: "Note" has changed
   └─ ←supports— Tb (superseded)  b
there is more: raise --max-hops

nothing rests on it
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A budget may leave no room for a single result: that is not "nothing".
func TestDrawTraces_NoRoomIsNotNothing(t *testing.T) {
	got := drawn(t, func(v *view) {
		v.draw(show.Traced(walk.TraceResult{End: ref.End{Named: ref.Named{ID: "s", Title: "S"}}, Direction: "upstream", Results: []walk.Traced{}, Truncated: true, Next: "token_budget"}))
	})
	want := `
S  s

what it rests on
there is more: raise --token-budget
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
