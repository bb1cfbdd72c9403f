package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/answer"
)

// Search, related and list at both times agree with a naive look at every row.
func TestTimes_AgreeWithANaiveLook(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := graphtest.Draw(t, graphtest.Shape{
			Mems: 8, Ties: 14, Hide: true, Times: true, Files: true, Kinds: []edges.Kind{edges.Supersedes, edges.Supersedes, edges.RelatesTo},
		})
		for i := range w.Mems {
			if w.Mems[i].Title += " harbour"; !w.Mems[i].File {
				w.Mems[i].Content = fmt.Sprintf("The ferry number %d leaves the harbour.", i)
			}
		}
		w.Store(t, d, nil, nil)
		g := w.Graph(d)
		for range 4 {
			asked := graphtest.DrawTimes(t)
			p := graphtest.Pass{Times: asked}
			since, until := drawWindow(t)

			status := rapid.SampledFrom([]string{"current", "all"}).Draw(t, "status")
			p.IncludeSuperseded = status == "all"
			result, err := recall.Searcher(g).Search(t.Context(), recall.SearchArgs{
				Query: "harbour", Status: status, Limit: 50, Since: since, Until: until,
				AsOf: asked.AsOf, KnownAt: asked.KnownAt, IncludeEnded: asked.IncludeEnded,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]ref.Aging{}
			for _, f := range result.Results {
				got[f.ID] = f.Aging
			}
			want := wantedMemories(w, asked, func(i int) bool { return w.Open(i, p) && changedIn(w.Mems[i], since, until) })
			if diff := cmp.Diff(want, got); diff != "" || result.TotalCount != len(want) {
				t.Fatalf("search for %s, %+v, from %s to %s: %d in all, -want +got\n%s", status, asked, since, until, result.TotalCount, diff)
			}

			status = rapid.SampledFrom([]string{"current", "superseded", "forgotten", "all"}).Draw(t, "listed")
			list, err := memory.Store(g).List(t.Context(), memory.ListArgs{
				Status: status, Limit: 50, Since: since, Until: until, AsOf: asked.AsOf, KnownAt: asked.KnownAt, IncludeEnded: asked.IncludeEnded,
			})
			if err != nil {
				t.Fatal(err)
			}
			got = map[string]ref.Aging{}
			for _, m := range list.Memories {
				got[m.ID] = m.Aging
			}
			want = wantedMemories(w, asked, func(i int) bool {
				// In the journal, all supersedes edges of the test worlds date from the first day.
				return statusAt(w, i, asked) == status || status == "all" && statusAt(w, i, asked) != ""
			})
			for i, m := range w.Mems {
				if !changedIn(m, since, until) && !(m.Status == "superseded" && isWithin(graphtest.Day(1), since, until)) {
					delete(want, w.Mems[i].ID)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || list.TotalCount != len(want) {
				t.Fatalf("list of %s, %+v, from %s to %s: %d in all, -want +got\n%s", status, asked, since, until, list.TotalCount, diff)
			}

			middle := rapid.IntRange(0, len(w.Mems)-1).Draw(t, "middle")
			files := rapid.Bool().Draw(t, "files")
			p.IncludeSuperseded = false
			related, err := recall.Searcher(g).FindRelated(t.Context(), recall.RelatedArgs{
				ID: w.Mems[middle].ID, Files: &files, AsOf: asked.AsOf, KnownAt: asked.KnownAt, IncludeEnded: asked.IncludeEnded,
			})
			if err != nil {
				t.Fatal(err)
			}
			got = map[string]ref.Aging{}
			for _, f := range related.Results {
				got[f.ID] = f.Aging
			}
			want = wantedMemories(w, asked, func(i int) bool { return i != middle && w.Open(i, p) && (files || !w.Mems[i].File) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("related to %s, %+v: -want +got\n%s", w.Mems[middle].ID, asked, diff)
			}
			isFile := func(f recall.Related) int { return map[bool]int{true: 1}[f.Kind == "file"] }
			if !slices.IsSortedFunc(related.Results, func(a, b recall.Related) int { return isFile(a) - isFile(b) }) {
				t.Fatalf("a file without text comes before what says something: %+v", related.Results)
			}
		}
	})
}

// wantedMemories returns the memories that belong to an answer, with their marks.
func wantedMemories(w *graphtest.World, asked graphtest.Times, belongs func(i int) bool) map[string]ref.Aging {
	all := map[string]ref.Aging{}
	for i, m := range w.Mems {
		if belongs(i) {
			all[m.ID] = w.Aging(i, asked)
		}
	}
	return all
}

// statusAt returns the status of a memory at the times, "" if there was none then.
func statusAt(w *graphtest.World, i int, asked graphtest.Times) string {
	switch p := (graphtest.Pass{Times: asked}); {
	case w.Open(i, p):
		return memory.Current
	case w.Open(i, graphtest.Pass{Times: asked, IncludeSuperseded: true}):
		return memory.Superseded
	case w.Open(i, graphtest.Pass{Times: asked, IncludeSuperseded: true, IncludeForgotten: true}):
		return memory.Forgotten
	case asked.AsOf+asked.KnownAt == "" && w.Mems[i].Status == memory.Forgotten: // though it is over
		return memory.Forgotten
	}
	return ""
}

func drawWindow(t *rapid.T) (since, until string) {
	if rapid.IntRange(0, 2).Draw(t, "since") == 0 {
		since = graphtest.Day(rapid.IntRange(1, 4).Draw(t, "from"))
	}
	if rapid.IntRange(0, 2).Draw(t, "until") == 0 {
		until = graphtest.Day(rapid.IntRange(5, 8).Draw(t, "to"))
	}
	return since, until
}

// changedIn reports whether a memory was stored or last edited in a period.
func changedIn(m graphtest.Mem, since, until string) bool {
	return isWithin(m.Created, since, until) || m.ChangeTime() != "" && isWithin(m.ChangeTime(), since, until)
}

func isWithin(at, since, until string) bool {
	return (since == "" || since <= at) && (until == "" || at <= until)
}

func TestTimes_EndsOfDatesAreTheirLastMoments(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (id, title, created_at, updated_at) values
  ('first', 'harbour in March', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'),
  ('last', 'harbour at the end of March', '2026-03-31T23:59:59.999Z', '2026-03-31T23:59:59.999Z'),
  ('april', 'harbour in April', '2026-04-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z')`)
	for _, c := range []struct {
		since, until string
		want         int
	}{{"2026-03", "2026-03", 2}, {"2026-03-02", "", 2}, {"", "2026-03-31", 2}, {"2026-03-01", "2026-03-01", 1}, {"2026-04", "", 1}} {
		result, err := recall.Searcher{DB: d}.Search(t.Context(), recall.SearchArgs{Query: "harbour", Since: c.since, Until: c.until})
		if err != nil || result.TotalCount != c.want {
			t.Errorf("search from %q to %q: %d, %v; want %d", c.since, c.until, result.TotalCount, err, c.want)
		}
		list, err := memory.Store{DB: d}.List(t.Context(), memory.ListArgs{Since: c.since, Until: c.until})
		if err != nil || list.TotalCount != c.want {
			t.Errorf("list from %q to %q: %d, %v; want %d", c.since, c.until, list.TotalCount, err, c.want)
		}
	}
	for _, a := range []recall.SearchArgs{
		{Query: "harbour", Since: "2026-04", Until: "2026-03"}, {Query: "harbour", AsOf: "2026-02-30"},
		{Query: "harbour", KnownAt: "soon"}, {Query: "harbour", Until: "2026-13"},
	} {
		if _, err := (recall.Searcher{DB: d}).Search(t.Context(), a); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", a, err)
		}
	}
}

// From the time at which a successor is valid, it is found by the words of the memory that it
// replaced, although the edge between them was stored later.
func TestTimes_ASuccessorBorrowsAtTheTimeAsked(t *testing.T) {
	from := func(day string, a memory.StoreArgs) memory.StoreArgs {
		a.ValidFrom = day
		return a
	}
	second, third := item("second", "Ada has her home in Odense."), item("third", "Ada sleeps in Riga.")
	second.Supersedes, third.Supersedes = []string{"first"}, []string{"second"}
	s := storeItems(t,
		from("2024-01-01", item("first", "Ada lives in Lima.")),
		from("2024-01-02", second),
		from("2024-01-03", third))
	for day, want := range map[string][]string{
		"2024-01-01T12:00:00Z": {"first"},
		"2024-01-02T12:00:00Z": {"second"},
	} {
		got := search(t, s, recall.SearchArgs{Query: "lives", AsOf: day})
		if diff := cmp.Diff(want, titles(got)); diff != "" {
			t.Errorf("as of %s (-want +got):\n%s", day, diff)
		}
	}
	if got := search(t, s, recall.SearchArgs{Query: "home", AsOf: "2024-01-03T12:00:00Z"}); len(got.Results) != 1 || got.Results[0].Title != "third" {
		t.Errorf("the last one: %v", titles(got))
	}
}

// As of a time, a memory that was replaced holds until the earlier of its end and the beginning of
// its successor: in search, lists and walks.
func TestTimes_WhatWasReplacedEndsWhereItsSuccessorBegins(t *testing.T) {
	day := graphtest.Day
	for name, c := range map[string]struct {
		end, successor, edge int // days; 0: not set
		held                 int // the last day on which the old one holds
	}{
		"TheSuccessorBeginsBeforeTheEnd":     {end: 8, successor: 5, held: 4},
		"TheSuccessorBeginsAfterTheEnd":      {end: 4, successor: 7, held: 3},
		"TheSuccessorBeginsAtTheEnd":         {end: 6, successor: 6, held: 5},
		"WithoutAnEnd":                       {successor: 5, held: 4},
		"TheEdgeBeginsBeforeTheSuccessor":    {end: 8, successor: 6, edge: 4, held: 3},
		"TheEdgeBeginsAfterTheSuccessor":     {end: 9, successor: 4, edge: 7, held: 6},
		"TheSuccessorHoldsSinceItWasStored":  {end: 8, held: 0},
		"TheEdgeBeginsAndTheSuccessorHasNot": {end: 9, edge: 3, held: 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := &graphtest.World{Namespace: "default"}
			at := func(n int) *string {
				if n == 0 {
					return nil
				}
				return graphtest.Ptr(day(n))
			}
			for _, title := range []string{"Old harbour", "New harbour", "Other harbour"} {
				w.Add(title)
			}
			old, next := &w.Mems[w.Find("Old harbour")], &w.Mems[w.Find("New harbour")]
			old.ValidTo, next.ValidFrom = at(c.end), at(c.successor)
			w.Tie("New harbour", edges.Supersedes, "Old harbour").ValidFrom = at(c.edge)
			w.Tie("Other harbour", edges.RelatesTo, "Old harbour")
			d := dbtest.New(t)
			w.Store(t, d, nil, nil)
			g := w.Graph(d)
			for n := 1; n <= 9; n++ {
				found, err := recall.Searcher(g).Search(t.Context(), recall.SearchArgs{Query: "harbour", AsOf: day(n)})
				if err != nil {
					t.Fatal(err)
				}
				listed, err := memory.Store(g).List(t.Context(), memory.ListArgs{AsOf: day(n)})
				if err != nil {
					t.Fatal(err)
				}
				near, err := walk.Graph(g).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("Other harbour"), AsOf: day(n)})
				if err != nil {
					t.Fatal(err)
				}
				want := n <= c.held
				for how, holds := range map[string]bool{
					"search": slices.ContainsFunc(found.Results, func(f answer.Found) bool { return f.Title == w.Namespace+" Old harbour" }),
					"list":   slices.ContainsFunc(listed.Memories, func(m memory.Summary) bool { return m.Title == w.Namespace+" Old harbour" }),
					"walk":   slices.ContainsFunc(near.Nodes, func(n walk.Neighbor) bool { return n.Title == w.Namespace+" Old harbour" }),
				} {
					if holds != want {
						t.Errorf("as of day %d the %s has the old one: %t, want %t", n, how, holds, want)
					}
				}
			}
		})
	}
}
