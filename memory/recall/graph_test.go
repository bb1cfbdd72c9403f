package recall_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/near"
)

// storeItems returns a searcher over a store with the given memories and their links.
func storeItems(t testing.TB, all ...memory.StoreArgs) recall.Searcher {
	t.Helper()
	s := memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	for _, a := range all {
		if _, err := s.Remember(t.Context(), a, near.Finder(s).Near); err != nil {
			t.Fatal(err)
		}
	}
	return recall.Searcher(s)
}

// item returns a memory whose title has no word of its text.
func item(title, content string, links ...memory.NewLink) memory.StoreArgs {
	return memory.StoreArgs{Title: &title, Content: content, Links: links, Dedup: "off"}
}

func link(kind, to string) memory.NewLink { return memory.NewLink{Type: kind, To: to} }

func search(t testing.TB, s recall.Searcher, a recall.SearchArgs) recall.SearchResult {
	t.Helper()
	got, err := s.Search(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A reply without a word of the question is found by the message that it answers.
func TestGraph_ReplyIsFoundByWhatItRepliesTo(t *testing.T) {
	s := storeItems(t,
		item("t1", "Which harbour will the ferry use?"),
		item("t2", "The northern one, from June.", link("follows", "t1")),
		item("t3", "Somebody brought cake.", link("follows", "t2")))
	got := search(t, s, recall.SearchArgs{Query: "ferry harbour"})
	if diff := cmp.Diff([]string{"t1", "t2"}, titles(got)); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}
	why := got.Results[1].Why
	if why.KeywordRank != 0 || len(why.Graph) != 1 || why.Graph[0].From != got.Results[0].ID || why.Graph[0].Type != edges.Follows || math.Abs(why.Graph[0].Share-1) > 1e-9 {
		t.Errorf("why = %+v, want all of it from t1 by follows", why)
	}
	no := false
	if got := search(t, s, recall.SearchArgs{Query: "ferry harbour", Graph: &no}); len(got.Results) != 1 || len(got.Results[0].Why.Graph) > 0 {
		t.Errorf("without the graph step: %v, want t1 alone", titles(got))
	}
}

// A word that both ends of an edge have counts once: a neighbour adds only the words that a
// memory does not have.
func TestGraph_AWordCountsOnce(t *testing.T) {
	s := storeItems(t,
		item("same 1", "ferry timetable"),
		item("same 2", "ferry timetable", link("follows", "same 1")),
		item("apart 1", "ferry notice"),
		item("apart 2", "harbour notice", link("follows", "apart 1")))
	got := search(t, s, recall.SearchArgs{Query: "ferry harbour"})
	if first := got.Results[0].Title; first != "apart 2" {
		t.Errorf("first is %q, want apart 2, which says what its neighbour does not", first)
	}
	no := false
	alone := search(t, s, recall.SearchArgs{Query: "ferry harbour", Graph: &no})
	for _, one := range alone.Results {
		if i := slices.Index(titles(got), one.Title); i < 0 || got.Results[i].Score < one.Score {
			t.Errorf("%s has lost by an edge", one.Title)
		}
	}
	for _, one := range got.Results {
		if one.Title == "same 2" && len(one.Why.Graph) > 0 {
			t.Errorf("same 2 was lifted by a word that it has itself: %+v", one.Why)
		}
	}
}

func TestGraph_SuccessorIsFoundByItsPredecessor(t *testing.T) {
	title := "Beta"
	s := storeItems(t,
		item("Alpha", "Holds live in the session cache."),
		memory.StoreArgs{Title: &title, Content: "They moved to the ledger.", Supersedes: []string{"Alpha"}})
	got := search(t, s, recall.SearchArgs{Query: "session cache"})
	if diff := cmp.Diff([]string{"Beta"}, titles(got)); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}
	if g := got.Results[0].Why.Graph; len(g) != 1 || g[0].Type != edges.Supersedes {
		t.Errorf("why = %+v, want supersedes", g)
	}
}

func TestGraph_WholeLendsItsParts(t *testing.T) {
	s := storeItems(t,
		item("storm", "The storm of the century, and the ferry, and the quay."),
		item("other", "An evening about gardening."),
		item("p1", "Everybody saw the ferry leave.", link("part-of", "other")),
		item("p2", "Everybody saw the ferry leave.", link("part-of", "storm")))
	got := search(t, s, recall.SearchArgs{Query: "ferry storm"})
	if i, j := slices.Index(titles(got), "p2"), slices.Index(titles(got), "p1"); i < 0 || j < 0 || i > j {
		t.Errorf("results %v, want p2 before p1", titles(got))
	}
}

