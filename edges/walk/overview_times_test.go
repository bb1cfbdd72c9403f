package walk_test

import (
	"cmp"
	"slices"
	"testing"

	godiff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
)

// TestOverviewAgreesWithTheRows compares the counts, lists and components of an overview of any
// times with the rows of a world.
func TestOverviewAgreesWithTheRows(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 9, Ties: 16, Times: true, Hide: true, Files: true})
		mems, ties := graphtest.DrawOrder(t, w.World)
		w.Store(t, d, mems, ties)
		asked := graphtest.DrawTimes(t)
		got, err := w.graph(d).Overview(ctx, walk.OverviewArgs{
			Limit: 20, AsOf: asked.AsOf, KnownAt: asked.KnownAt, IncludeEnded: asked.IncludeEnded,
		})
		if err != nil {
			t.Fatal(err)
		}
		got.Stale, got.StaleCount = nil, 0 // known now: see TestOverviewOfATimeHasWhatStoodThenAndIsStale
		want := newThen(w, asked).overview()
		if diff := godiff.Diff(want, got, cmpopts.IgnoreUnexported(belief.Conflict{})); diff != "" {
			t.Fatalf("%+v (-want +got):\n%s", asked, diff)
		}
	})
}

// pastWorld is a world at given times: the naive reference of overviews.
type pastWorld struct {
	*world
	asked  graphtest.Times
	status []string // of each memory; "": it did not stand
	byID   []int
}

func newThen(w *world, asked graphtest.Times) pastWorld {
	s := pastWorld{w, asked, make([]string, len(w.Mems)), graphtest.Numbers(len(w.Mems))}
	for i := range w.Mems {
		switch {
		case w.Open(i, graphtest.Pass{Times: asked}):
			s.status[i] = "current"
		case w.Open(i, graphtest.Pass{Times: asked, IncludeSuperseded: true}):
			s.status[i] = "superseded"
		case w.Open(i, graphtest.Pass{Times: asked, IncludeSuperseded: true, IncludeForgotten: true}):
			s.status[i] = "forgotten"
		}
	}
	slices.SortFunc(s.byID, func(a, b int) int { return cmp.Compare(w.Mems[a].ID, w.Mems[b].ID) })
	return s
}

func (s pastWorld) overview() walk.OverviewResult {
	o := walk.OverviewResult{MostLinked: []walk.Linked{}, Orphans: []ref.End{}, CausalLoops: []walk.Loop{}}
	kinds, origins, statuses, tied := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for i, status := range s.status {
		if status != "" {
			statuses[status]++
		}
		if status == "current" {
			kinds[s.Kind(i)]++
			origins[s.Mems[i].Origin()]++
			o.Memories++
		}
	}
	degree, near, causes := make([]int, len(s.Mems)), make([][]int, len(s.Mems)), make([][]int, len(s.Mems))
	for _, e := range s.Ties {
		if !e.Holds(s.asked) {
			continue
		}
		tied[string(e.Kind)]++
		if e.Kind == edges.Mentions || !s.isMember(e.From) || !s.isMember(e.To) {
			continue
		}
		degree[e.From]++
		degree[e.To]++
		near[e.From], near[e.To] = append(near[e.From], e.To), append(near[e.To], e.From)
		if e.Kind == edges.Causes {
			causes[e.From] = append(causes[e.From], e.To)
		}
	}
	o.ByKind, o.ByOrigin, o.ByStatus, o.EdgesByKind = counts(kinds), counts(origins), counts(statuses), counts(tied)
	inPiece, inLoop := map[int]bool{}, map[int]bool{}
	for _, i := range s.byID {
		switch current := s.status[i] == "current"; {
		case current && degree[i] == 0:
			o.Orphans = append(o.Orphans, s.End(i, s.asked))
		case current:
			o.MostLinked = append(o.MostLinked, walk.Linked{Named: s.End(i, s.asked).Named, Edges: degree[i]})
		}
		if piece := reach(near, i); s.isMember(i) && !inPiece[i] && len(piece) > 1 {
			o.Components++
			o.LargestComponent = max(o.LargestComponent, len(piece))
			for j := range piece {
				inPiece[j] = true
			}
		}
		if inLoop[i] {
			continue
		}
		loop := walk.Loop{}
		for _, j := range s.byID {
			if reach(causes, i)[j] && reach(causes, j)[i] {
				loop.Memories, inLoop[j] = append(loop.Memories, s.End(j, s.asked)), true
			}
		}
		if loop.Size = len(loop.Memories); loop.Size > 1 {
			o.CausalLoops = append(o.CausalLoops, loop)
		}
	}
	slices.SortStableFunc(o.MostLinked, func(a, b walk.Linked) int { return b.Edges - a.Edges })
	slices.SortStableFunc(o.CausalLoops, func(a, b walk.Loop) int { return b.Size - a.Size })
	o.OrphanCount, o.CausalLoopCount = len(o.Orphans), len(o.CausalLoops)
	o.Conflicts = s.conflicts()
	o.ConflictCount = len(o.Conflicts)
	return o
}

