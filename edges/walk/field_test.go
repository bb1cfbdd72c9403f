package walk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// Mistakes of other graph memories, with one test each.

func TestFieldArrowsAreDrawnTheWayEdgesAreStored(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"b", "causes", "a"})
	w.Store(t, d, nil, nil)
	p, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("b")})
	if err != nil || p.Path[0].Direction != "in" || p.Path[0].Edges[0].Direction != "in" || !strings.Contains(edges.Arrows(p.Path), "←causes—") {
		t.Errorf("path %+v, drawn %q, %v", p.Path, edges.Arrows(p.Path), err)
	}
	e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: 1})
	if err != nil || e.Results[0].Via.Direction != "in" {
		t.Errorf("expand %+v, %v", e.Results, err)
	}
	n, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("a")})
	if err != nil || n.Nodes[0].Via.Direction != "in" || n.Edges[0].From != w.ID("b") || n.Edges[0].To != w.ID("a") {
		t.Errorf("neighborhood %+v, %v", n, err)
	}
}

func TestFieldParallelEdgesAreAllShown(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "supports", "b"}, [3]string{"b", "causes", "a"}, [3]string{"a", "causes", "b"}, [3]string{"a", "mentions", "b"})
	w.Tie("a", edges.Causes, "b").Rel = "sets off"
	w.Store(t, d, nil, nil)
	p, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("b")})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range p.Path[0].Edges {
		got = append(got, fmt.Sprintf("%s %q %s", e.Type, e.Rel, e.Direction))
	}
	if want := []string{`causes "" out`, `causes "sets off" out`, `causes "" in`, `supports "" out`}; !slices.Equal(got, want) {
		t.Errorf("path shows %q, want %q", got, want)
	}
	n, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("a")})
	if err != nil || len(n.Edges) != 4 || len(n.Nodes) != 1 {
		t.Errorf("neighborhood shows %v, %v; want 4 edges to 1 node", n.Edges, err)
	}
}

// Random ids and the order of insertion decide only between results that are otherwise equal.
func TestFieldTiesAreDecidedByKindAndDirectionBeforeIDs(t *testing.T) {
	d := dbtest.New(t)
	for _, mems := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}} {
		for _, names := range []string{"pqr", "rqp", "qrp"} {
			byOut, byIn, byKind := names[0:1], names[1:2], names[2:3]
			w := build(
				[3]string{"a", "supports", byKind}, [3]string{byKind, "supports", "z"},
				[3]string{byIn, "causes", "a"}, [3]string{byIn, "causes", "z"},
				[3]string{"a", "causes", byOut}, [3]string{"z", "causes", byOut},
			)
			w.Store(t, d, mems, []int{5, 2, 4, 0, 3, 1})
			p, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("z"), Alternatives: 3})
			want := fmt.Sprintf("[[a %s z] [a %s z] [a %s z]]", byOut, byIn, byKind)
			if got := fmt.Sprint(routes(w, p)); err != nil || got != want {
				t.Errorf("path %s, %v; want %s", got, err, want)
			}
			e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: 2})
			if err != nil || len(e.Results) != 4 || e.Results[3].Via.From != w.ID(byIn) { // causes before supports, out before in
				t.Errorf("expand %+v, %v", e.Results, err)
			}
		}
	}
}

func TestFieldAnUnknownIDIsNotFoundAndNeverNoPath(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"x", "causes", "y"})
	w.Store(t, d, nil, nil)
	g := w.graph(d)
	for _, a := range []walk.PathArgs{
		{From: w.ID("a"), To: w.ID("unknown")}, {From: w.ID("unknown"), To: w.ID("a")}, {From: w.ID("unknown"), To: w.ID("unknown")},
	} {
		_, err := g.Path(t.Context(), a)
		graphtest.MustFail(t, err, fault.NotFound)
	}
	p, err := g.Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("y")})
	if err != nil || p.Found || p.Message == "" || p.Path == nil || p.Alternatives == nil {
		t.Errorf("no path: %+v, %v", p, err)
	}
	_, err = g.Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("unknown")})
	graphtest.MustFail(t, err, fault.NotFound)
	e, err := g.Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("unknown"), w.ID("a")}, Hops: 1})
	if err != nil || len(e.Warnings) != 1 || len(e.Results) != 1 {
		t.Errorf("expand: %+v, %v; want a warning beside a result", e, err)
	}
}

