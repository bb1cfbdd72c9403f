package walk_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
)

// All pages of a walk together have what one page of any size has, whatever cuts the pages.
func TestPagesOfAWalkAreTheWalk(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 14, Ties: 40, Hide: true, Properties: true})
		w.Store(t, d, nil, nil)
		g := w.graph(d)
		_, a := drawExpandArgs(t, w)
		a.Limit = 500
		whole, err := g.Expand(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		around := walk.NeighborhoodArgs{ID: a.Seeds[0], Depth: a.Hops, Limit: 200, EdgeTypes: a.EdgeTypes, Files: a.Files}
		area, err := g.Neighborhood(ctx, around)
		if err != nil {
			t.Fatal(err)
		}
		limit := func() int { return rapid.IntRange(1, 6).Draw(t, "limit") }
		tokens := func() int { return rapid.SampledFrom([]int{0, 0, 400, 700}).Draw(t, "budget") }

		reached := []walk.Expanded{}
		for pages := 0; pages == 0 || a.Cursor != ""; pages++ {
			a.Limit, a.TokenBudget = limit(), tokens()
			page, err := g.Expand(ctx, a)
			if err != nil || pages > 60 {
				t.Fatalf("page %d: %v", pages, err)
			}
			reached, a.Cursor = append(reached, page.Results...), page.Next
		}
		byID := func(a, b walk.Expanded) int { return cmp.Compare(a.ID, b.ID) }
		slices.SortFunc(reached, byID)
		slices.SortFunc(whole.Results, byID)
		if diff := gocmp.Diff(whole.Results, reached); diff != "" {
			t.Fatalf("%+v: pages of expand: -whole +pages\n%s", a, diff)
		}

		nodes, links := []walk.Neighbor{}, []walk.Link{}
		for pages := 0; pages == 0 || around.Cursor != ""; pages++ {
			around.Limit, around.TokenBudget = limit(), tokens()
			page, err := g.Neighborhood(ctx, around)
			if err != nil || pages > 60 {
				t.Fatalf("page %d: %v", pages, err)
			}
			nodes, links, around.Cursor = append(nodes, page.Nodes...), append(links, page.Edges...), page.Next
		}
		slices.SortFunc(nodes, func(a, b walk.Neighbor) int { return cmp.Compare(a.ID, b.ID) })
		slices.SortFunc(area.Nodes, func(a, b walk.Neighbor) int { return cmp.Compare(a.ID, b.ID) })
		slices.SortFunc(links, func(a, b walk.Link) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel))
		})
		if diff := gocmp.Diff(area.Nodes, nodes) + gocmp.Diff(area.Edges, links); diff != "" {
			t.Fatalf("%+v: pages of a neighborhood: -whole +pages\n%s", around, diff)
		}
	})
}

// A cursor belongs to one walk. How much is shown may change.
func TestCursorOfAWalk(t *testing.T) {
	d := dbtest.New(t)
	w := star(t, d, 30)
	g, hub := w.graph(d), []string{w.ID("hub")}
	first, err := g.Expand(t.Context(), walk.ExpandArgs{Seeds: hub, Limit: 10})
	if err != nil || len(first.Next) > 48 {
		t.Fatalf("next %q, %v", first.Next, err)
	}
	if next, err := g.Expand(t.Context(), walk.ExpandArgs{Seeds: hub, Limit: 30, Detail: "full", TokenBudget: 20_000, Cursor: first.Next}); err != nil || next.ReturnedCount != 20 || next.Truncated {
		t.Errorf("%d more, truncated %v, %v", next.ReturnedCount, next.Truncated, err)
	}
	for name, a := range map[string]walk.ExpandArgs{
		"Seeds":     {Seeds: append([]string{w.Mems[1].ID}, hub...)},
		"Hops":      {Seeds: hub, Hops: 2},
		"Direction": {Seeds: hub, Direction: "outgoing"},
		"Types":     {Seeds: hub, EdgeTypes: []string{"links-to"}},
		"Times":     {Seeds: hub, AsOf: "2026-01-01"},
	} {
		a.Cursor = first.Next
		if _, err := g.Expand(t.Context(), a); err == nil {
			t.Errorf("a walk with other %s takes the cursor", name)
		}
	}
	if _, err := g.Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: hub[0], Cursor: first.Next}); err == nil {
		t.Error("a neighborhood takes the cursor of an expansion")
	}
}
