package memory_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
)

// doubt is why a memory of the model is stale, with a mark that tells one
// occurrence from the next.
type doubt struct {
	because int
	reason  string
	mark    int
}

// model is what staleness means, told naively: memories by number, and marks
// from a counter.
type model struct {
	clock     int
	content   []int          // mark of the last edit
	forgotten []int          // mark, 0: not
	successor map[int][2]int // old → new, mark
	conflicts map[[2]int]int // smaller, larger → mark
	basis     map[[2]int]int // memory, what it rests on → mark of the content then
	verified  map[int]map[doubt]bool
}

func (m *model) tick() int { m.clock++; return m.clock }

func (m *model) current(i int) bool {
	_, superseded := m.successor[i]
	return m.forgotten[i] == 0 && !superseded
}

// raised are the doubts about one memory, and who raised them (-1: nobody).
func (m *model) raised(i int) map[doubt]int {
	all := map[doubt]int{}
	if s, ok := m.successor[i]; ok {
		all[doubt{i, "superseded", s[1]}] = s[0]
	}
	if m.forgotten[i] != 0 {
		all[doubt{i, "forgotten", m.forgotten[i]}] = -1
	}
	for pair, mark := range m.conflicts {
		for k, end := range pair {
			if other := pair[1-k]; end == i && m.current(other) {
				all[doubt{i, "contradicted", mark}] = other
			}
		}
	}
	return all
}

// stale repeats "who rests on something doubtful or stale is stale" until
// nothing changes.
func (m *model) stale() map[int]map[doubt]int {
	all := map[int]map[doubt]int{}
	for changed := true; changed; {
		changed = false
		add := func(i int, d doubt, raiser int) {
			if m.verified[i][d] || raiser == i || d.because == i {
				return
			}
			if _, ok := all[i][d]; !ok {
				if all[i] == nil {
					all[i] = map[doubt]int{}
				}
				all[i][d] = raiser
				changed = true
			}
		}
		for pair, basis := range m.basis {
			on := pair[1]
			for d, raiser := range m.raised(on) {
				add(pair[0], d, raiser)
			}
			if basis != m.content[on] {
				d := doubt{on, "changed", m.content[on]}
				if _, ok := all[pair[0]][d]; !ok { // its own basis was not renewed, whatever was verified through others
					if all[pair[0]] == nil {
						all[pair[0]] = map[doubt]int{}
					}
					all[pair[0]][d] = -1
					changed = true
				}
			}
			for d, raiser := range all[on] {
				add(pair[0], d, raiser)
			}
		}
	}
	return all
}

// TestStalenessIsWhatRecomputationFromScratchSays does random things to a
// store and to the model, and compares after each.
func TestStalenessIsWhatRecomputationFromScratchSays(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	d := dbtest.New(t)
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		namespace := fmt.Sprint("round", round)
		s := memory.Store{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent", Namespace: namespace}}
		g := edges.Graph(s)
		ctx := context.Background()
		m := model{successor: map[int][2]int{}, conflicts: map[[2]int]int{}, basis: map[[2]int]int{}, verified: map[int]map[doubt]bool{}}
		n := rapid.IntRange(2, 6).Draw(t, "memories")
		ids := make([]string, n)
		for i := range n {
			result, err := s.Remember(ctx, memory.StoreArgs{Content: fmt.Sprint(namespace, i, 0), Dedup: "off"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = result.Memory.ID
			m.content = append(m.content, m.tick())
			m.forgotten = append(m.forgotten, 0)
			m.verified[i] = map[doubt]bool{}
		}
		// did reports whether a change was made; a refusal by the rules of
		// edges leaves the model as it is.
		did := func(err error) bool {
			if code := fault.CodeOf(err); code == fault.Cycle || code == fault.Conflict {
				return false
			}
			if err != nil {
				t.Fatal(err)
			}
			return true
		}
		for range rapid.IntRange(1, 14).Draw(t, "changes") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			pair := [2]int{min(a, b), max(a, b)}
			what := rapid.SampledFrom([]string{"rest", "rest", "rest", "supersede", "reinstate", "contradict", "agree", "forget", "restore", "edit", "verify"}).Draw(t, "what")
			if a == b && slices.Contains([]string{"rest", "supersede", "contradict"}, what) {
				continue
			}
			link := func(kind string) bool {
				_, err := g.Link(ctx, edges.LinkArgs{From: ids[a], To: ids[b], Type: kind})
				return did(err)
			}
			switch what {
			case "rest":
				if _, ok := m.basis[[2]int{a, b}]; !ok && link(rapid.SampledFrom([]string{"depends-on", "derived-from"}).Draw(t, "kind")) {
					m.basis[[2]int{a, b}] = m.content[b]
				}
			case "supersede":
				if s, ok := m.successor[b]; link("supersedes") && !(ok && s[0] == a) {
					m.successor[b] = [2]int{a, m.tick()}
				}
			case "reinstate":
				if s, ok := m.successor[a]; ok {
					_, err := g.Unlink(ctx, edges.UnlinkArgs{From: ids[s[0]], To: ids[a], Type: "supersedes"})
					did(err)
					delete(m.successor, a)
				}
			case "contradict":
				if _, ok := m.conflicts[pair]; link("contradicts") && !ok {
					m.conflicts[pair] = m.tick()
				}
			case "agree":
				if a != b {
					_, err := g.Unlink(ctx, edges.UnlinkArgs{From: ids[a], To: ids[b], Type: "contradicts"})
					did(err)
					delete(m.conflicts, pair)
				}
			case "forget":
				if m.forgotten[a] == 0 {
					_, err := s.Forget(ctx, memory.ForgetArgs{ID: ids[a]})
					did(err)
					m.forgotten[a] = m.tick()
				}
			case "restore":
				if m.forgotten[a] != 0 {
					_, err := s.Restore(ctx, memory.RestoreArgs{ID: ids[a]})
					did(err)
					m.forgotten[a] = 0
				}
			case "edit":
				m.content[a] = m.tick()
				text := fmt.Sprint(namespace, a, m.content[a])
				_, err := s.Revise(ctx, memory.UpdateArgs{ID: ids[a], Content: &text})
				did(err)
			case "verify":
				for d := range m.stale()[a] {
					m.verified[a][d] = true
				}
				for pair := range m.basis {
					if pair[0] == a {
						m.basis[pair] = m.content[pair[1]]
					}
				}
				_, err := s.Verify(ctx, belief.VerifyArgs{ID: ids[a]})
				did(err)
			}
			compareStaleness(t, ctx, s, m, ids)
		}
	})
}

