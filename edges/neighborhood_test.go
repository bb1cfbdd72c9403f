package edges_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// around is what Neighborhood is to answer.
func (w *world) around(t tb, middle int, a edges.NeighborhoodArgs) edges.NeighborhoodResult {
	t.Helper()
	p := chosen(t, a.EdgeTypes, a.Origins)
	p.includeSuperseded = a.IncludeSuperseded
	all := w.spread([]int{middle}, max(1, a.Depth), p, func(int) bool { return true })
	limit := a.Limit
	if limit == 0 {
		limit = 50
	}
	r := edges.NeighborhoodResult{
		Seed: edges.Center{
			ID: w.mems[middle].ID, URI: w.uri(middle), Title: w.mems[middle].Title, Kind: w.kind(middle),
			Status: w.mems[middle].Status, Tags: []string{},
		},
		Nodes: []edges.Neighbor{}, Edges: []edges.Link{}, Truncated: len(all) > limit,
	}
	if r.Truncated {
		r.Next, all = "limit", all[:limit]
	}
	r.ReturnedCount = len(all)
	shown := map[int]bool{middle: true}
	for _, m := range all {
		shown[m.at] = true
		r.Nodes = append(r.Nodes, edges.Neighbor{
			ID: w.mems[m.at].ID, URI: w.uri(m.at), Title: w.mems[m.at].Title, Kind: w.kind(m.at), Status: w.mems[m.at].Status, Origin: w.mems[m.at].origin(),
			Tags: []string{}, Distance: m.hop,
			Via: edges.NeighborVia{
				EdgeType: m.last.tie.Kind, Rel: m.last.tie.Rel, Direction: direction(m.last.out), From: w.mems[m.parent.at].ID,
			},
		})
	}
	for _, e := range w.ties {
		if shown[e.From] && shown[e.To] && p.passes(e) {
			r.Edges = append(r.Edges, edges.Link{From: e.FromID, To: e.ToID, Type: e.Kind, Rel: e.Rel})
		}
	}
	slices.SortFunc(r.Edges, func(a, b edges.Link) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel))
	})
	return r
}

func (w *world) uri(i int) string {
	if w.mems[i].URI == nil {
		return ""
	}
	return *w.mems[i].URI
}

func (w *world) kind(i int) string {
	if w.mems[i].Note {
		return "note"
	}
	return "fact"
}

func TestNeighborhoodIsTheNaiveWalk(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, shape{mems: 14, ties: 34, hide: true, origins: true})
		mems, ties := drawOrder(t, w)
		w.store(t, d, mems, ties)
		for range 4 {
			middle := rapid.IntRange(0, len(w.mems)-1).Draw(t, "middle")
			a := edges.NeighborhoodArgs{
				Depth:             rapid.IntRange(0, 4).Draw(t, "depth"),
				Limit:             rapid.SampledFrom([]int{0, 1, 2, 4, 7}).Draw(t, "limit"),
				EdgeTypes:         drawTypesAndWords(t),
				Origins:           drawOrigins(t),
				IncludeSuperseded: rapid.Bool().Draw(t, "include_superseded"),
			}
			if rapid.Bool().Draw(t, "by path") {
				a.Path = w.mems[middle].ID
			} else {
				a.ID = w.mems[middle].ID
			}
			got, err := w.graph(d).Neighborhood(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(w.around(t, middle, a), got); diff != "" {
				t.Fatalf("%+v: -want +got\n%s", a, diff)
			}
		}
	})
}

func TestNeighborhoodRefuses(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"})
	w.store(t, d, nil, nil)
	for _, c := range []struct {
		name string
		args edges.NeighborhoodArgs
		want fault.Code
	}{
		{"NeitherIDNorPath", edges.NeighborhoodArgs{}, fault.InvalidArgument},
		{"BothIDAndPath", edges.NeighborhoodArgs{ID: w.id("a"), Path: w.id("a")}, fault.InvalidArgument},
		{"UnknownID", edges.NeighborhoodArgs{ID: "nothing"}, fault.NotFound},
		{"UnknownPath", edges.NeighborhoodArgs{Path: "no/thing.md"}, fault.NotFound},
		{"TooDeep", edges.NeighborhoodArgs{ID: w.id("a"), Depth: 6}, fault.InvalidArgument},
		{"LimitTooLarge", edges.NeighborhoodArgs{ID: w.id("a"), Limit: 201}, fault.InvalidArgument},
		{"BudgetTooSmall", edges.NeighborhoodArgs{ID: w.id("a"), TokenBudget: 1}, fault.InvalidArgument},
		{"UnknownType", edges.NeighborhoodArgs{ID: w.id("a"), EdgeTypes: []string{"x"}}, fault.InvalidArgument},
		{"UnknownTypeBesideAWord", edges.NeighborhoodArgs{ID: w.id("a"), EdgeTypes: []string{"wikilink", "x"}}, fault.InvalidArgument},
		{"UnknownOrigin", edges.NeighborhoodArgs{ID: w.id("a"), Origins: []string{"wikilink", "causes"}}, fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.graph(d).Neighborhood(t.Context(), c.args)
			mustFail(t, err, c.want)
		})
	}
}

func TestNeighborhoodOfASupersededMemory(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"c", "supersedes", "a"})
	w.store(t, d, nil, nil)
	got, err := w.graph(d).Neighborhood(t.Context(), edges.NeighborhoodArgs{ID: w.id("a")})
	if err != nil || got.Seed.Status != "superseded" || len(got.Nodes) != 2 {
		t.Errorf("seed %+v, %d nodes, %v", got.Seed, len(got.Nodes), err)
	}
}
