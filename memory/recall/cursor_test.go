package recall_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/budget"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/memory"
	"hence/memory/recall"
)

// Pages of random lengths have every matching memory once, and no other, in every mode, even if
// other matching memories are stored between two pages.
func TestSearch_PagesHaveEachMemoryOnce(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	rapid.Check(t, func(rt *rapid.T) {
		s := memory.Store{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
		randomStore(rt, s)
		if kind := rapid.SampledFrom([]string{"", "fact", "event"}).Draw(rt, "a memory that is called a filter"); kind != "" {
			a := memory.StoreArgs{Title: new("kind:fact"), Kind: kind, Content: "zz", Dedup: "off"}
			if _, err := s.Remember(context.Background(), a, nil); err != nil {
				rt.Fatal(err)
			}
		}
		graph, moves := rapid.Bool().Draw(rt, "graph"), rapid.Bool().Draw(rt, "moves")
		a := recall.SearchArgs{
			Graph: &graph, Detail: "index",
			Query:  rapid.SampledFrom([]string{"ferry", "ferry harbour", "zz", "harbuor", "tag:a", "kind:fact", "ferry -cake", "-cake"}).Draw(rt, "query"),
			Status: rapid.SampledFrom([]string{"current", "all"}).Draw(rt, "status"),
		}
		whole := a
		whole.Limit = 100
		want, err := recall.Searcher(s).Search(t.Context(), whole)
		if err != nil || want.Truncated || want.Next != "" {
			rt.Fatalf("all of it: %+v, %v", want, err)
		}
		listed := []string{}
		for page := 0; ; page++ {
			a.Limit = rapid.IntRange(1, 4).Draw(rt, "limit")
			got, err := recall.Searcher(s).Search(t.Context(), a)
			if err != nil {
				rt.Fatal(err)
			}
			listed = append(listed, titles(got)...)
			if !moves && got.TotalCount != want.TotalCount {
				rt.Errorf("the total is %d on a page, and %d of all", got.TotalCount, want.TotalCount)
			}
			if got.Truncated != (got.Next != "") || got.Truncated && got.ReturnedCount != a.Limit {
				rt.Errorf("a page of %d: %d, truncated %v, next %q", a.Limit, got.ReturnedCount, got.Truncated, got.Next)
			}
			if a.Cursor = got.Next; a.Cursor == "" {
				break
			}
			if moves {
				storeBetween(rt, s, page)
			}
		}
		if twice := slices.Compact(slices.Sorted(slices.Values(listed))); len(twice) != len(listed) {
			rt.Fatalf("a memory is on two pages: %q", listed)
		}
		for _, one := range want.Results {
			byEdge := one.Why.KeywordRank == 0 && len(one.Why.Graph) > 0 // the lent score may change with the store
			if !slices.Contains(listed, one.Title) && !(moves && byEdge) {
				rt.Errorf("%q is on no page: %q, of %q", one.Title, listed, titles(want))
			}
		}
		if !moves && len(listed) != want.TotalCount {
			rt.Errorf("pages have %q, and all is %q", listed, titles(want))
		}
	})
}

func storeBetween(t *rapid.T, s memory.Store, page int) {
	title := fmt.Sprintf("between %d", page)
	a := memory.StoreArgs{Title: &title, Content: "ferry harbour zz ferry", Tags: []string{"a"}, Dedup: "off"}
	if _, err := s.Remember(context.Background(), a, nil); err != nil {
		t.Fatal(err)
	}
}

// If many memories match, there are pages up to the thousandth memory. Then the answer says to
// narrow the question.
func TestSearch_PagesOfMany(t *testing.T) {
	dbtest.SkipUnderRace(t)
	s := storeCrowd(t, 3000)
	for _, c := range []struct {
		name  string
		args  recall.SearchArgs
		most  int
		after string
	}{
		{"Few", recall.SearchArgs{Query: "seldom"}, 30, ""},
		{"FewerThanOftenRead", recall.SearchArgs{Query: "links kind:event", Graph: new(bool)}, 300, ""},
		{"Many", recall.SearchArgs{Query: "links"}, 1100, "query"},
		{"ListedByTime", recall.SearchArgs{Query: "kind:fact"}, 2700, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.args.Detail, c.args.Limit = "index", 100
			seen, next := map[string]bool{}, ""
			for pages := 0; pages == 0 || len(next) > len("query"); pages++ {
				if c.args.Cursor = next; pages > 40 {
					t.Fatal("the pages do not end")
				}
				got, err := s.Search(t.Context(), c.args)
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range got.Results {
					if seen[one.ID] {
						t.Fatalf("page %d has %q again", pages, one.Title)
					}
					seen[one.ID] = true
				}
				next = got.Next
			}
			if len(seen) != c.most || next != c.after {
				t.Errorf("%d found, then %q; want %d, %q", len(seen), next, c.most, c.after)
			}
		})
	}
}

// A cursor belongs to one question. The arguments for how much is shown may change.
func TestSearch_CursorsOfOtherQuestions(t *testing.T) {
	s, _ := storeLibrary(t)
	first, err := s.Search(t.Context(), recall.SearchArgs{Query: "holds", Limit: 1, Status: "all"})
	if err != nil || len(first.Next) != 8 { // 2 tokens
		t.Fatalf("next %q, %v", first.Next, err)
	}
	for _, a := range []recall.SearchArgs{
		{Query: "holds", Status: "current"}, {Query: "hold", Status: "all"}, {Query: "holds", Status: "all", Mode: "keyword"},
		{Query: "holds", Status: "all", Tags: []string{"area"}}, {Query: "holds", Status: "all", Since: "2020"},
	} {
		a.Cursor = first.Next
		if _, err := s.Search(t.Context(), a); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v, want invalid_argument", a, err)
		}
	}
	for _, cursor := range []string{"x", "query", first.Next + "A", first.Next[1:]} {
		if _, err := s.Search(t.Context(), recall.SearchArgs{Query: "holds", Status: "all", Cursor: cursor}); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%q: %v, want invalid_argument", cursor, err)
		}
	}
	rest, err := s.Search(t.Context(), recall.SearchArgs{Query: "holds", Limit: 5, Detail: "full", Status: "all", Cursor: first.Next})
	if err != nil || rest.ReturnedCount != first.TotalCount-1 || rest.Truncated {
		t.Errorf("the rest: %+v, %v", rest, err)
	}
}

// The next page begins with the results that a token budget left out.
func TestSearch_PagesWithinABudget(t *testing.T) {
	s := storeCrowd(t, 60)
	a, seen := recall.SearchArgs{Query: "links", Limit: 20, TokenBudget: 900}, map[string]bool{}
	for pages := 0; pages == 0 || a.Cursor != ""; pages++ {
		got, err := s.Search(t.Context(), a)
		if err != nil || pages > 60 {
			t.Fatal(err, pages)
		}
		if cost, err := budget.Tokens(got); err != nil || cost > a.TokenBudget || got.ReturnedCount == 0 {
			t.Fatalf("page %d has %d results and costs %d, %v", pages, got.ReturnedCount, cost, err)
		}
		for _, one := range got.Results {
			seen[one.ID] = true
		}
		a.Cursor = got.Next
	}
	if len(seen) != 60 {
		t.Errorf("%d of 60 found", len(seen))
	}
}
