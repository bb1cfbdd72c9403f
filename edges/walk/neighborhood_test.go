package walk_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
)

// around returns the result that Neighborhood must have.
func (w *world) around(t tb, middle int, a walk.NeighborhoodArgs) walk.NeighborhoodResult {
	t.Helper()
	p := graphtest.ReadPass(t, a.EdgeTypes, a.Origins)
	p.IncludeSuperseded, p.WithoutFiles = a.IncludeSuperseded, a.Files != nil && !*a.Files
	p.Times = graphtest.Times{AsOf: a.AsOf, KnownAt: a.KnownAt, IncludeEnded: a.IncludeEnded}
	all := w.spread([]int{middle}, max(1, a.Depth), p, func(int) bool { return true })
	limit := a.Limit
	if limit == 0 {
		limit = 50
	}
	r := walk.NeighborhoodResult{
		Seed: walk.Center{
			ID: w.Mems[middle].ID, URI: w.URI(middle), Title: w.Mems[middle].Title, Kind: w.Kind(middle),
			Status: w.Mems[middle].Status, Tags: []string{}, Aging: w.Aging(middle, p.Times),
		},
		Nodes: []walk.Neighbor{}, Edges: []walk.Link{}, Truncated: len(all) > limit,
	}
	if r.Truncated {
		all = w.cutMet(all, limit)
	}
	r.ReturnedCount = len(all)
	shown := map[int]bool{middle: true}
	for _, m := range all {
		shown[m.at] = true
		r.Nodes = append(r.Nodes, walk.Neighbor{
			Seen: ref.Seen{ID: w.Mems[m.at].ID, URI: w.URI(m.at), Title: w.Mems[m.at].Title, Kind: w.Kind(m.at), Status: w.Mems[m.at].Status, Origin: w.Mems[m.at].Origin(), Aging: w.Aging(m.at, p.Times)},
			Tags: []string{}, Distance: m.hop,
			Via: walk.Via{
				EdgeType: m.last.Tie.Kind, Rel: m.last.Tie.Rel, Direction: graphtest.Direction(m.last.Out), From: w.Mems[m.parent.at].ID,
				Ended: graphtest.EndedByNow(m.last.Tie.ValidTo),
			},
		})
	}
	for _, e := range w.Ties {
		if shown[e.From] && shown[e.To] && p.Passes(e) && e.Holds(p.Times) {
			r.Edges = append(r.Edges, walk.Link{From: e.FromID, To: e.ToID, Type: e.Kind, Rel: e.Rel, Ended: graphtest.EndedByNow(e.ValidTo)})
		}
	}
	slices.SortFunc(r.Edges, func(a, b walk.Link) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel))
	})
	return r
}

func TestNeighborhoodIsTheNaiveWalk(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 14, Ties: 34, Hide: true, Origins: true, Files: true, Times: rapid.Bool().Draw(t, "times")})
		mems, ties := graphtest.DrawOrder(t, w.World)
		w.Store(t, d, mems, ties)
		for range 4 {
			middle := rapid.IntRange(0, len(w.Mems)-1).Draw(t, "middle")
			a := walk.NeighborhoodArgs{
				Depth:             rapid.IntRange(0, 4).Draw(t, "depth"),
				Limit:             rapid.SampledFrom([]int{0, 1, 2, 4, 7}).Draw(t, "limit"),
				EdgeTypes:         graphtest.DrawTypesAndWords(t),
				Origins:           graphtest.DrawOrigins(t),
				IncludeSuperseded: rapid.Bool().Draw(t, "include_superseded"),
				Files:             rapid.SampledFrom([]*bool{nil, graphtest.Ptr(true), graphtest.Ptr(false)}).Draw(t, "files"),
			}
			asked := graphtest.DrawTimes(t)
			a.AsOf, a.KnownAt, a.IncludeEnded = asked.AsOf, asked.KnownAt, asked.IncludeEnded
			if rapid.Bool().Draw(t, "by path") {
				a.Path = w.Mems[middle].ID
			} else {
				a.ID = w.Mems[middle].ID
			}
			got, err := w.graph(d).Neighborhood(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(w.around(t, middle, a), got, cmpopts.IgnoreFields(walk.NeighborhoodResult{}, "OnReplaced", "Lean", "Next")); diff != "" || (got.Next != "") != got.Truncated {
				t.Fatalf("%+v: -want +got\n%s", a, diff)
			}
		}
	})
}

func TestNeighborhoodRefuses(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"})
	w.Store(t, d, nil, nil)
	for _, c := range []struct {
		name string
		args walk.NeighborhoodArgs
		want fault.Code
	}{
		{"NeitherIDNorPath", walk.NeighborhoodArgs{}, fault.InvalidArgument},
		{"BothIDAndPath", walk.NeighborhoodArgs{ID: w.ID("a"), Path: w.ID("a")}, fault.InvalidArgument},
		{"UnknownID", walk.NeighborhoodArgs{ID: "nothing"}, fault.NotFound},
		{"UnknownPath", walk.NeighborhoodArgs{Path: "no/thing.md"}, fault.NotFound},
		{"TooDeep", walk.NeighborhoodArgs{ID: w.ID("a"), Depth: 6}, fault.InvalidArgument},
		{"LimitTooLarge", walk.NeighborhoodArgs{ID: w.ID("a"), Limit: 201}, fault.InvalidArgument},
		{"BudgetTooSmall", walk.NeighborhoodArgs{ID: w.ID("a"), TokenBudget: 1}, fault.InvalidArgument},
		{"UnknownType", walk.NeighborhoodArgs{ID: w.ID("a"), EdgeTypes: []string{"x"}}, fault.InvalidArgument},
		{"UnknownTypeBesideAWord", walk.NeighborhoodArgs{ID: w.ID("a"), EdgeTypes: []string{"wikilink", "x"}}, fault.InvalidArgument},
		{"UnknownOrigin", walk.NeighborhoodArgs{ID: w.ID("a"), Origins: []string{"wikilink", "causes"}}, fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.graph(d).Neighborhood(t.Context(), c.args)
			graphtest.MustFail(t, err, c.want)
		})
	}
}

// A path that two vaults have must be given with its vault.
func TestNeighborhoodInAVault(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"c", "causes", "d"})
	w.Store(t, d, nil, nil)
	for name, uri := range map[string]string{"a": "obsidian-fs://one/twin.md", "c": "obsidian-fs://two/twin.md"} {
		dbtest.Fill(t, d, db.S(`update memories set uri = ? where id = ?`, uri, w.ID(name)))
	}
	for _, c := range []struct {
		args walk.NeighborhoodArgs
		want string
	}{
		{walk.NeighborhoodArgs{Path: "twin.md", Vault: "one"}, "a"},
		{walk.NeighborhoodArgs{Path: "twin", Vault: "two"}, "c"},
		{walk.NeighborhoodArgs{ID: "twin", Vault: "two"}, "c"},
	} {
		got, err := w.graph(d).Neighborhood(t.Context(), c.args)
		if err != nil || got.Seed.ID != w.ID(c.want) {
			t.Errorf("%+v: around %q, %v; want %s", c.args, got.Seed.ID, err, c.want)
		}
	}
	_, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{Path: "twin", Vault: "none"})
	graphtest.MustFail(t, err, fault.NotFound)
}

func TestNeighborhoodOfASupersededMemory(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"c", "supersedes", "a"})
	w.Store(t, d, nil, nil)
	got, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("a")})
	if err != nil || got.Seed.Status != "superseded" || len(got.Nodes) != 2 {
		t.Errorf("seed %+v, %d nodes, %v", got.Seed, len(got.Nodes), err)
	}
}
