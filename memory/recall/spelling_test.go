package recall_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/near"
)

// A word that no memory has is corrected, with a warning, and other words are not.
func TestSearch_FindsTheMisspelt(t *testing.T) {
	s := storeItems(t,
		item("m1", "An automobile stood there."),
		item("m2", "The soup was cold."),
		item("m3", "A car park for everybody."),
		item("m4", "The soap of 2024 was cold."),
		item("m5", "QueryExecModes of the driver: a café with reservations."),
		item("m6", "Die Brücke über den Fluss heißt Hängebrücke."),
		item("m7", "Мы ехали на электричке до станции: трамвайный йогурт."),
		item("m8", "W Łodzi jest biało."))
	for _, c := range []struct {
		name, query string
		want        []string
		warnings    int
	}{
		{"LetterMissing", "autmobile", []string{"m1"}, 1},
		{"LetterTooMany", "automobbile", []string{"m1"}, 1},
		{"WrongLetter", "automibile", []string{"m1"}, 1},
		{"TwoSwapped", "evreybody", []string{"m3"}, 1},
		{"FirstTwoSwapped", "uatomobile", []string{"m1"}, 1},
		{"TwoMistakesInALongWord", "atomobille", []string{"m1"}, 1},
		{"TwoMistakesInAShortWord", "saop", []string{"m4"}, 1},
		{"BesideAKnownWord", "cold autmobile", []string{"m1", "m2", "m4"}, 1},
		{"TwoWords", "autmobile evreybody", []string{"m1", "m3"}, 2},
		{"KnownWordStays", "soup", []string{"m2"}, 0},
		{"OtherFirstLetterOfAShortWord", "loup", []string{}, 0},
		{"FirstLetterStays", "butomobile", []string{}, 0},
		{"OtherWord", "auction", []string{}, 0},
		{"NumberStays", "2025", []string{}, 0},
		{"Identifier", "QueryExceModes", []string{"m5"}, 1},
		{"EndingThatTheStemmerTakesOff", "reservatons", []string{"m5"}, 1},
		{"Accents", "caffé", []string{"m5"}, 1},
		{"Umlauts", "hängebrükce", []string{"m6"}, 1},
		{"OtherScript", "электичке", []string{"m7"}, 1},
		{"LetterThatHasAMark", "йогрут", []string{"m7"}, 1},
		{"LetterWithoutItsMark", "трамваиный", []string{"m7"}, 1},
		{"LetterWithoutItsStroke", "lodzi", []string{"m8"}, 0},
		{"LetterWithoutItsStrokeWithin", "bialo", []string{"m8"}, 0},
		{"FullWidth", "ａｕｔｍｏｂｉｌｅ", []string{"m1"}, 1},
		{"QuotedWord", `"autmobile"`, []string{"m1"}, 1},
		{"WithinAPhrase", `"autmobile stood"`, []string{"m1"}, 1},
		{"TwiceWithinAPhrase", `"autmobile stodo there"`, []string{"m1"}, 2},
		{"PhraseOfKnownWordsStays", `"soup there"`, []string{}, 0},
		{"PhraseWithAStrangeWordStays", `"autmobile xylophone"`, []string{}, 0},
		{"ExcludedWordStays", "cold -soop", []string{"m2", "m4"}, 0},
		{"Keyword", "evreybody kind:fact", []string{"m3"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := search(t, s, recall.SearchArgs{Query: c.query})
			names := titles(got)
			slices.Sort(names)
			if diff := gocmp.Diff(c.want, names); diff != "" || len(got.Warnings) != c.warnings {
				t.Errorf("results (-want +got):\n%s\nwarnings %q, want %d", diff, got.Warnings, c.warnings)
			}
		})
	}
	got := search(t, s, recall.SearchArgs{Query: "autmobile"})
	if want := "An automobile stood there."; got.Results[0].Snippet != want || len(got.Results[0].Marks) != 1 {
		t.Errorf("snippet %q marked at %v, want the automobile of %q", got.Results[0].Snippet, got.Results[0].Marks, want)
	}
	for query, want := range map[string]string{
		"autmobile":   "no memory has the word autmobile; looked for automobile in its place",
		"hangebrukce": "no memory has the word hangebrukce; looked for hängebrücke in its place",
	} {
		if got := search(t, s, recall.SearchArgs{Query: query}); !slices.Equal(got.Warnings, []string{want}) {
			t.Errorf("warnings %q, want %q", got.Warnings, want)
		}
	}
}