// If two wholes have no word of the question, the one with more parts that have it comes first.
// Why lists the parts by the share that they lent.
func TestGraph_EveryPartOfAWholeLends(t *testing.T) {
	s := storeItems(t,
		item("one", "Minutes about the harbour."),
		item("two", "Minutes about the harbour."),
		item("1a", "The ferry leaves at nine.", link("part-of", "one")),
		item("2a", "The ferry leaves at nine.", link("part-of", "two")),
		item("2b", "The ferry leaves at ten.", link("part-of", "two")))
	got := search(t, s, recall.SearchArgs{Query: "harbour ferry"})
	if diff := cmp.Diff([]string{"two", "one"}, titles(got)[:2]); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}
	if why := got.Results[0].Why.Graph; len(why) != 2 || math.Abs(why[0].Share/why[1].Share-3) > 0.05 {
		t.Errorf("why = %+v, want the second part to lend a third of the first", why)
	}
}

// Edges follows do not lend to a long memory, because the memories before and after it are
// usually about something else.
func TestGraph_TimeLendsToWhatIsShort(t *testing.T) {
	long := strings.Repeat("The gardeners spoke of roses. ", 100)
	s := storeItems(t,
		item("before", "Which harbour will the ferry use?"),
		item("short", "The northern one.", link("follows", "before")),
		item("long", "The northern one. "+long, link("follows", "before")),
		item("reason", "A northern one. "+long, link("supersedes", "before")))
	got := search(t, s, recall.SearchArgs{Query: "ferry harbour northern", Status: "all"})
	lifted := []string{}
	for _, one := range got.Results {
		if len(one.Why.Graph) > 0 {
			lifted = append(lifted, one.Title)
		}
	}
	slices.Sort(lifted)
	if diff := cmp.Diff([]string{"before", "reason", "short"}, lifted); diff != "" {
		t.Errorf("lifted (-want +got):\n%s", diff)
	}
}

// A plain link lifts a memory that has a word of the question, but makes no candidate of one
// that has none.
func TestGraph_AMereLinkBringsNothingIn(t *testing.T) {
	s := storeItems(t,
		item("hub", "The ferry."),
		item("linked", "Cake and more.", link("links-to", "hub")),
		item("reason", "Soup and more.", link("depends-on", "hub")))
	if got := search(t, s, recall.SearchArgs{Query: "ferry"}); !slices.Equal(titles(got), []string{"hub"}) {
		t.Errorf("results %v, want hub alone", titles(got))
	}
}

// A lender must not be revealed: a memory that the caller may not read, or that was not known at
// the time of the question, lends nothing.
func TestGraph_WhatDoesNotPassIsNoResult(t *testing.T) {
	s := storeItems(t,
		item("q", "Which harbour will the ferry use?"),
		item("r", "The northern one.", link("follows", "q")))
	kind := search(t, s, recall.SearchArgs{Query: "ferry harbour", Kinds: []string{"none such"}})
	then := search(t, s, recall.SearchArgs{Query: "ferry harbour", AsOf: "2001-01-01T00:00:00Z"})
	not := search(t, s, recall.SearchArgs{Query: "ferry harbour -northern"})
	if len(kind.Results) != 0 || len(then.Results) != 0 || !slices.Equal(titles(not), []string{"q"}) {
		t.Errorf("by kind %v, by time %v, without a word %v; want none, none and q", titles(kind), titles(then), titles(not))
	}
}

func TestStopwordsAreDroppedAndNotMarked(t *testing.T) {
	s := storeItems(t, item("a", "What we did was to move the ferry."), item("b", "What was it that we did?"))
	got := search(t, s, recall.SearchArgs{Query: "what did we do to the ferry"})
	if want := "What we did was to move the ferry."; len(got.Results) != 1 || got.Results[0].Snippet != want {
		t.Errorf("results %v, snippet %q; want a alone with %q", titles(got), got.Results[0].Snippet, want)
	}
	if got := search(t, s, recall.SearchArgs{Query: "what was it that"}); got.Results[0].Title != "b" {
		t.Errorf("a question of nothing else: %v, want b first", titles(got))
	}
}

