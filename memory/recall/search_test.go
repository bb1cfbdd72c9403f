package recall_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/budget"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/answer"
)

// storeLibrary returns a searcher over a store of a few memories.
func storeLibrary(t testing.TB) (recall.Searcher, memory.Store) {
	d := dbtest.New(t)
	store := memory.Store{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	for _, m := range []struct {
		title, content, kind string
		tags, supersedes     []string
		properties           map[string]any
	}{
		{title: "Old plan", content: "keep holds in the cache", kind: "decision", tags: []string{"area/booking"}},
		{title: "New plan", content: "keep holds in the ledger", kind: "decision", tags: []string{"area/booking", "hot"}, supersedes: []string{"Old plan"}},
		{title: "Cache eviction", content: "A full cache evicts live holds. The cache is small.", kind: "finding", tags: []string{"area"}, properties: map[string]any{"severity": 2.0, "teams": []any{"core", "ops"}}},
		{title: "Quay", content: "Islanders pay at the quay", kind: "finding", tags: []string{"areas"}},
	} {
		_, err := store.Remember(t.Context(), memory.StoreArgs{
			Title: &m.title, Content: m.content, Kind: m.kind, Tags: m.tags, Supersedes: m.supersedes, Properties: m.properties,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	return recall.Searcher(store), store
}

func titles(r recall.SearchResult) []string {
	names := []string{}
	for _, one := range r.Results {
		names = append(names, one.Title)
	}
	return names
}

// A question may quote a command: its flags do not hide the memory that has them.
func TestSearchFindsCommandsWithTheirFlags(t *testing.T) {
	for _, c := range []struct{ query, content string }{
		{"git commit --no-verify", "Never use git commit --no-verify here"},
		{"tail -f", "Use tail -f on the log"},
		{"npm test -- --watch", "Loop with npm test -- --watch"},
		{"ls -la", "Look at it with ls -la first"},
		{"LS -LA?", "Look at it (ls -la)"},
		{"-5 degrees", "The cold store is at -5 degrees"},
		{"--no-verify", "Never use git commit --no-verify here"},
		{"go build -trimpath -ldflags=-s", "We build by go build -trimpath -ldflags=-s"},
		{"find -name *.go", "The list comes from find -name *.go"},
		{"tar -xzf", "Unpack with tar -xzf, tar knows what it is"},
		{"grep -Wé [-O2]", "Ask grep -wÉ [-o2]"},
		{"mvn -DskipTests", "mvn,\n-DskipTests"},
		{"rm -rf", "rm --rf is not a flag"},
	} {
		s := storeItems(t, item("a", c.content), item("b", "It rains in the harbour"))
		if r := search(t, s, recall.SearchArgs{Query: c.query}); len(r.Results) == 0 || r.Results[0].Title != "a" {
			t.Errorf("%s finds %q, warnings %q", c.query, titles(r), r.Warnings)
		} else if len(r.Warnings) > 0 {
			t.Errorf("%s: warnings %q", c.query, r.Warnings)
		}
	}
}

func TestSearchExcludes(t *testing.T) {
	s, _ := storeLibrary(t)
	for query, want := range map[string][]string{
		"holds -cache":              {"New plan"},
		"holds -ledger":             {"Cache eviction"},
		"cache holds -TAG:hot":      {"Cache eviction"},
		"holds -kind:decision":      {"Cache eviction"},
		"holds quay -tag:area/book": {"New plan", "Cache eviction", "Quay"},
		`holds -"full cache"`:       {"New plan"},
		"-kind:finding":             {"New plan"},
		"holds -path:notes":         {"New plan", "Cache eviction"},
	} {
		r := search(t, s, recall.SearchArgs{Query: query})
		if got := titles(r); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) || len(r.Warnings) > 0 {
			t.Errorf("%s finds %q, warnings %q, want %q", query, got, r.Warnings, want)
		}
	}
}

// A memory with an excluded word is spared for this word only, and a hyphen within a word is
// not that of a flag.
func TestSearchSparesOnlyWhatStandsWithItsHyphen(t *testing.T) {
	s := storeItems(t,
		item("flag", "run it with -fast"), item("compound", "run it break-fast"), item("both", "run it -fast and slow"), item("neither", "run it"))
	for query, want := range map[string][]string{
		"run -fast":       {"both", "flag", "neither"},
		"run -fast -slow": {"flag", "neither"},
		`run -"fast"`:     {"neither"},
	} {
		if got := titles(search(t, s, recall.SearchArgs{Query: query})); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

func TestSearchWithoutExclusionsThatLeaveNothing(t *testing.T) {
	s, _ := storeLibrary(t)
	for query, want := range map[string]string{
		"eviction -cache":             "Cache eviction",
		"islanders -quay -kind:event": "Quay",
		"ledger -tag:hot":             "New plan",
		"eviction -kind:finding":      "Cache eviction",
		"ledger -tag:area -kind:rule": "New plan",
	} {
		r := search(t, s, recall.SearchArgs{Query: query})
		if len(r.Results) == 0 || r.Results[0].Title != want || len(r.Warnings) == 0 || !strings.HasSuffix(r.Warnings[0], "leaves nothing, so the search was made without it") {
			t.Errorf("%s finds %q, warnings %q", query, titles(r), r.Warnings)
		}
	}
	if r := search(t, s, recall.SearchArgs{Query: "-kind:finding -kind:decision"}); len(r.Results) > 0 {
		t.Errorf("exclusions of everything find %q", titles(r))
	}
}

func TestSearch(t *testing.T) {
	s, _ := storeLibrary(t)
	for _, c := range []struct {
		name   string
		args   recall.SearchArgs
		want   []string
		ranked bool
	}{
		{"AnyWordIsEnough", recall.SearchArgs{Query: "quay unheard"}, []string{"Quay"}, true},
		{"BestFirst", recall.SearchArgs{Query: "cache holds"}, []string{"Cache eviction", "New plan"}, true},
		{"SupersededOnlyWhenAskedFor", recall.SearchArgs{Query: "plan ledger", Status: "all"}, []string{"New plan", "Old plan"}, true},
		{"Phrase", recall.SearchArgs{Query: `"live holds"`}, []string{"Cache eviction"}, true},
		{"Without", recall.SearchArgs{Query: "holds -cache"}, []string{"New plan"}, true},
		{"OnlyWithout", recall.SearchArgs{Query: "-holds"}, []string{"Quay"}, true},
		{"TagIncludesNestedOnes", recall.SearchArgs{Query: "tag:area"}, []string{"Cache eviction", "New plan"}, false},
		{"EveryTag", recall.SearchArgs{Query: "tag:area/booking tag:HOT"}, []string{"New plan"}, true},
		{"Kind", recall.SearchArgs{Query: "kind:finding"}, []string{"Cache eviction", "Quay"}, false},
		{"KindsOfBoth", recall.SearchArgs{Query: "cache holds kind:finding kind:decision", Kinds: []string{"finding", "note"}}, []string{"Cache eviction"}, true},
		{"KindsOfNeither", recall.SearchArgs{Query: "cache holds kind:finding", Kinds: []string{"decision"}}, []string{}, true},
		{"KindsOfTheQuestion", recall.SearchArgs{Query: "cache holds kind:finding"}, []string{"Cache eviction"}, true},
		{"Property", recall.SearchArgs{Properties: map[string]any{"severity": 2}, Query: "cache"}, []string{"Cache eviction"}, true},
		{"PropertyInList", recall.SearchArgs{Properties: map[string]any{"teams": "ops"}, Query: "cache"}, []string{"Cache eviction"}, true},
		{"PropertyOfAnotherType", recall.SearchArgs{Properties: map[string]any{"severity": "2"}, Query: "cache"}, []string{}, true},
		{"BeforeAnythingWasKnown", recall.SearchArgs{Query: "cache", AsOf: "2001-01-01T00:00:00Z"}, []string{}, true},
		{"OtherNamespace", recall.SearchArgs{Query: "cache", Namespace: "elsewhere"}, []string{}, true},
		{"KindInOtherCase", recall.SearchArgs{Query: "cache kind:Finding", Kinds: []string{"FINDING"}}, []string{"Cache eviction"}, true},
		{"TagInOtherCase", recall.SearchArgs{Query: "plan", Tags: []string{"HOT", "Area"}}, []string{"New plan"}, true},
		{"Stemmed", recall.SearchArgs{Query: "evicting"}, []string{"Cache eviction"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Search(t.Context(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			names := titles(got)
			if !c.ranked { // stored in the same millisecond
				slices.Sort(names)
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if got.TotalCount != len(c.want) || got.ReturnedCount != len(c.want) || got.Truncated || !got.TotalIsExact {
				t.Errorf("total %d, returned %d, truncated %v; want %d of %[4]d", got.TotalCount, got.ReturnedCount, got.Truncated, len(c.want))
			}
		})
	}
}

func TestSnippet(t *testing.T) {
	s, _ := storeLibrary(t)
	got, err := s.Search(t.Context(), recall.SearchArgs{Query: "evicts"})
	if err != nil {
		t.Fatal(err)
	}
	want := "A full cache evicts live holds. The cache is small."
	if r := got.Results[0]; r.Snippet != want || !cmp.Equal(r.Marks, []answer.Mark{{Start: 13, End: 19}}) {
		t.Errorf("snippet = %q with marks %v, want %q with evicts marked", r.Snippet, r.Marks, want)
	}
	if r := got.Results[0]; r.Why.KeywordRank != 1 || r.Score <= 0 || r.Actor != "tester" {
		t.Errorf("rank %d, score %v, actor %q; want 1, above 0, tester", r.Why.KeywordRank, r.Score, r.Actor)
	}
}

func TestSupersededResultNamesItsSuccessor(t *testing.T) {
	s, _ := storeLibrary(t)
	got, err := s.Search(t.Context(), recall.SearchArgs{Query: `"in the cache"`, Status: "all"})
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(titles(got), "Old plan"); i < 0 || got.Results[i].SupersededBy == nil || got.Results[i].SupersededBy.Title != "New plan" {
		t.Errorf("results = %+v, want Old plan with its successor", got.Results)
	}
}

func TestSemanticNeedsAModel(t *testing.T) {
	s, _ := storeLibrary(t)
	_, err := s.Search(t.Context(), recall.SearchArgs{Query: "cache", Mode: "semantic"})
	if fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Search: %v, want unavailable", err)
	}
}

// Any text that is not punctuation alone is a question.
func TestAnyTextIsAQuestion(t *testing.T) {
	s, _ := storeLibrary(t)
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.OneOf(
			rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{
				`"`, "cache", "-", "tag:", "kind:", "path:", "*", "(", ")", "NOT", "AND", "^", ":", "\x00", "\xff", " ", "+", "{", "'", "NEAR(",
			})), func(parts []string) (q string) {
				for _, p := range parts {
					q += p
				}
				return q
			}),
		).Filter(func(q string) bool { return strings.ContainsFunc(q, unicode.IsLetter) }).Draw(t, "query")
		if _, err := s.Search(context.Background(), recall.SearchArgs{Query: q}); err != nil {
			t.Fatalf("Search(%q): %v", q, err)
		}
	})
}

func TestSearch_RefusesWhatHasNothingToLookFor(t *testing.T) {
	s, _ := storeLibrary(t)
	want := `search: the query has nothing to look for; give it a word, a "phrase", tag:x, path:prefix, kind:x or -word`
	for _, q := range []string{"", "   ", "*", `"`, `""`, `"  "`, "-", "-*", `-""`, "?! …", "\x00", "\t\n"} {
		if _, err := s.Search(t.Context(), recall.SearchArgs{Query: q}); fault.CodeOf(err) != fault.InvalidArgument || err.Error() != want {
			t.Errorf("Search(%q): %v, want invalid_argument: %s", q, err, want)
		}
	}
}

func TestTokenBudgetIsAHardCap(t *testing.T) {
	s, _ := storeLibrary(t)
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(budget.Min, 700).Draw(t, "budget")
		got, err := s.Search(context.Background(), recall.SearchArgs{
			Query: "cache holds quay plan", Status: "all", TokenBudget: most,
			Detail: rapid.SampledFrom([]string{"index", "summary", "full"}).Draw(t, "detail"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if cost, _ := budget.Tokens(got); cost > most {
			t.Fatalf("the answer costs %d tokens of %d", cost, most)
		}
		if got.Truncated != (got.ReturnedCount < got.TotalCount || got.Next == "token_budget") {
			t.Fatalf("truncated = %v with %d of %d", got.Truncated, got.ReturnedCount, got.TotalCount)
		}
	})
}