func TestFieldATruncatedNeighborhoodIsTheSameEveryRun(t *testing.T) {
	w := newWorld()
	hub := w.Add("hub")
	for i := range 60 {
		w.AddEdge(hub, edges.Kinds()[1+i%3], w.Add(fmt.Sprintf("%02d", i*37%60)))
	}
	want := ""
	for run := range 3 {
		mems, ties := graphtest.Numbers(len(w.Mems)), graphtest.Numbers(len(w.Ties))
		for i := range mems {
			mems[i] = (i*(2*run+1) + run) % len(mems)
		}
		if run == 1 {
			slices.Reverse(ties)
		}
		d := dbtest.New(t)
		w.Store(t, d, mems, ties)
		for range 5 {
			n, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("hub"), Depth: 2, Limit: 7})
			if err != nil || len(n.Nodes) != 7 || !n.Truncated {
				t.Fatalf("%d nodes, %v", len(n.Nodes), err)
			}
			if got := graphtest.JSON(n); want == "" {
				want = got
			} else if got != want {
				t.Fatalf("run %d:\n got %s\nwant %s", run, got, want)
			}
		}
	}
}

// Expanding b while the level that found it is still read would say that c
// is one step away.
func TestFieldANodeFoundInALevelIsNotExpandedInThatLevel(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"b", "causes", "c"}, [3]string{"c", "causes", "d"}, [3]string{"d", "causes", "e"})
	w.Store(t, d, nil, nil)
	for hops := 1; hops <= 4; hops++ {
		n, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("a"), Depth: hops})
		if err != nil || len(n.Nodes) != hops {
			t.Fatalf("%d deep: %d nodes, %v", hops, len(n.Nodes), err)
		}
		e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: hops})
		if err != nil || len(e.Results) != hops {
			t.Fatalf("%d hops: %d results, %v", hops, len(e.Results), err)
		}
		for i := range hops {
			if n.Nodes[i].Distance != i+1 || e.Results[i].Via.Hop != i+1 {
				t.Errorf("%s is at distance %d and hop %d, want %d", n.Nodes[i].ID, n.Nodes[i].Distance, e.Results[i].Via.Hop, i+1)
			}
		}
	}
}

func TestFieldTheMiddleOfATwoHopResultIsKept(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "m"}, [3]string{"b", "depends-on", "m"})
	w.Mems[w.Find("b")].Properties["area"] = "sea"
	w.Store(t, d, nil, nil)
	e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{
		Seeds: []string{w.ID("a")}, Hops: 2, FilterProperties: map[string]any{"area": "sea"},
	})
	if err != nil || len(e.Results) != 1 {
		t.Fatalf("%+v, %v", e.Results, err)
	}
	r := e.Results[0]
	if got := w.Short(r.Route); fmt.Sprint(got) != "[a m b]" || r.Via.From != w.ID("m") || r.Via.Direction != "in" {
		t.Errorf("route %v, via %+v", got, r.Via)
	}
}

func TestFieldSupersessionIsAnEdgeThatWalksFollow(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"old", "supports", "claim"}, [3]string{"new", "supersedes", "old"})
	w.Store(t, d, nil, nil)
	g := w.graph(d)
	p, err := g.Path(t.Context(), walk.PathArgs{From: w.ID("new"), To: w.ID("claim")})
	if err != nil || p.Hops != 2 || p.Path[0].Type != edges.Supersedes || p.Path[1].Status != "superseded" {
		t.Errorf("path %+v, %v", p.Path, err)
	}
	e, err := g.Expand(t.Context(), walk.ExpandArgs{
		Seeds: []string{w.ID("new")}, Hops: 1, EdgeTypes: []string{"superseded-by"}, IncludeSuperseded: true,
	})
	if err != nil || len(e.Results) != 1 || e.Results[0].ID != w.ID("old") || e.Results[0].Via.Direction != "out" {
		t.Errorf("expand %+v, %v", e.Results, err)
	}
}

func TestFieldWeightsAreUsed(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("a", edges.Causes, "z").Weight = 0.2
	w.Tie("a", edges.Causes, "m").Weight = 0.5
	w.Tie("m", edges.Causes, "z").Weight = 0.5
	w.Store(t, d, nil, nil)
	for weighted, want := range map[bool]int{false: 1, true: 2} {
		p, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("z"), Weighted: weighted})
		if err != nil || p.Hops != want || weighted && p.Strength != 0.25 || !weighted && p.Strength != 0 {
			t.Errorf("weighted %v: %d hops of strength %v, %v; want %d", weighted, p.Hops, p.Strength, err, want)
		}
	}
}
