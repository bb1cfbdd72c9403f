package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/ref"
	"hence/tools/show"
)

func expanded(id string, kind edges.Kind, direction string, route ...string) walk.Expanded {
	seed := route[0]
	return walk.Expanded{
		Seen:  ref.Seen{ID: id, Title: "T" + id, Status: "current"},
		Via:   walk.Via{Seed: seed, Hop: len(route), EdgeType: kind, Direction: direction, From: route[len(route)-1]},
		Route: append(append([]string{}, route...), id),
	}
}

// A memory that the answer leaves out, because a filter rejects it or the
// limit came first, is not drawn; what was reached through it still is.
func TestDrawExpansion(t *testing.T) {
	got := drawn(t, func(v *view) {
		v.draw(show.Expanded(walk.ExpandResult{
			Results: []walk.Expanded{
				expanded("a", edges.Causes, "out", "s"),
				expanded("b", edges.DependsOn, "in", "s"),
				expanded("x", edges.Causes, "in", "z"),
				expanded("c", edges.Contradicts, "out", "s", "a"),
				expanded("d", edges.Supports, "in", "s", "gone", "gone-too"),
			},
			Truncated: true, Next: "limit",
			Warnings: []walk.SeedWarning{{Seed: "q", Reason: "unknown_doc"}, {Seed: "r", Reason: "ambiguous_doc"}},
		}))
	})
	want := `
title of s
├─ —causes→ Ta  a
│  └─ —contradicts— Tc  c
├─ ←depends-on— Tb  b
└─ … (2 memories between, not shown) … ←supports— Td  d

title of z
└─ ←causes— Tx  x
! no memory is called "q"
! "r" is the name of several memories; name one by its id
there is more: raise --limit
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDrawNeighborhood_ListsTheEdgesThatTheTreeDoesNotShow(t *testing.T) {
	node := func(id, from string, distance int, direction string) walk.Neighbor {
		return walk.Neighbor{Seen: ref.Seen{ID: id, Title: "T" + id, Status: "current"}, Distance: distance,
			Via: walk.Via{EdgeType: edges.Causes, Direction: direction, From: from}}
	}
	got := drawn(t, func(v *view) {
		v.draw(show.Neighborhood(walk.NeighborhoodResult{
			Seed:  walk.Center{ID: "s", Title: "Seed", Status: "superseded"},
			Nodes: []walk.Neighbor{node("a", "s", 1, "out"), node("b", "a", 2, "in")},
			Edges: []walk.Link{
				{From: "s", To: "a", Type: edges.Causes}, {From: "b", To: "a", Type: edges.Causes},
				{From: "a", To: "s", Type: edges.LinksTo}, {From: "s", To: "a", Type: edges.Causes, Rel: "in part"},
			},
		}))
	})
	want := `
Seed (superseded)  s
└─ —causes→ Ta  a
   └─ ←causes— Tb  b

and among these:
  Ta —links-to→ Seed
  Seed —causes (in part)→ Ta
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDrawPaths(t *testing.T) {
	hop := func(title string, kind edges.Kind, direction string, more ...edges.Parallel) edges.Hop {
		first := edges.Parallel{Type: kind, Direction: direction}
		return edges.Hop{End: ref.End{Named: ref.Named{Title: title}, Status: "current"}, Type: kind, Direction: direction, Edges: append([]edges.Parallel{first}, more...)}
	}
	short := []edges.Hop{hop("A", edges.Causes, "out"), hop("B", edges.DependsOn, "in"), {End: ref.End{Named: ref.Named{Title: "C"}, Status: "superseded"}}}
	long := []edges.Hop{
		hop("A", edges.RelatesTo, "out", edges.Parallel{Type: edges.LinksTo, Direction: "in"}, edges.Parallel{Type: edges.RefersTo, Rel: "owner", Direction: "out"}),
		hop("D", edges.Causes, "in"), {End: ref.End{Named: ref.Named{Title: "C"}, Status: "current"}},
	}
	got := drawn(t, func(v *view) {
		v.draw(show.Paths(walk.PathResult{Found: true, Strength: 0.25, Path: short, Alternatives: [][]edges.Hop{long}}))
	})
	want := `
A
  —causes→ B
  ←depends-on— C (superseded)
strength 0.25

or 2 hops:
A
  —relates-to— D
      also ←links-to—, —refers-to (owner)→
  ←causes— C
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
