package edges_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// line is what History is to answer, found by asking who replaced whom.
func (w *world) line(at int) edges.HistoryResult {
	version := func(i int, reason string) edges.Version {
		return edges.Version{ID: w.mems[i].ID, Title: w.mems[i].Title, Status: w.mems[i].Status, CreatedAt: w.mems[i].Created, Reason: reason}
	}
	replaced := func(i int) []tie { // by i, in the order in which it was done
		all := slices.DeleteFunc(slices.Clone(w.ties), func(t tie) bool { return t.Kind != edges.Supersedes || t.From != i })
		slices.SortFunc(all, func(a, b tie) int {
			for _, c := range [][2]string{{a.Created, b.Created}, {w.mems[a.To].Created, w.mems[b.To].Created}, {a.ToID, b.ToID}} {
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
		i := slices.IndexFunc(w.ties, func(t tie) bool { return t.Kind == edges.Supersedes && t.To == chain[len(chain)-1] })
		if i < 0 {
			break
		}
		chain = append(chain, w.ties[i].From)
	}
	r := edges.HistoryResult{}
	for n, i := range chain {
		reason := ""
		for _, t := range replaced(i) {
			if n > 0 && t.To == chain[n-1] {
				reason = t.Note
			} else {
				m := w.mems[t.To]
				r.MergedFrom = append(r.MergedFrom, edges.Merged{ID: m.ID, Title: m.Title, Status: m.Status, Into: w.mems[i].ID, Reason: t.Note})
			}
		}
		r.Chain = append(r.Chain, version(i, reason))
	}
	last := w.mems[chain[len(chain)-1]]
	r.Current = edges.End{ID: last.ID, Title: last.Title, Status: last.Status}
	return r
}

func TestHistoryIsTheNaiveLine(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, shape{mems: 9, ties: 16, hide: true, times: true, kinds: []edges.Kind{
			edges.Supersedes, edges.Supersedes, edges.Supersedes, edges.Follows,
		}})
		for i := range w.ties {
			w.ties[i].Note = fmt.Sprint("reason ", i)
		}
		mems, ties := drawOrder(t, w)
		w.store(t, d, mems, ties)
		for i, m := range w.mems {
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
	w.tie("b", edges.Supersedes, "a").Note = "a was wrong"
	w.tie("c", edges.Supersedes, "b").Note = "b was late"
	e := w.tie("c", edges.Supersedes, "x")
	e.Note, e.Created = "x said the same", day(2)
	w.add("alone")
	w.store(t, d, nil, nil)
	version := func(name, status, reason string) edges.Version {
		return edges.Version{ID: w.id(name), Title: w.namespace + " " + name, Status: status, CreatedAt: day(1), Reason: reason}
	}
	current := edges.End{ID: w.id("c"), Title: w.namespace + " c", Status: "current"}
	merged := func(name, reason string) []edges.Merged {
		return []edges.Merged{{ID: w.id(name), Title: w.namespace + " " + name, Status: "superseded", Into: w.id("c"), Reason: reason}}
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
			Current: current, MergedFrom: merged("b", "b was late"),
		}},
		{"OfOneAlone", "alone", edges.HistoryResult{
			Chain:   []edges.Version{version("alone", "current", "")},
			Current: edges.End{ID: w.id("alone"), Title: w.namespace + " alone", Status: "current"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := w.graph(d).History(t.Context(), edges.HistoryArgs{ID: w.id(c.of)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	_, err := w.graph(d).History(t.Context(), edges.HistoryArgs{ID: "nothing"})
	mustFail(t, err, fault.NotFound)
}
