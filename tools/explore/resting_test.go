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
