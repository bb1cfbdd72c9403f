package recall_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// storeRows returns a searcher over a store of memories given as rows: kind, title, content,
// aliases.
func storeRows(t testing.TB, rows ...[4]string) recall.Searcher {
	d := dbtest.New(t)
	batch := []db.Stmt{}
	for _, row := range rows {
		batch = append(batch, db.S(`insert into memories (kind, title, content, aliases) values (?, ?, ?, ?)`, row[0], row[1], row[2], row[3]))
	}
	dbtest.Fill(t, d, batch...)
	return recall.Searcher{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
}

// A memory whose title or alias is the question comes first, however many of its words others
// have.
func TestSearch_TitleFirst(t *testing.T) {
	rows := [][4]string{
		{"note", "Set-up_Guide", strings.Repeat("nothing of the kind ", 50), `[]`},
		{"note", "Résumé du café", strings.Repeat("rien de tel ", 50), `["Bill of fare", "Ärger: the 2nd"]`},
		{"note", "Home", strings.Repeat("where one is ", 50), `[]`},
		{"note", "C++", strings.Repeat("a language ", 50), `[]`},
		{"note", "C", strings.Repeat("another language ", 50), `[]`},
		{"note", "HOME", strings.Repeat("where one is, and more ", 50), `[]`},
		{"note", "Nono", "no no " + strings.Repeat("not at all ", 50), `[]`},
		{"note", "To be or not to be", strings.Repeat("whether it is nobler ", 50), `[]`},
		{"note", "知识-管理", strings.Repeat("别的东西 ", 50), `[]`},
		{"note", "港", strings.Repeat("水 ", 50), `[]`},
		{"note", "Ａｎｎｅｘ", strings.Repeat("wide ", 50), `[]`},
		{"note", `The "best of" list`, strings.Repeat("some songs ", 50), `[]`},
		{"note", "2026-03-11", strings.Repeat("a day ", 50), `[]`},
		{"note", "🚀 party", strings.Repeat("rockets ", 50), `[]`},
		{"note", "🎉 party", strings.Repeat("confetti ", 50), `[]`},
		{"note", "🎉", strings.Repeat("more confetti ", 50), `[]`},
		{"note", "-5 degrees", strings.Repeat("frost ", 50), `[]`},
		{"note", "path:foo", strings.Repeat("a way ", 50), `["Path: of foo"]`},
		{"note", "kind:decision log", strings.Repeat("trees ", 50), `[]`},
		{"note", "Kind decision", strings.Repeat("friendly ", 50), `[]`},
	}
	said := "party degrees log set up guide resume du cafe bill of fare the home c to be or not to be that 知识管理 港口 annex best of list 2026 03 11 arger 2nd "
	for i := range 3 {
		rows = append(rows, [4]string{"note", fmt.Sprintf("%sagain %d", said, i), strings.Repeat(said, 3), `[]`})
	}
	s := storeRows(t, rows...)
	for _, c := range []struct{ name, query, want string }{
		{"AsItStands", "Set-up_Guide", "Set-up_Guide"},
		{"InOtherCase", "SET-up_guide", "Set-up_Guide"},
		{"WithBlanks", "set up guide", "Set-up_Guide"},
		{"WithHyphens", "set-up-guide", "Set-up_Guide"},
		{"WithUnderscores", "set_up_guide", "Set-up_Guide"},
		{"AsAPhrase", `"set up guide"`, "Set-up_Guide"},
		{"WithAFilter", "set kind:note up guide", "Set-up_Guide"},
		{"OneWord", "Home", "Home"},
		{"CaseCountsAmongEquals", "HOME", "HOME"},
		{"Accents", "résumé du café", "Résumé du café"},
		{"WithoutAccents", "resume du cafe", "Résumé du café"},
		{"ComposedAccents", "Re\u0301sume\u0301 du cafe\u0301", "Résumé du café"},
		{"AccentsInTheQuestion", "hömé", "Home"},
		{"Alias", "bill of fare", "Résumé du café"},
		{"AliasWithoutAccents", "arger - the 2nd", "Résumé du café"},
		{"Stopwords", "to be or not to be", "To be or not to be"},
		{"SignsCountAmongEquals", "c++", "C++"},
		{"NoSignsCountAmongEquals", "c", "C"},
		{"Spaceless", "知识-管理", "知识-管理"},
		{"SpacelessInTwoParts", "知识 管理", "知识-管理"},
		{"SpacelessCharacter", "港", "港"},
		{"FullWidth", "annex", "Ａｎｎｅｘ"},
		{"QuotationMarks", `The "best of" list`, `The "best of" list`},
		{"Date", "2026 03 11", "2026-03-11"},
		{"SignsTellNamesApart", "🚀 party", "🚀 party"},
		{"SignsTellNamesApartInAnyCase", "🎉 PARTY", "🎉 party"},
		{"SignsAlone", "🎉", "🎉"},
		{"LooksLikeAnUnwantedWord", "-5 degrees", "-5 degrees"},
		{"LooksLikeAPath", "path:foo", "path:foo"},
		{"LooksLikeAKind", "kind:decision log", "kind:decision log"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Search(t.Context(), recall.SearchArgs{Query: c.query})
			if err != nil || len(got.Results) == 0 {
				t.Fatalf("nothing found, %v", err)
			}
			if first := got.Results[0]; first.Title != c.want || !first.Why.Title {
				t.Errorf("first is %q, by its title: %v; want %q", first.Title, first.Why.Title, c.want)
			}
			if last := got.Results[len(got.Results)-1]; len(got.Results) > 3 && (last.Why.Title || last.Score >= got.Results[0].Score) {
				t.Errorf("the last, %q, scores %v, by its title: %v; the first %v", last.Title, last.Score, last.Why.Title, got.Results[0].Score)
			}
		})
	}
	for _, query := range []string{"set up", "guide set up", "of fare", "the bill of fare", "知识", "no no", "ho me", "C++ C", "kind:decision", "degrees -5"} {
		got, err := s.Search(t.Context(), recall.SearchArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range got.Results {
			if one.Why.Title {
				t.Errorf("%q is called %q", one.Title, query)
			}
		}
	}
}

// A file without text comes last, whatever its title, unless the question asks for kinds.
func TestSearch_FilesWithoutTextLast(t *testing.T) {
	rows := [][4]string{
		{"note", "Old pier", strings.Repeat("stones and boats ", 100) + "harbour", `[]`},
		{"file", "harbour.png", "", `[]`},
		{"canvas", "harbour.canvas", "", `[]`},
		{"canvas", "Harbour plan", "harbour, and where the boats lie", `[]`},
		{"note", "Harbour rules", "", `[]`},
		{"file", "harbour", "", `[]`},
	}
	s := storeRows(t, rows...)
	for _, c := range []struct {
		name string
		args recall.SearchArgs
		want []string
	}{
		{"Last", recall.SearchArgs{Query: "harbour"}, []string{"Harbour plan", "Harbour rules", "Old pier", "harbour", "harbour.canvas", "harbour.png"}},
		{"UnderALimit", recall.SearchArgs{Query: "harbour", Limit: 3}, []string{"Harbour plan", "Harbour rules", "Old pier"}},
		{"WithoutEdges", recall.SearchArgs{Query: "harbour", Graph: new(bool)}, []string{"Harbour plan", "Harbour rules", "Old pier", "harbour", "harbour.canvas", "harbour.png"}},
		{"AskedFor", recall.SearchArgs{Query: "harbour kind:file"}, []string{"harbour", "harbour.png"}},
		{"AskedForByArgument", recall.SearchArgs{Query: "harbour", Kinds: []string{"file"}}, []string{"harbour", "harbour.png"}},
		{"AskedForWithOthers", recall.SearchArgs{Query: "harbour png", Kinds: []string{"file", "note"}, Limit: 1}, []string{"harbour.png"}},
		{"FiltersAlone", recall.SearchArgs{Query: "-nothing", Limit: 3}, []string{"Harbour plan", "Harbour rules", "Old pier"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Search(t.Context(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			names := titles(got)
			for i, one := range got.Results {
				if i > 0 && one.Score > got.Results[i-1].Score {
					t.Errorf("%q scores %v, and %q before it %v", one.Title, one.Score, got.Results[i-1].Title, got.Results[i-1].Score)
				}
			}
			// The order is free among memories with text, and among files without text.
			says := min(3, len(names))
			if len(c.want) < 3 || c.args.Kinds != nil {
				says = 0
			}
			slices.Sort(names[:says])
			slices.Sort(names[says:])
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A note with a word in its text comes before any number of pictures with it in their names.
func TestSearch_ManyFiles(t *testing.T) {
	rows := [][4]string{{"note", "Old pier", strings.Repeat("stones and boats ", 100) + "harbour", `[]`}}
	for i := range 1500 {
		rows = append(rows, [4]string{"file", fmt.Sprintf("harbour %d.png", i), "", `[]`})
	}
	got, err := storeRows(t, rows...).Search(t.Context(), recall.SearchArgs{Query: "harbour"})
	if err != nil || len(got.Results) != 10 || got.Results[0].Title != "Old pier" {
		t.Errorf("%q, %v; want the note first of ten", titles(got), err)
	}
}

// A filter applies to titles too: a memory that is superseded, of another namespace or of
// another kind is not found by its title.
func TestSearch_TitlesPassTheFilter(t *testing.T) {
	s, store := storeLibrary(t)
	if _, err := store.Remember(t.Context(), memory.StoreArgs{Namespace: "theirs", Title: new("Quay"), Content: "of others"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		args  recall.SearchArgs
		first string
		named int
	}{
		{"Superseded", recall.SearchArgs{Query: "old plan"}, "New plan", 0},
		{"SupersededOnesAskedFor", recall.SearchArgs{Query: "old plan", Status: "all"}, "Old plan", 1},
		{"OfAnotherKind", recall.SearchArgs{Query: "cache eviction", Kinds: []string{"decision"}}, "New plan", 0},
		{"OfANamespace", recall.SearchArgs{Query: "quay", Namespace: "default"}, "Quay", 1},
		{"OfAny", recall.SearchArgs{Query: "quay"}, "Quay", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Search(t.Context(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			named := 0
			for _, one := range got.Results {
				if one.Why.Title {
					named++
				}
			}
			if names := titles(got); named != c.named || len(names) > 0 && names[0] != c.first || len(names) == 0 && c.named > 0 {
				t.Errorf("found %q, %d by their title; want %q first, %d", names, named, c.first, c.named)
			}
		})
	}
}

// Among memories of few words with random edges, the one whose title is the question comes
// first.
func TestSearch_AnyTitleComesFirst(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	words := []string{"Ferry", "harbour", "QUEUE", "cake", "réseau"}
	rapid.Check(t, func(rt *rapid.T) {
		some := func(label string, least int) []string {
			return rapid.SliceOfN(rapid.SampledFrom(words), least, 4).Draw(rt, label)
		}
		store := memory.Store{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
		all, ids := []string{}, []string{}
		for range rapid.IntRange(1, 12).Draw(rt, "memories") {
			title := strings.Join(some("title", 1), rapid.SampledFrom([]string{" ", "-", "_"}).Draw(rt, "sign"))
			a := memory.StoreArgs{Title: &title, Content: strings.Join(append(some("words", 0), "zz"), " "), Dedup: "off"}
			if n := len(ids); n > 0 {
				a.Links = []memory.NewLink{{To: ids[rapid.IntRange(0, n-1).Draw(rt, "other")], Type: rapid.SampledFrom([]string{"follows", "part-of"}).Draw(rt, "type")}}
			}
			got, err := store.Remember(context.Background(), a, nil)
			if err != nil {
				rt.Fatal(err)
			}
			all, ids = append(all, title), append(ids, got.Memory.ID)
		}
		fold := func(title string) string {
			return strings.NewReplacer("-", " ", "_", " ", "é", "e").Replace(strings.ToLower(title))
		}
		asked := rapid.SampledFrom(all).Draw(rt, "asked")
		if rapid.Bool().Draw(rt, "folded") {
			asked = fold(asked)
		}
		got, err := recall.Searcher(store).Search(context.Background(), recall.SearchArgs{Query: asked, Limit: 50})
		if err != nil {
			rt.Fatal(err)
		}
		called := 0
		for _, title := range all {
			if fold(title) == fold(asked) {
				called++
			}
		}
		for i, one := range got.Results {
			if is := fold(one.Title) == fold(asked); is != (i < called) || is != one.Why.Title {
				rt.Errorf("%q: place %d has %q, by its title: %v", asked, i, one.Title, one.Why.Title)
			}
		}
	})
}
