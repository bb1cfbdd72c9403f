package recall_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/near"
)

// storedMemory is a memory of the random store, for the naive search.
type storedMemory struct {
	title, kind, status string
	words, tags         []string
	colour              string
}

// randomStore stores memories of few words, some superseded, with random edges.
func randomStore(t *rapid.T, s memory.Store) []storedMemory {
	drawSome := func(choices []string, label string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(choices), 0, 3, rapid.ID[string]).Draw(t, label)
	}
	all := []storedMemory{}
	for i := range rapid.IntRange(1, 12).Draw(t, "memories") {
		m := storedMemory{
			title: fmt.Sprintf("m%d", i), kind: rapid.SampledFrom([]string{"fact", "event"}).Draw(t, "kind"), status: "current",
			words: append(drawSome([]string{"ferry", "harbour", "queue", "cake"}, "words"), "zz"), tags: drawSome([]string{"a", "a/b", "c"}, "tags"),
			colour: rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "colour"),
		}
		a := memory.StoreArgs{
			Title: &m.title, Content: strings.Join(m.words, " "), Kind: m.kind, Tags: m.tags, Dedup: "off",
			Properties: map[string]any{"colour": m.colour},
		}
		if i > 0 {
			if old := rapid.IntRange(0, i-1).Draw(t, "other"); all[old].status == "current" && rapid.Bool().Draw(t, "supersedes") {
				a.Supersedes = []string{all[old].title}
				all[old].status = "superseded"
			} else if all[old].status == "current" {
				a.Links = []memory.NewLink{{To: all[old].title, Type: rapid.SampledFrom([]string{"follows", "part-of", "links-to"}).Draw(t, "type")}}
			}
		}
		if _, err := s.Remember(context.Background(), a, near.Finder(s).Near); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// passes is a naive implementation of the filter.
func (m storedMemory) passes(a recall.SearchArgs) bool {
	for _, wanted := range a.Tags {
		if !slices.ContainsFunc(m.tags, func(has string) bool { return has == wanted || strings.HasPrefix(has, wanted+"/") }) {
			return false
		}
	}
	return (a.Status == "all" || m.status == "current") &&
		(len(a.Kinds) == 0 || slices.Contains(a.Kinds, m.kind)) &&
		(a.Properties == nil || a.Properties["colour"] == m.colour)
}

// Filters agree with a naive filter, the graph step adds no memory that does not pass, and the
// same question has the same answer.
func TestSearch_AgreesWithANaiveFilter(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	rapid.Check(t, func(rt *rapid.T) {
		s := memory.Store{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
		all := randomStore(rt, s)
		graph := rapid.Bool().Draw(rt, "graph")
		word := rapid.SampledFrom([]string{"ferry", "harbour", "zz"}).Draw(rt, "word")
		a := recall.SearchArgs{
			Query: word, Graph: &graph, Limit: 50, Detail: "index",
			Status: rapid.SampledFrom([]string{"current", "all"}).Draw(rt, "status"),
			Kinds:  rapid.SampledFrom([][]string{nil, {"fact"}}).Draw(rt, "kinds"),
			Tags:   rapid.SampledFrom([][]string{nil, {"a"}, {"c", "a"}}).Draw(rt, "of"),
		}
		if rapid.Bool().Draw(rt, "coloured") {
			a.Properties = map[string]any{"colour": "red"}
		}
		got, err := recall.Searcher(s).Search(context.Background(), a)
		if err != nil {
			rt.Fatal(err)
		}
		byWord := []string{}
		for _, m := range all {
			if m.passes(a) && slices.Contains(m.words, word) {
				byWord = append(byWord, m.title)
			}
		}
		listed, unranked := []string{}, 0
		for _, one := range got.Results {
			if i := slices.IndexFunc(all, func(m storedMemory) bool { return m.title == one.Title }); !all[i].passes(a) {
				rt.Errorf("%s does not pass the filter", one.Title)
			}
			if one.Why.KeywordRank > 0 {
				listed = append(listed, one.Title)
			} else if len(one.Why.Graph) == 0 {
				rt.Errorf("%s has neither a place by words nor an edge", one.Title)
			} else {
				unranked++
			}
		}
		slices.Sort(byWord)
		slices.Sort(listed)
		if diff := cmp.Diff(byWord, listed); diff != "" {
			rt.Errorf("by words (-naive +got):\n%s", diff)
		}
		if got.TotalCount != len(listed)+unranked || got.ReturnedCount != got.TotalCount || !got.TotalIsExact || got.Truncated {
			rt.Errorf("%d results, and a total of %d (exact: %v, truncated: %v)", got.ReturnedCount, got.TotalCount, got.TotalIsExact, got.Truncated)
		}
		few := a
		few.Limit = rapid.IntRange(1, len(all)).Draw(rt, "limit")
		if some, err := recall.Searcher(s).Search(context.Background(), few); err != nil || some.TotalCount != got.TotalCount || some.Truncated != (few.Limit < got.TotalCount) {
			rt.Errorf("of limit %d the total is %d, truncated %v, %v; want %d", few.Limit, some.TotalCount, some.Truncated, err, got.TotalCount)
		}
		again, err := recall.Searcher(s).Search(context.Background(), a)
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			rt.Errorf("asked again: %v\n%s", err, diff)
		}
	})
}