// compareStaleness compares what the store says with what the model says, by
// the tools and by the view.
func compareStaleness(t *rapid.T, ctx context.Context, s memory.Store, m model, ids []string) {
	want, wantRows := map[string][]string{}, []string{}
	for i, doubts := range m.stale() {
		if !m.current(i) {
			continue
		}
		for d := range doubts {
			want[ids[i]] = append(want[ids[i]], ids[d.because]+" "+d.reason)
		}
		slices.Sort(want[ids[i]])
		want[ids[i]] = slices.Compact(want[ids[i]])
		for _, line := range want[ids[i]] {
			wantRows = append(wantRows, ids[i]+" "+line)
		}
	}
	got := map[string][]string{}
	opened, err := s.Open(ctx, memory.GetArgs{IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range opened.Memories {
		for _, d := range one.Stale {
			got[one.ID] = append(got[one.ID], d.ID+" "+d.Reason)
			if d.Route[0] != one.ID || d.Route[len(d.Route)-1] != d.ID {
				t.Fatalf("the route of %s to %s is %v", one.ID, d.ID, d.Route)
			}
		}
		slices.Sort(got[one.ID])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("stale (-model +store):\n%s", diff)
	}
	if diff := cmp.Diff(want, listedAsStale(t, ctx, s)); diff != "" {
		t.Fatalf("the list (-model +store):\n%s", diff)
	}
	rows := dbtest.Texts(t, s.DB, `
select s.id || ' ' || s.because_id || ' ' || s.reason
from stale s
join memories m on m.id = s.id
where m.namespace = ?
order by 1`, s.Caller.Namespace)
	slices.Sort(wantRows)
	if diff := cmp.Diff(wantRows, rows); diff != "" {
		t.Fatalf("the view (-model +store):\n%s", diff)
	}
}

// listedAsStale pages through the list of all that is stale.
func listedAsStale(t *rapid.T, ctx context.Context, s memory.Store) map[string][]string {
	listed, ids, reasons := map[string][]string{}, []string{}, map[string]int{}
	a := edges.PageArgs{Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
	for {
		page, err := belief.Graph(s).Doubtful(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Memories {
			ids = append(ids, m.ID)
			said := map[string]bool{}
			for _, d := range m.Stale {
				listed[m.ID] = append(listed[m.ID], d.ID+" "+d.Reason)
				said[d.Reason] = true
			}
			for reason := range said {
				reasons[reason]++
			}
			slices.Sort(listed[m.ID])
		}
		if page.ReturnedCount != len(page.Memories) || page.Truncated != (page.Next != "") || page.Truncated && page.ReturnedCount != a.Limit {
			t.Fatalf("a page of %d: %+v", a.Limit, page)
		}
		if a.Cursor = page.Next; page.Truncated {
			continue
		}
		counted := map[string]int{}
		for _, c := range page.ByReason {
			counted[c.Name] = c.Count
		}
		if diff := cmp.Diff(reasons, counted); diff != "" || page.TotalCount != len(ids) || !slices.IsSorted(ids) || len(listed) != len(ids) {
			t.Fatalf("%d in all, listed %v (-listed +counted):\n%s", page.TotalCount, ids, diff)
		}
		return listed
	}
}
