package recall_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// markHits returns a snippet with its hits between angle brackets.
func markHits(f recall.Found) string {
	text := ""
	for _, p := range f.Pieces() {
		if p.Hit {
			text += "<" + p.Text + ">"
		} else {
			text += p.Text
		}
	}
	return text
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ name, content, query, want string }{
		{"BoldOfTheTextIsNoHit", "Hide **the** ribbon", "ribbon", "Hide **the** <ribbon>"},
		{"BoldHit", "Hide the **ribbon**", "ribbon", "Hide the **<ribbon>**"},
		{"HalfABold", "Hide ** the ribbon", "hide", "<Hide> ** the ribbon"},
		{"AtBothEnds", "ribbon of a ribbon", "ribbon", "<ribbon> of a <ribbon>"},
		{"Phrase", "the live\n  holds stay", `"live holds"`, "the <live holds> stay"},
		{"BesideTitle", "says nothing of it", "kept", "says nothing of it"},
		{"Controls", "\x02a\x03 ribbon \x02", "ribbon", "\x02a\x03 <ribbon> \x02"},
		{"WideLetters", "«Größe» der Brücke", "brücke", "«Größe» der <Brücke>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := recall.Searcher{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
			title := "kept"
			if _, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Title: &title, Content: c.content}, s.Near); err != nil {
				t.Fatal(err)
			}
			got, err := s.Search(t.Context(), recall.SearchArgs{Query: c.query})
			if err != nil || len(got.Results) != 1 {
				t.Fatalf("%d results, %v", len(got.Results), err)
			}
			if said := markHits(got.Results[0]); said != c.want {
				t.Errorf("%q, want %q", said, c.want)
			}
		})
	}
}

// For any text of a memory and any cut of the answer, the pieces of a snippet are its text, and
// each hit has a word of the question.
func TestMarks_AreOfTheText(t *testing.T) {
	s := recall.Searcher{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"ribbon", "Ribbons", "**", "\x02", "\x03", "[[ribbon]]", "é", "…", "plain", "\n", "*ribbon*", "日本",
		}), 1, 60).Draw(t, "words"), " ")
		title := "t"
		stored, err := memory.Store(s).Remember(context.Background(), memory.StoreArgs{Title: &title, Content: content, Dedup: "off"}, s.Near)
		if err != nil {
			t.Skip(err) // blank
		}
		defer func() {
			if _, err := memory.Store(s).Forget(context.Background(), memory.ForgetArgs{ID: stored.Memory.ID, Purge: true}); err != nil {
				t.Fatal(err)
			}
		}()
		got, err := s.Search(context.Background(), recall.SearchArgs{
			Query: "ribbon plain", TokenBudget: rapid.SampledFrom([]int{0, 120, 150, 200}).Draw(t, "budget"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range got.Results {
			text := ""
			for _, p := range one.Pieces() {
				text += p.Text
				if p.Hit && !strings.Contains(strings.ToLower(p.Text), "ri") && !strings.Contains(p.Text, "pl") {
					t.Errorf("a hit of %q in %q", p.Text, one.Snippet)
				}
			}
			if text != one.Snippet {
				t.Errorf("the pieces say %q of %q", text, one.Snippet)
			}
			if plain := strings.TrimSuffix(strings.TrimPrefix(one.Snippet, "…"), "…"); !strings.Contains(strings.Join(strings.Fields(content), " "), strings.TrimSpace(plain)) {
				t.Errorf("%q is not of %q", one.Snippet, content)
			}
		}
	})
}