func (s pastWorld) isMember(i int) bool {
	return s.status[i] == "current" || s.status[i] == "superseded"
}

// conflicts returns the contradictions that were open at AsOf, or now if that is not set, the
// newest first.
func (s pastWorld) conflicts() []belief.Conflict {
	at := s.asked.AsOf
	if at == "" {
		at = db.Now()
	}
	open := slices.DeleteFunc(slices.Clone(s.Ties), func(e graphtest.Tie) bool {
		return e.Kind != edges.Contradicts || !e.Holds(s.asked) ||
			s.status[e.From] != "current" || s.status[e.To] != "current" ||
			e.ValidFrom != nil && *e.ValidFrom > at || e.ValidTo != nil && *e.ValidTo <= at
	})
	slices.SortFunc(open, func(a, b graphtest.Tie) int {
		return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID))
	})
	conflicts := []belief.Conflict{}
	for _, e := range open {
		a, b := s.End(e.From, graphtest.Times{}), s.End(e.To, graphtest.Times{})
		conflicts = append(conflicts, belief.Conflict{A: a, B: b, Note: e.Note})
	}
	return conflicts
}

// reach returns the memories that can be reached from one, itself included.
func reach(steps [][]int, from int) map[int]bool {
	reached := map[int]bool{from: true}
	for open := []int{from}; len(open) > 0; open = open[1:] {
		for _, next := range steps[open[0]] {
			if !reached[next] {
				reached[next] = true
				open = append(open, next)
			}
		}
	}
	return reached
}

// counts returns numbers with their names, the largest first.
func counts(numbers map[string]int) []edges.Count {
	all := []edges.Count{}
	for name, n := range numbers {
		all = append(all, edges.Count{Name: name, Count: n})
	}
	slices.SortFunc(all, func(a, b edges.Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func TestOverviewOfATimeHasWhatStoodThenAndIsStale(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("late", edges.DependsOn, "old").Created = graphtest.Day(4)
	w.Mems[w.Find("late")].Created = graphtest.Day(4)
	w.Tie("early", edges.DependsOn, "old")
	w.Tie("over", edges.DependsOn, "old")
	w.Mems[w.Find("over")].ValidTo = graphtest.Ptr(graphtest.Day(3))
	w.Tie("new", edges.Supersedes, "old").Created = graphtest.Day(5)
	w.Store(t, d, nil, nil)
	for _, c := range []struct {
		asked walk.OverviewArgs
		want  []string
	}{
		{walk.OverviewArgs{}, []string{"early", "late"}},
		{walk.OverviewArgs{IncludeEnded: true}, []string{"early", "late", "over"}},
		{walk.OverviewArgs{AsOf: graphtest.Day(2)}, []string{"early", "over"}},
		{walk.OverviewArgs{KnownAt: graphtest.Day(2)}, []string{"early", "over"}},
		{walk.OverviewArgs{AsOf: graphtest.Day(4)}, []string{"early", "late"}},
	} {
		o, err := w.graph(d).Overview(ctx, c.asked)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, m := range o.Stale {
			got = append(got, w.Short([]string{m.ID})...)
		}
		if !slices.Equal(got, c.want) || o.StaleCount != len(c.want) {
			t.Errorf("%+v: %v of %d are stale, want %v", c.asked, got, o.StaleCount, c.want)
		}
	}
}

// Beyond the limits, an overview of a time says how many memories and edges it examined.
func TestOverviewOfATimeSaysItsBound(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"b", "causes", "c"}, [3]string{"c", "causes", "d"}, [3]string{"x", "supersedes", "a"})
	w.Store(t, d, nil, nil)
	for _, c := range []struct{ memories, edges, memoriesAmong, edgesAmong, counted, held int }{
		{5, 4, 0, 0, 5, 4},
		{4, 4, 4, 0, 4, 3}, // of a, which is superseded, nothing is read
		{5, 2, 0, 2, 5, 2},
		{1, 1, 1, 0, 1, 1},
	} {
		for _, namespace := range []string{"", w.Namespace} {
			o, err := walk.OverviewWithin(ctx, walk.Graph{DB: d}, walk.OverviewArgs{Namespace: namespace, AsOf: graphtest.Day(1), KnownAt: graphtest.Day(1)}, c.memories, c.edges)
			if err != nil {
				t.Fatal(err)
			}
			counted, held := 0, 0
			for _, n := range o.ByStatus {
				counted += n.Count
			}
			for _, n := range o.EdgesByKind {
				held += n.Count
			}
			if o.MemoriesAmong != c.memoriesAmong || o.EdgesAmong != c.edgesAmong || counted != c.counted || held != c.held {
				t.Errorf("%+v in %q: among %d and %d, counted %d and %d", c, namespace, o.MemoriesAmong, o.EdgesAmong, counted, held)
			}
		}
	}
}
