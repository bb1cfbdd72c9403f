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

func TestDrawOverview(t *testing.T) {
	end := func(id string) ref.End { return ref.End{Named: ref.Named{ID: id, Title: "T" + id}} }
	doubt := belief.Doubt{Named: ref.Named{ID: "x", Title: "Old"}, Reason: "superseded", Route: []string{"c", "x"}}
	got := drawn(t, func(v *view) {
		v.draw(show.Overview(walk.OverviewResult{
			Memories: 9, Components: 2, LargestComponent: 5,
			ByKind:     []edges.Count{{Name: "fact", Count: 7}, {Name: "note", Count: 2}},
			ByStatus:   []edges.Count{{Name: "current", Count: 9}},
			MostLinked: []walk.Linked{{Named: ref.Named{ID: "a", Title: "Ta"}, Edges: 12}},
			Stale:      []belief.StaleMemory{{Named: ref.Named{ID: "c", Title: "Tc"}, Stale: []belief.Doubt{doubt, doubt, doubt}}}, StaleCount: 3,
			Conflicts: []belief.Conflict{{A: end("a"), B: end("b"), Note: "since May"}}, ConflictCount: 1,
			CausalLoops: []walk.Loop{{Size: 5, Memories: []ref.End{end("a"), end("b")}}}, CausalLoopCount: 1,
			Orphans: []ref.End{end("o")}, OrphanCount: 1,
		}))
	})
	want := `
in conflict (1)
  Ta —contradicts— Tb — since May

stale (3)
  Tc  c
    stale: "Old" was superseded, and 2 more reasons
  … and 2 more: raise --limit

causes in cycles (1)
  Ta, Tb and 3 more

9 current memories; edges join them in 2 components, superseded ones included, the largest of 5
kinds   7 fact, 2 note
status  9 current

most linked
   12  Ta  a

without an edge (1)
  To  o
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDrawOverview_OfNothing(t *testing.T) {
	got := drawn(t, func(v *view) { v.draw(show.Overview(walk.OverviewResult{})) })
	if want := "\n0 current memories; no edges between them\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
