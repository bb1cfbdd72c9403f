package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/near"
)

// A question has the base form of a verb, and a memory its past form.
func TestSearch_FindsIrregularForms(t *testing.T) {
	s := storeItems(t,
		item("a", "Maria bought a lamp."),
		item("b", "The mice have eaten the cheese."),
		item("c", "Somebody goes by ferry."))
	for query, want := range map[string]string{
		"what did Maria buy": "a", "who is buying": "a", "mouse": "b", "what will they eat": "b", "who went where": "c",
	} {
		got := search(t, s, recall.SearchArgs{Query: query})
		if diff := cmp.Diff([]string{want}, titles(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	if got := search(t, s, recall.SearchArgs{Query: "what did she buy"}); got.Results[0].Snippet != "Maria bought a lamp." {
		t.Errorf("snippet = %q, want bought marked", got.Results[0].Snippet)
	}
	if got := search(t, s, recall.SearchArgs{Query: `"she buy"`}); len(got.Results) != 0 {
		t.Errorf("a phrase found %v, want what it says alone", titles(got))
	}
}

// If there are few and long texts, most of them have most words. Such a word still distinguishes
// the texts that have it.
func TestSearch_AWordThatMostHaveStillTells(t *testing.T) {
	all := []string{"ferry", "ferry", "ferry", "ferry", "harbour"}
	s := storeItems(t)
	for i, word := range all {
		if _, err := memory.Store(s).Remember(t.Context(), item(fmt.Sprintf("m%d", i), word+" in the morning, cake at noon"), near.Finder(s).Near); err != nil {
			t.Fatal(err)
		}
	}
	got := search(t, s, recall.SearchArgs{Query: "ferry cake"})
	if last := got.Results[len(got.Results)-1]; last.Title != "m4" || last.Score > 0.8*got.Results[0].Score {
		t.Errorf("last is %s with %v after %v, want m4 well behind", last.Title, last.Score, got.Results[0].Score)
	}
}

// A note is found by words from anywhere in it. A note with all words in one section comes before
// it, a longer note after it, and a note with only some of the words last.
func TestSearch_WordsOfOtherSectionsCount(t *testing.T) {
	s := memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	for title, sections := range map[string][]string{
		"apart":    append([]string{"the ferry leaves", "in the harbour"}, slices.Repeat([]string{"it rains"}, 8)...),
		"long":     append([]string{"the ferry leaves", "in the harbour"}, slices.Repeat([]string{"it rains"}, 98)...),
		"half":     {"harbour by harbour", "in the morning"},
		"together": {"the ferry leaves the harbour", "in the morning"},
		"neither":  {"a train arrives", "at noon"},
	} {
		script := fmt.Sprintf(`insert into memories (title, content, sectioned) values ('%s', '%s', 1);`, title, strings.Join(sections, " "))
		for i, body := range sections {
			script += fmt.Sprintf(`insert into sections (memory, ordinal, body) select key, %d, '%s' from memories where title = '%s';`, i, body, title)
		}
		dbtest.Script(t, s.DB.Path(), script)
	}
	got := search(t, recall.Searcher(s), recall.SearchArgs{Query: "ferry harbour"})
	if diff := cmp.Diff([]string{"together", "apart", "long", "half"}, titles(got)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// A compound is found in both spellings, as one word and as two, by either.
func TestSearch_FindsCompounds(t *testing.T) {
	s := storeItems(t,
		item("joined", "The frontmatter has a setup for icecream."),
		item("apart", "A front matter, to set up an ice cream."),
		item("hyphen", "The e-mail is a way to de-stress."),
		item("neither", "Somebody goes by ferry at 17:30, into the harbour."))
	for query, want := range map[string][]string{
		"ice cream":       {"apart", "joined"},
		"front-matter":    {"apart", "joined"},
		"how to set up":   {"apart", "joined"},
		"frontmatter":     {"joined"},
		"how to destress": {"hyphen"},
		"email":           {"hyphen"},
		"icecreams":       {"joined"},
	} {
		got := search(t, s, recall.SearchArgs{Query: query})
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(titles(got)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	got := search(t, s, recall.SearchArgs{Query: "destress"})
	if diff := cmp.Diff([]string{"no memory has the word destress; looked for de stress in its place"}, got.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if want := "The e-mail is a way to de-stress."; got.Results[0].Snippet != want {
		t.Errorf("snippet = %q, want %q", got.Results[0].Snippet, want)
	}
	for _, query := range []string{strings.Repeat("matter", 600), "1730"} {
		if got := search(t, s, recall.SearchArgs{Query: query}); len(got.Results) != 0 {
			t.Errorf("%.10s found %v, want nothing", query, titles(got))
		}
	}
}

// The memories of another namespace change neither the results nor the notes on words.
func TestSearch_ANamespaceKnowsItsOwnWordsOnly(t *testing.T) {
	ask := func(t *testing.T, theirs ...string) string {
		s := storeItems(t, item("bread", "Bread rises in an hour, and helps to de-stress."))
		for _, content := range theirs {
			a := item("theirs", content)
			a.Namespace = "theirs"
			if _, err := memory.Store(s).Remember(t.Context(), a, near.Finder(s).Near); err != nil {
				t.Fatal(err)
			}
		}
		s.Caller = ref.Caller{Actor: "tester", Namespace: "default", Confined: true}
		answers := ""
		for _, query := range []string{"frontmatter", "destress", "bread"} {
			got := search(t, s, recall.SearchArgs{Query: query})
			answers += fmt.Sprintln(query, titles(got), got.Warnings)
		}
		return answers
	}
	if diff := cmp.Diff(ask(t), ask(t, "The front matter of the merger.", "We destress.")); diff != "" {
		t.Errorf("without and with what others hold:\n%s", diff)
	}
}
