package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"hence/edges/walk"
	"hence/internal/budget"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/recall"
)

// However little room an answer has, a memory that is in doubt says so: by many causes, by way of many others, under long
// titles, and where another contradicts it.
func TestAMemoryInDoubtSaysSoWithinAnyBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	d := dbtest.New(t)
	s := memory.Store{DB: d}
	store := func(title string, a memory.StoreArgs) string {
		t.Helper()
		a.Title, a.Dedup = &title, "off"
		if a.Content == "" {
			a.Content = title + ". " + strings.Repeat("The harbour keeps a ledger of its berths. ", 60)
		}
		stored, err := s.Remember(t.Context(), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		return stored.Memory.ID
	}
	link := func(kind, to string) memory.NewLink { return memory.NewLink{Type: kind, To: to} }
	base := store("Base", memory.StoreArgs{})
	above := base
	for n := range 60 {
		above = store(fmt.Sprint("Step ", n), memory.StoreArgs{Content: "a step", Links: []memory.NewLink{link("depends-on", above)}})
	}
	causes := []memory.NewLink{}
	for n := range 30 {
		causes = append(causes, link("depends-on", store(fmt.Sprint(strings.Repeat("A long title ", 12), n), memory.StoreArgs{Content: "a cause"})))
	}
	inDoubt := map[string]bool{
		store("Far lighthouse", memory.StoreArgs{Links: []memory.NewLink{link("depends-on", above)}}): true,
		store("Wide lighthouse", memory.StoreArgs{Links: causes}):                                     true,
	}
	contradicted := store("Contradicted lighthouse", memory.StoreArgs{Links: []memory.NewLink{link("causes", base)}})
	store("Against it", memory.StoreArgs{Links: []memory.NewLink{link("contradicts", contradicted)}})
	inDoubt[contradicted] = true
	store("The base since May", memory.StoreArgs{Supersedes: []string{base}})
	for _, cause := range causes {
		if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: cause.To}); err != nil {
			t.Fatal(err)
		}
	}
	ours, seen := recall.Searcher{DB: d}, map[string]int{}
	for tokens := budget.Min; tokens < 6000; tokens += max(4, tokens/12) {
		said := func(where, id string, objections int, answer any) {
			t.Helper()
			if seen[where]++; inDoubt[id] && objections == 0 {
				t.Errorf("%s with %d tokens shows %s as if nothing were against it", where, tokens, id)
			}
			if cost, err := budget.Tokens(answer); err != nil || cost > tokens {
				t.Errorf("%s costs %d tokens of %d, %v", where, cost, tokens, err)
			}
		}
		for _, detail := range []string{"index", "summary", "full"} {
			for _, query := range []string{"lighthouse", "Far lighthouse", "Wide lighthouse", "Contradicted lighthouse"} {
				found, err := ours.Search(t.Context(), recall.SearchArgs{Query: query, Detail: detail, TokenBudget: tokens})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found.Results {
					said("search", f.ID, len(f.Stale)+len(f.ContradictedBy), found)
				}
			}
		}
		for id := range inDoubt {
			opened, err := s.Open(t.Context(), memory.GetArgs{ID: id, TokenBudget: tokens})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range opened.Memories {
				said("get", m.ID, len(m.Stale)+len(m.ContradictedBy), opened)
			}
		}
		for id := range inDoubt {
			traced, err := walk.Graph{DB: d}.Trace(t.Context(), walk.TraceArgs{ID: id, TokenBudget: tokens})
			if fault.CodeOf(err) == fault.TooLarge {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if id != contradicted {
				said("trace", id, len(traced.Stale), traced)
			}
			for _, m := range traced.Results {
				said("trace", m.ID, len(m.Stale), traced)
			}
		}
		if related, err := ours.FindRelated(t.Context(), recall.RelatedArgs{ID: above, TokenBudget: tokens}); err == nil {
			for _, f := range related.Results {
				said("related", f.ID, len(f.Stale)+len(f.ContradictedBy), related)
			}
		}
		if listed, err := s.List(t.Context(), memory.ListArgs{Order: "created", Limit: 40, TokenBudget: tokens}); err == nil {
			for _, m := range listed.Memories {
				said("list", m.ID, len(m.Stale)+len(m.ContradictedBy), listed)
			}
		}
	}
	for _, where := range []string{"search", "get", "list", "related", "trace"} {
		if seen[where] == 0 {
			t.Errorf("%s showed nothing", where)
		}
	}
}
