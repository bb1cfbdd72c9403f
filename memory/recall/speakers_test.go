package recall_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// saying is a memory that somebody stores. It follows the memory after, if that is not "".
type saying struct{ by, title, content, kind, after string }

// storeSayings returns a searcher over a store of sayings of the persons "ada" and "ben" and of
// the agent "model".
func storeSayings(t testing.TB, all ...saying) recall.Searcher {
	t.Helper()
	d := dbtest.New(t)
	for _, one := range all {
		s := memory.Store{DB: d, Caller: ref.Caller{Actor: one.by, Origin: "person"}}
		if one.by == "model" {
			s.Caller.Origin = "agent"
		}
		a := item(one.title, one.content)
		if a.Kind = one.kind; a.Kind == "" {
			a.Kind = "message"
		}
		if one.after != "" {
			a.Links = []memory.NewLink{link("follows", one.after)}
		}
		if _, err := s.Remember(t.Context(), a, nil); err != nil {
			t.Fatal(err)
		}
	}
	return recall.Searcher{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "person"}}
}

// filler makes the text of a model long.
var filler = strings.Repeat(" That is a good plan, and I am glad to help with it.", 20)

func TestSpeakers(t *testing.T) {
	echo := "Your ferry to the island! A ferry to the island is a fine way to go: take the ferry, see the island." + filler
	for _, test := range []struct {
		name  string
		said  []saying
		query string
		want  []string // the first results
	}{
		{
			"a person's statement comes before the model's long echo",
			[]saying{
				{by: "ada", title: "statement", content: "I booked the ferry to the island for my sister, with a cabin, as we said last time."},
				{by: "model", title: "echo", content: echo, after: "statement"},
			},
			"ferry island", []string{"statement", "echo"},
		},
		{
			"an echo of what was said elsewhere comes behind it too",
			[]saying{
				{by: "ada", title: "statement", content: "I booked the ferry to the island for my sister, with a cabin, as we said last time."},
				{by: "model", title: "answer", content: "Good.", after: "statement"},
				{by: "ada", title: "later", content: "Are there other ways?", after: "answer"},
				{by: "model", title: "echo", content: echo, after: "later"},
			},
			"ferry island", []string{"statement"},
		},
		{
			"a reply is found by its own words",
			[]saying{
				{by: "ada", title: "question", content: "Which gate is it?"},
				{by: "model", title: "reply", content: "The ferry leaves from the northern pier." + filler, after: "question"},
				{by: "ada", title: "other", content: "The northern lights were seen.", after: "reply"},
			},
			"ferry pier", []string{"reply", "question"},
		},
		{
			"a decision that an agent stored stands alone",
			[]saying{
				{by: "model", title: "decision", kind: "decision", content: "The ferry to the island is booked by the harbour office, because of the discount."},
				{by: "ada", title: "chatter", content: "Well, the ferry, you know, it is the ferry that I meant when we spoke about the ferry of the other day and of the island."},
			},
			"ferry island", []string{"decision", "chatter"},
		},
		{
			"a decision that follows what a person said is not a reply",
			[]saying{
				{by: "ada", title: "chatter", content: "Well, the ferry, you know, it is the ferry that I meant when we spoke about the ferry of the other day and of the island."},
				{by: "model", title: "decision", kind: "decision", content: "The ferry to the island is booked by the harbour office, because of the discount.", after: "chatter"},
			},
			"ferry island", []string{"decision", "chatter"},
		},
		{
			"what a person says next is lent across the reply",
			[]saying{
				{by: "ada", title: "first", content: "Which harbour will the ferry use?"},
				{by: "model", title: "between", content: "There are two." + filler, after: "first"},
				{by: "ada", title: "next", content: "Then it is the northern one.", after: "between"},
			},
			"ferry harbour", []string{"first", "next"},
		},
		{
			"a standing instruction comes first",
			[]saying{
				{by: "ada", title: "other", content: "Which libraries did the team of the island use?"},
				{by: "ada", title: "rule", content: "Always give version numbers when I ask about libraries."},
			},
			"which libraries are there", []string{"rule", "other"},
		},
		{
			"a question for a time finds the text that tells one",
			[]saying{
				{by: "ada", title: "other", content: "The ferry was painted in the colours of the island."},
				{by: "ada", title: "dated", content: "The ferry was painted on the way, it seems, on March 4."},
			},
			"when was the ferry painted", []string{"dated", "other"},
		},
		{
			"a name in the question finds what its bearer said",
			[]saying{
				{by: "ben", title: "of ben", content: "The ferry is late."},
				{by: "ada", title: "of ada", content: "The ferry is late."},
			},
			"what did Ada say of the ferry", []string{"of ada", "of ben"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := titles(search(t, storeSayings(t, test.said...), recall.SearchArgs{Query: test.query}))
			if diff := cmp.Diff(test.want, got[:min(len(got), len(test.want))]); diff != "" {
				t.Errorf("first results (-want +got):\n%s", diff)
			}
		})
	}
}

// Without a person's memory among the candidates, all words of a reply count in full.
func TestSpeakers_WithoutAPersonsWordsAReplyCountsInFull(t *testing.T) {
	of := func(speaker string) float64 {
		s := storeSayings(t,
			saying{by: speaker, title: "question", content: "Which gate?"},
			saying{by: "model", title: "reply", content: "The ferry leaves from pier nine.", after: "question"},
			saying{by: "ada", title: "other", content: "Nothing of that."})
		got := search(t, s, recall.SearchArgs{Query: "ferry pier"})
		return got.Results[slices.Index(titles(got), "reply")].Score
	}
	if diff := cmp.Diff(of("model"), of("ada")); diff != "" {
		t.Errorf("score after an agent's and after a person's question:\n%s", diff)
	}
}

func TestEmphasis_OnlyWhatAPersonWantsIsAnInstruction(t *testing.T) {
	text := "Always give version numbers when I ask about libraries."
	s := storeSayings(t,
		saying{by: "model", title: "agent", content: text},
		saying{by: "ada", title: "long", content: text + filler},
		saying{by: "ada", title: "person", content: text})
	got := search(t, s, recall.SearchArgs{Query: "libraries"})
	score := map[string]float64{}
	for _, one := range got.Results {
		score[one.Title] = one.Score
	}
	if ratio := score["person"] / score["agent"]; ratio < 1.49 || ratio > 1.51 {
		t.Errorf("a person's instruction scores %.2f times what an agent's text does, want 1.5", ratio)
	}
	if score["long"] > score["agent"] {
		t.Errorf("a long text that begins with an instruction scores %v, the same instruction of an agent %v", score["long"], score["agent"])
	}
}

// The emphasis of a result does not depend on how many results are wanted.
func TestEmphasis_TheFirstResultsAreThoseOfALongerList(t *testing.T) {
	all := []saying{}
	for _, word := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight"} {
		all = append(all,
			saying{by: "ada", title: word, content: "The ferry and the island of " + word + ", and the ferry again."},
			saying{by: "ada", title: "rule " + word, content: "Always mind the island and whatever was told of it or of " + word + "."})
	}
	s := storeSayings(t, all...)
	long := titles(search(t, s, recall.SearchArgs{Query: "ferry island", Limit: 16}))
	for limit := 1; limit <= 16; limit++ {
		if diff := cmp.Diff(long[:limit], titles(search(t, s, recall.SearchArgs{Query: "ferry island", Limit: limit}))); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
}