// Words that are close to each other score more.
func TestNearWordsComeFirst(t *testing.T) {
	s := storeItems(t,
		item("far", "The job was hard, as all of us who had been there for so long and so late knew; the queue was long"),
		item("near", "The hard job queue was long, as all of us who had been there for so long and so late knew, and was"))
	if got := search(t, s, recall.SearchArgs{Query: "job queue"}); got.Results[0].Title != "near" {
		t.Errorf("results %v, want near first", titles(got))
	}
}

// The words of a short passage are also searched as a phrase, stopwords included.
func TestAPassageComesBeforeItsWords(t *testing.T) {
	s := storeItems(t,
		item("short", "Match the types."),
		item("other order", "The types that we match are other ones."),
		item("passage", "There is a long list of reasons, each with its date and its author, and other types of that."))
	for query, want := range map[string]string{
		"other types of":       "passage",
		"Other TYPES of":       "passage",
		"types":                "short",
		"the types":            "short",
		"of all such types of": "short", // too many words to be searched as a phrase
	} {
		if got := search(t, s, recall.SearchArgs{Query: query}); got.Results[0].Title != want {
			t.Errorf("%q finds %v, want %s first", query, titles(got), want)
		}
	}
}

// A hub lends the same to all its neighbours, so not all of them become candidates: those of a
// better memory come before them.
func TestGraph_NeighboursOfTheBestComeFirst(t *testing.T) {
	s := storeItems(t,
		item("hub", "The harbour is deep, and many ships that carry other things lie there all year."),
		item("best", "ferry harbour"))
	dbtest.Fill(t, s.DB, db.S(`
insert into memories (title, content)
select 'ship ' || value, 'It came on day ' || value || '.'
from json_each(?)`, dbtest.UpTo(2000)), db.S(`
insert into edges (from_key, to_key, kind)
select s.key, m.key, 'follows'
from memories s
cross join memories m on m.title = iif(s.title in ('ship 1999', 'ship 2000'), 'best', 'hub')
where s.title like 'ship %'`))
	got := search(t, s, recall.SearchArgs{Query: "ferry harbour", Limit: 50})
	lifted := map[string]int{}
	for _, one := range got.Results {
		for _, lift := range one.Why.Graph {
			if lift.Type == edges.Follows {
				lifted[lift.From]++
			}
		}
	}
	best := got.Results[0]
	if best.Title != "best" || lifted[best.ID] != 2 {
		t.Errorf("%q first, %v lifted", best.Title, lifted)
	}
}

// A part keeps the score that follows lends it, even if its whole scores less.
func TestGraph_APartKeepsWhatItIsLentInTime(t *testing.T) {
	s := storeItems(t,
		item("whole", "Minutes of a long day: the harbour, the budget, the weather, the new roof, the cake and who brought it."),
		item("asked", "Which harbour will the ferry use?"),
		item("reply", "The northern one, from June.", link("follows", "asked"), link("part-of", "whole")))
	if diff := cmp.Diff([]string{"asked", "reply", "whole"}, titles(search(t, s, recall.SearchArgs{Query: "ferry harbour"}))); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// The parts of a conversation add up to it. Parts that a file declares, such as the notes of a
// class, do not, because they are about other things.
func TestGraph_PartsOfFilesDoNotAddUp(t *testing.T) {
	for origin, first := range map[string]string{"import": "class", "frontmatter": "answer"} {
		t.Run(origin, func(t *testing.T) {
			s := storeItems(t,
				item("class", "A page has a type, as has much else."),
				item("answer", "The type of a page."),
				item("one", "Somebody asks again, at length and with many other words, of which type that page is."),
				item("two", "Somebody else says as many words, also of others, and last of the type of his page."),
				item("far", "Nothing of that."))
			dbtest.Fill(t, s.DB, db.S(`
insert into edges (from_key, to_key, kind, origin)
select p.key, w.key, 'part-of', ?
from memories p
join memories w on w.title = 'class'
where p.title in ('one', 'two')`, origin))
			got := titles(search(t, s, recall.SearchArgs{Query: "type page"}))
			if len(got) < 2 || got[0] != first {
				t.Errorf("%v, want %s first", got, first)
			}
		})
	}
}
