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
	"hence/memory/recall/answer"
	"hence/memory/recall/near"
	"hence/vault/note"
)

// markHits returns a snippet with its hits between angle brackets.
func markHits(f answer.Found) string {
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
		{"BoldOfTheTextIsNoHit", "Hide **the** ribbon", "ribbon", "Hide the <ribbon>"},
		{"BoldHit", "Hide the **ribbon**", "ribbon", "Hide the <ribbon>"},
		{"HalfABold", "Hide ** the ribbon", "hide", "<Hide> ** the ribbon"},
		{"AtBothEnds", "ribbon of a ribbon", "ribbon", "<ribbon> of a <ribbon>"},
		{"Phrase", "the live\n  holds stay", `"live holds"`, "the <live holds> stay"},
		{"BesideTitle", "says nothing of it", "kept", "says nothing of it"},
		{"Controls", "\x02a\x03 ribbon \x02", "ribbon", "\x02a\x03 <ribbon> \x02"},
		{"InAnAddress", "See [the docs](https://ribbon.example/a), now", "ribbon", "See the docs <ribbon>.example , now"},
		{"InAComment", "Loose ends %% of the ribbon, and more %% stay", "ribbon", "Loose ends <ribbon>, stay"},
		{"InATarget", "The [[notes/Ribbon|end]] is loose", "ribbon", "The <Ribbon> end is loose"},
		{"AcrossALink", "The **live** [[holds]] stay", `"live holds"`, "The <live holds> stay"},
		{"OfATable", "| Name | For |\n|---|---|\n| ribbon | **hats** |", "ribbon", "Name For <ribbon> hats"},
		{"WideLetters", "«Größe» der Brücke", "brücke", "«Größe» der <Brücke>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := recall.Searcher{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
			title := "kept"
			if _, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Title: &title, Content: c.content}, near.Finder(s).Near); err != nil {
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
		stored, err := memory.Store(s).Remember(context.Background(), memory.StoreArgs{Title: &title, Content: content, Dedup: "off"}, near.Finder(s).Near)
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
			if plain := strings.TrimSuffix(strings.TrimPrefix(one.Snippet, "…"), "…"); !strings.Contains(note.Plain(content), strings.TrimSpace(plain)) {
				t.Errorf("%q is not of %q", one.Snippet, content)
			}
		}
	})
}

// A section without a word shows its heading, and a memory whose section has none its beginning.
func TestSnippet_OfASectionWithoutWords(t *testing.T) {
	s := recall.Searcher{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	dbtest.Script(t, s.DB.Path(), `
insert into memories (title, content, sectioned) values ('Boards', '![[Board.base]] Loose ends', 1);
insert into sections (memory, ordinal, heading, body) select key, 0, 'Harbour *board*', '![[Board.base]]%%x%%' from memories;
insert into sections (memory, ordinal, heading, body, start_line) select key, 1, '', '![[Ferry.base]]', 9 from memories;`)
	for query, want := range map[string]string{"harbour": "Harbour board", "ferry": "Ferry.base", "boards": "Loose ends"} {
		got, err := s.Search(t.Context(), recall.SearchArgs{Query: query})
		if err != nil || len(got.Results) != 1 || got.Results[0].Snippet != want {
			t.Errorf("%s: %+v, %v, want %q", query, got.Results, err, want)
		}
	}
}

// FTS5 copies the whole text for each match that it marks, which takes hours for a text of one word.
func TestSnippet_OfATextOfOneWord(t *testing.T) {
	s := recall.Searcher{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	title := "kept"
	content := strings.Repeat("ribbon ", 150_000)
	if _, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Title: &title, Content: content}, near.Finder(s).Near); err != nil {
		t.Fatal(err)
	}
	got, err := s.Search(t.Context(), recall.SearchArgs{Query: "ribbon"})
	if err != nil || len(got.Results) != 1 || !strings.HasPrefix(got.Results[0].Snippet, "ribbon ribbon") {
		t.Errorf("%+v, %v", got, err)
	}
}
