package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db/dbtest"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
)

// What the page says that superseding or forgetting a memory makes stale, that becomes stale: no less and no more.
func TestRestingForetellsWhatBecomesStale(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := dbtest.New(t)
		v := ref.View{DB: d, Caller: person}
		n := rapid.IntRange(3, 6).Draw(rt, "memories")
		ids := []string{}
		for i := range n {
			title := fmt.Sprintf("Thing %d", i)
			m, err := memory.Store(v).Remember(t.Context(), memory.StoreArgs{Content: fmt.Sprintf("Thing %d stands.", i), Title: &title, Dedup: "off"}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			ids = append(ids, m.Memory.ID)
		}
		kinds := []edges.Kind{edges.DependsOn, edges.DerivedFrom, edges.Supports, edges.RelatesTo}
		for range rapid.IntRange(1, 8).Draw(rt, "edges") {
			from, to := rapid.IntRange(0, n-1).Draw(rt, "from"), rapid.IntRange(0, n-1).Draw(rt, "to")
			if from > to {
				if _, err := edges.Graph(v).Link(t.Context(), edges.LinkArgs{From: ids[from], To: ids[to], Type: string(rapid.SampledFrom(kinds).Draw(rt, "kind"))}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		target := rapid.IntRange(0, n-1).Draw(rt, "target")
		told, err := reader(v).Resting(t.Context(), RestingArgs{IDs: []string{ids[target]}})
		if err != nil || len(told.Memories) != 1 {
			rt.Fatalf("%+v, %v", told, err)
		}
		var stale []belief.NowStale
		if rapid.Bool().Draw(rt, "forget") {
			r, err := memory.Store(v).Forget(t.Context(), memory.ForgetArgs{ID: ids[target]})
			if err != nil {
				rt.Fatal(err)
			}
			stale = r.NowStale
		} else {
			r, err := memory.Store(v).Remember(t.Context(), memory.StoreArgs{Content: "It is new.", Supersedes: []string{ids[target]}, Dedup: "off"}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			stale = r.NowStale
		}
		want, got := []string{}, []string{}
		for _, m := range stale {
			want = append(want, m.ID)
		}
		for _, m := range told.Memories[0].Resting {
			got = append(got, m.ID)
		}
		slices.Sort(want)
		slices.Sort(got)
		if strings.Join(want, " ") != strings.Join(got, " ") || told.Memories[0].Count != len(want) {
			rt.Errorf("told %v of %d, and stale are %v", got, told.Memories[0].Count, want)
		}
	})
}

// What the page says that verifying a memory clears beside it, that is stale no more by it: no less and no more.
func TestClearsForetellsWhatAVerificationClears(t *testing.T) {
	dbtest.SkipUnderRace(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := dbtest.New(t)
		v := ref.View{DB: d, Caller: person}
		n := rapid.IntRange(4, 8).Draw(rt, "memories")
		names := []string{}
		for i := range n {
			title := fmt.Sprintf("Thing %d", i)
			if _, err := memory.Store(v).Remember(t.Context(), memory.StoreArgs{Content: title + " stands.", Title: &title, Dedup: "off"}, nil); err != nil {
				rt.Fatal(err)
			}
			names = append(names, title)
		}
		draw := func(what string) string { return rapid.SampledFrom(names).Draw(rt, what) }
		for range rapid.IntRange(3, 12).Draw(rt, "edges") {
			kind := rapid.SampledFrom([]edges.Kind{edges.DependsOn, edges.DependsOn, edges.DerivedFrom, edges.Supports}).Draw(rt, "kind")
			_, _ = edges.Graph(v).Link(t.Context(), edges.LinkArgs{From: draw("from"), To: draw("to"), Type: string(kind)}) // a cycle is refused
		}
		for i := range rapid.IntRange(1, 5).Draw(rt, "changes") {
			name, text := draw("name"), fmt.Sprintf("Otherwise %d.", i)
			switch rapid.SampledFrom([]string{"supersede", "forget", "update", "contradict", "verify"}).Draw(rt, "do") {
			case "supersede":
				_, _ = memory.Store(v).Remember(t.Context(), memory.StoreArgs{Content: text, Supersedes: []string{name}, Dedup: "off"}, nil)
			case "forget":
				_, _ = memory.Store(v).Forget(t.Context(), memory.ForgetArgs{ID: name})
			case "update":
				_, _ = memory.Store(v).Revise(t.Context(), memory.UpdateArgs{ID: name, Content: &text})
			case "contradict":
				_, _ = edges.Graph(v).Link(t.Context(), edges.LinkArgs{From: name, To: draw("other"), Type: string(edges.Contradicts)})
			case "verify":
				_, _, _ = belief.Graph(v).Verify(t.Context(), belief.VerifyArgs{ID: name})
			}
		}
		stale := func() (ids []string) {
			all, err := belief.Graph(v).Doubtful(t.Context(), edges.PageArgs{Limit: 100})
			if err != nil {
				rt.Fatal(err)
			}
			return lists.Map(all.Memories, func(m belief.Doubtful) string { return m.ID })
		}
		for _, name := range names {
			told, err := reader(v).Resting(t.Context(), RestingArgs{IDs: []string{name}})
			if err != nil || len(told.Memories) != 1 {
				rt.Fatalf("%+v, %v", told, err)
			}
			before := stale()
			m, _, err := belief.Graph(v).Verify(t.Context(), belief.VerifyArgs{ID: name})
			if err != nil {
				rt.Fatal(err)
			}
			after := stale()
			want := slices.DeleteFunc(before, func(id string) bool { return id == m.ID || slices.Contains(after, id) })
			got := lists.Map(told.Memories[0].Clears, func(n ref.Named) string { return n.ID })
			if !slices.Equal(got, want) {
				rt.Errorf("of %s told %v, and cleared are %v", name, got, want)
			}
		}
	})
}
