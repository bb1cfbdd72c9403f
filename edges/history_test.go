package edges_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
)

// line is the naive reference of History: it follows the supersedes edges one by one.
func (w *world) line(at int) edges.HistoryResult {
	version := func(i int, reason string) edges.Version {
		return edges.Version{End: w.End(i, graphtest.Times{}), CreatedAt: w.Mems[i].Created, Reason: reason}
	}
	replaced := func(i int) []graphtest.Tie { // by i, in the order in which it was done
		all := slices.DeleteFunc(slices.Clone(w.Ties), func(t graphtest.Tie) bool { return t.Kind != edges.Supersedes || t.From != i })
		slices.SortFunc(all, func(a, b graphtest.Tie) int {
			for _, c := range [][2]string{{a.Created, b.Created}, {w.Mems[a.To].Created, w.Mems[b.To].Created}, {a.ToID, b.ToID}} {
				if c[0] != c[1] {
					return map[bool]int{true: -1, false: 1}[c[0] < c[1]]
				}
			}
			return 0
		})
		return all
	}
	chain := []int{at}
	for before := replaced(at); len(before) > 0; before = replaced(chain[0]) {
		chain = append([]int{before[0].To}, chain...)
	}
	for {
		i := slices.IndexFunc(w.Ties, func(t graphtest.Tie) bool { return t.Kind == edges.Supersedes && t.To == chain[len(chain)-1] })
		if i < 0 {
			break
		}
		chain = append(chain, w.Ties[i].From)
	}
	r := edges.HistoryResult{}
	var merge func(t graphtest.Tie) // with all that it replaced
	merge = func(t graphtest.Tie) {
		r.MergedFrom = append(r.MergedFrom, edges.Merged{End: w.End(t.To, graphtest.Times{}), Into: w.Mems[t.From].ID, Reason: t.Note})
		for _, earlier := range replaced(t.To) {
			merge(earlier)
		}
	}
	for n, i := range chain {
		reason := ""
		for _, t := range replaced(i) {
			if n > 0 && t.To == chain[n-1] {
				reason = t.Note
			} else {
				merge(t)
			}
		}
		r.Chain = append(r.Chain, version(i, reason))
	}
	r.Current = w.End(chain[len(chain)-1], graphtest.Times{})
	return r
}

func TestHistoryIsTheNaiveLine(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 9, Ties: 16, Hide: true, Times: true, Kinds: []edges.Kind{
			edges.Supersedes, edges.Supersedes, edges.Supersedes, edges.Follows,
		}})
		for i := range w.Ties {
			w.Ties[i].Note = fmt.Sprint("reason ", i)
		}
		mems, ties := graphtest.DrawOrder(t, w.World)
		w.Store(t, d, mems, ties)
		for i, m := range w.Mems {
			got, err := w.graph(d).History(ctx, edges.HistoryArgs{ID: m.ID})
			if err != nil {
				t.Fatal(err)
			}
			want := w.line(i)
			for _, r := range []*edges.HistoryResult{&want, &got} { // their order among themselves is by time over the whole family
				slices.SortFunc(r.MergedFrom, func(a, b edges.Merged) int { return map[bool]int{true: -1, false: 1}[a.ID < b.ID] })
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: -want +got\n%s", m.ID, diff)
			}
		}
	})
}

func TestHistory(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("b", edges.Supersedes, "a").Note = "a was wrong"
	w.Tie("c", edges.Supersedes, "b").Note = "b was late"
	e := w.Tie("c", edges.Supersedes, "x")
	e.Note, e.Created = "x said the same", graphtest.Day(2)
	w.Add("alone")
	w.Store(t, d, nil, nil)
	version := func(name, status, reason string) edges.Version {
		return edges.Version{End: ref.End{Named: ref.Named{ID: w.ID(name), Title: w.Namespace + " " + name}, Status: status}, CreatedAt: graphtest.Day(1), Reason: reason}
	}
	current := ref.End{Named: ref.Named{ID: w.ID("c"), Title: w.Namespace + " c"}, Status: "current"}
	merged := func(name, reason string) []edges.Merged {
		return []edges.Merged{{End: ref.End{Named: ref.Named{ID: w.ID(name), Title: w.Namespace + " " + name}, Status: "superseded"}, Into: w.ID("c"), Reason: reason}}
	}
	line := []edges.Version{
		version("a", "superseded", ""), version("b", "superseded", "a was wrong"), version("c", "current", "b was late"),
	}
	for _, c := range []struct {
		name, of string
		want     edges.HistoryResult
	}{
		{"FromTheOldest", "a", edges.HistoryResult{Chain: line, Current: current, MergedFrom: merged("x", "x said the same")}},
		{"FromTheMiddle", "b", edges.HistoryResult{Chain: line, Current: current, MergedFrom: merged("x", "x said the same")}},
		{"FromTheNewestFollowsTheFirstReplaced", "c", edges.HistoryResult{Chain: line, Current: current, MergedFrom: merged("x", "x said the same")}},
		{"FromWhatWasMerged", "x", edges.HistoryResult{
			Chain:   []edges.Version{version("x", "superseded", ""), version("c", "current", "x said the same")},
			Current: current, MergedFrom: append([]edges.Merged{{End: line[0].End, Into: w.ID("b"), Reason: "a was wrong"}}, merged("b", "b was late")...),
		}},
		{"OfOneAlone", "alone", edges.HistoryResult{
			Chain:   []edges.Version{version("alone", "current", "")},
			Current: ref.End{Named: ref.Named{ID: w.ID("alone"), Title: w.Namespace + " alone"}, Status: "current"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := w.graph(d).History(t.Context(), edges.HistoryArgs{ID: w.ID(c.of)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	_, err := w.graph(d).History(t.Context(), edges.HistoryArgs{ID: "nothing"})
	graphtest.MustFail(t, err, fault.NotFound)
}