// Among equally near words the most frequent ones are searched.
func TestSearch_MendsByFrequency(t *testing.T) {
	s := storeItems(t)
	for word, times := range map[string]int{"ferry": 3, "fury": 2, "fery": 0, "fairy": 1, "furry": 1} {
		for i := range times {
			if _, err := memory.Store(s).Remember(t.Context(), item(fmt.Sprint(word, i), "the "+word+" again"), near.Finder(s).Near); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := search(t, s, recall.SearchArgs{Query: "fersy"})
	if want := []string{"no memory has the word fersy; looked for ferry in its place"}; !slices.Equal(got.Warnings, want) {
		t.Errorf("warnings %q, want %q", got.Warnings, want)
	}
	got = search(t, s, recall.SearchArgs{Query: "furriy"})
	if want := []string{"no memory has the word furriy; looked for furry in its place"}; !slices.Equal(got.Warnings, want) {
		t.Errorf("warnings %q, want %q", got.Warnings, want)
	}
}

// A caller gets no spelling from memories that it may not read. A word that only such memories
// or forgotten ones have counts as unknown.
func TestSearch_MendsWithinANamespace(t *testing.T) {
	s := storeItems(t)
	for namespace, content := range map[string]string{"mine": "The ferry is late.", "yours": "The fery harbour."} {
		if _, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Content: content, Namespace: namespace}, near.Finder(s).Near); err != nil {
			t.Fatal(err)
		}
	}
	s.Caller.Confined, s.Caller.Namespace = true, "mine"
	for query, want := range map[string]int{"fery": 1, "harbor": 0, "harbour": 0} {
		got := search(t, s, recall.SearchArgs{Query: query, Namespace: "mine"})
		if len(got.Results) != want || len(got.Warnings) != want {
			t.Errorf("%s: %v with warnings %q, want %d of each", query, titles(got), got.Warnings, want)
		}
	}
	s.Caller = ref.Caller{Actor: "tester", Origin: "agent"}
	got := search(t, s, recall.SearchArgs{Query: "harbour", Namespace: "mine"})
	if want := []string{"no memory of namespace mine has the word harbour; there are some in yours"}; !slices.Equal(got.Warnings, want) {
		t.Errorf("a caller who may read all gets warnings %q, want %q", got.Warnings, want)
	}
}

func TestSearch_MendsWhatIsForgotten(t *testing.T) {
	s := storeItems(t, item("m1", "The ferry is late."), item("m2", "The fery is late."))
	if _, err := memory.Store(s).Forget(t.Context(), memory.ForgetArgs{ID: "m2"}); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, recall.SearchArgs{Query: "fery"}); !slices.Equal(titles(got), []string{"m1"}) || len(got.Warnings) != 1 {
		t.Errorf("%v with warnings %q, want m1 and what was looked for", titles(got), got.Warnings)
	}
}

// The answer says that only memories which are superseded or over have a word. A word that a few
// memories have is searched as it is.
func TestSearch_HintsAtMemoriesThatAreOver(t *testing.T) {
	s := storeItems(t,
		item("m1", "The pikachu in the garden."), item("m2", "Pikachu again."), item("m3", "A pikachus' picture."),
		item("m4", "My pickachu is yellow."),
		item("m5", "The zeppelin leaves at noon."))
	newer := item("m6", "The balloon leaves at noon.")
	newer.Supersedes = []string{"m5"}
	over := item("m7", "The ferry sailed on Sundays to Kubernetis.")
	over.ValidTo = "2020-01-01"
	for _, one := range []memory.StoreArgs{newer, over, item("m8", "Kubernetes is there."), item("m9", "A marimba.")} {
		if _, err := memory.Store(s).Remember(t.Context(), one, near.Finder(s).Near); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, query, status string
		warnings            []string
	}{
		{"FewHaveIt", "pickachu", "current", []string{}},
		{"MoreHaveIt", "pikachu", "current", []string{}},
		{"OnlySuperseded", "zeppelin", "current", []string{"only superseded memories have zeppelin; status all finds them"}},
		{"SupersededAreWanted", "zeppelin", "all", []string{}},
		{"MendedToSuperseded", "zepelin", "current", []string{"no memory has the word zepelin; looked for zeppelin in its place", "only superseded memories have zeppelin; status all finds them"}},
		{"OnlyOver", "ferry", "current", []string{"only memories that are over have ferry; include_ended finds them"}},
		{"OnlyOverAndMisspelt", "kubernetis", "current", []string{"only memories that are over have kubernetis; include_ended finds them"}},
		{"MendedToOver", "sunndays", "current", []string{"no memory has the word sunndays; looked for sundays in its place", "only memories that are over have sundays; include_ended finds them"}},
		{"MuchIsFound", "pickachu noon leaves garden again", "current", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := search(t, s, recall.SearchArgs{Query: c.query, Status: c.status})
			if diff := gocmp.Diff(c.warnings, got.Warnings); diff != "" {
				t.Errorf("found %v; warnings (-want +got):\n%s", titles(got), diff)
			}
		})
	}
}
