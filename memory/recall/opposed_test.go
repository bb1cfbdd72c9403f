package recall_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory/recall"
)

// Two statements that contradict each other are both results, next to each other, the newer
// first, even if it has fewer words of the question or none.
func TestSearch_OpponentsComeSideBySide(t *testing.T) {
	s := storeItems(t,
		item("thirty", "Retention: the retention of logs is thirty days."),
		item("customers", "The retention of customers."),
		item("ninety", "The policy says that logs are kept for ninety days, and what is kept longer; this is called retention.", link("contradicts", "thirty")),
		item("tape", "Tapes of retention are kept."),
		item("wordless", "They are thrown away.", link("contradicts", "tape")),
	)
	want := []string{"ninety", "thirty", "customers", "wordless", "tape"}
	got := search(t, s, recall.SearchArgs{Query: "retention"})
	if diff := cmp.Diff(want, titles(got)); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}
	if got.TotalCount != len(want) || !got.TotalIsExact {
		t.Errorf("%d in all (exact: %v)", got.TotalCount, got.TotalIsExact)
	}
	for i, r := range got.Results {
		if isAlone := r.Title == "customers"; isAlone != (len(r.ContradictedBy) == 0) {
			t.Errorf("%s is contradicted by %+v", r.Title, r.ContradictedBy)
		}
		if i > 0 && r.Score > got.Results[i-1].Score {
			t.Errorf("%s has a better score than what comes before", r.Title)
		}
	}
	if why := got.Results[3].Why.Graph; len(why) != 1 || why[0].Type != "contradicts" || why[0].Share != 1 || why[0].From != got.Results[4].ID {
		t.Errorf("why = %+v", why)
	}
	if one := search(t, s, recall.SearchArgs{Query: "retention", Limit: 1}); !slices.Equal(titles(one), want[:1]) || one.Results[0].ContradictedBy[0].Title != "thirty" {
		t.Errorf("the first alone: %+v", one.Results)
	}
	pages, cursor := []string{}, ""
	for range want {
		page := search(t, s, recall.SearchArgs{Query: "retention", Limit: 2, Cursor: cursor})
		if pages, cursor = append(pages, titles(page)...), page.Next; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(want, pages); diff != "" {
		t.Errorf("in pages (-want +got):\n%s", diff)
	}
	if plain := titles(search(t, s, recall.SearchArgs{Query: "retention", Graph: new(bool)})); slices.Contains(plain, "wordless") {
		t.Errorf("without edges: %q", plain)
	}
}

// The newer statement does not come first if the question names the older one, if it is from a
// stranger, or if the contradiction or the statement is over.
func TestSearch_TheOlderOpponentComesFirst(t *testing.T) {
	for name, c := range map[string]struct{ question, change, want string }{
		"Named":    {"old", `update memories set title = 'old retention' where title = 'new'`, "old, old retention"},
		"Stranger": {"retention", `update memories set source = 'web' where title = 'new'`, "old, new"},
		"Began":    {"retention", `update memories set valid_from = '2001-01-01T00:00:00.000Z' where title = 'new'`, "old, new"},
		"Settled":  {"retention", `update edges set valid_to = '2001-01-01T00:00:00.000Z'`, "old, new"},
		"Over":     {"retention", `update memories set valid_to = '2001-01-01T00:00:00.000Z' where title = 'new'`, "old"},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeItems(t, item("old", "Retention: retention is thirty days."), item("new", "It says that it is ninety days, the retention.", link("contradicts", "old")))
			if got := strings.Join(titles(search(t, s, recall.SearchArgs{Query: "retention"})), ", "); got != "new, old" {
				t.Fatalf("before: %s", got)
			}
			dbtest.Fill(t, s.DB, db.S(c.change))
			if got := strings.Join(titles(search(t, s, recall.SearchArgs{Query: c.question})), ", "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
