package recall_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/internal/spelling"
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

// The endings are those that the tokenizer of the index removes.
func TestSpelling_KnowsTheEndingsOfTheStemmer(t *testing.T) {
	all := strings.Fields(`
caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing
fizzed failing filing happy sky relational conditional rational valency hesitancy digitizer conformably radically differently vilely
analogously vietnamization predication operator feudalism decisiveness hopefulness callousness formality sensitivity sensibility
triplicate formative formalize electricity electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable
defensible irritant replacement adjustment dependent adoption communism activate angularity homologous effective bowdlerize
probate rate cease controlling rolling generalizations oscillators reservation reservations organization organizing harbour
memories memory embedding embeddings vectors retrieval decisions deciding decided database databases connection connections
easily happiness happier busier carried carrying studies studying stopped stopping runner running possibility possibilities
arguments argument dependencies dependency consistently consistency automatically readable writable writings beautifully`)
	d := dbtest.New(t)
	batch := []db.Stmt{db.S(`create virtual table stems using fts5 (word, tokenize = 'porter unicode61 remove_diacritics 2')`)}
	for i, word := range all {
		batch = append(batch, db.S(`insert into stems (rowid, word) values (?, ?)`, i+1, word))
	}
	batch = append(batch, db.S(`create virtual table terms using fts5vocab (stems, instance)`))
	if _, err := d.Write(t.Context(), "tester", db.Now(), batch...); err != nil {
		t.Fatal(err)
	}
	for i, stem := range dbtest.Texts(t, d, `select term from terms order by doc`) {
		if got := spelling.NewRuler(all[i]).OfStem([]rune(stem), 1); got != 0 {
			t.Errorf("%s is not thought of as a form of its stem %s", all[i], stem)
		}
	}
}

// naiveMistakes returns the Damerau distance by its definition.
func naiveMistakes(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	last := naiveMistakes(a[:i], b[:j])
	if a[i] != b[j] {
		last++
	}
	least := last
	if last > 0 {
		least = min(last, naiveMistakes(a[:i], b)+1, naiveMistakes(a, b[:j])+1)
	}
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		least = min(least, naiveMistakes(a[:i-1], b[:j-1])+1)
	}
	return least
}

// naiveNear returns the nearest words among all words of the texts that a caller may read.
func naiveNear(word string, texts []string) []string {
	allowed := 1
	if len(word) >= 8 {
		allowed = 2
	}
	type one struct {
		word          string
		swapped, most int
		times         int
	}
	all := map[string]one{}
	for _, text := range texts {
		seen := strings.Fields(text)
		slices.Sort(seen)
		for _, other := range slices.Compact(seen) {
			n := one{word: other, most: naiveMistakes(word, other), times: all[other].times + 1}
			switch {
			case other[0] == word[0] && strings.ContainsAny(other[1:3], word[1:3]): // one mistake in the second letter at most
			case other[0] == word[1] && other[1] == word[0]:
				n.swapped = 1
			default:
				continue
			}
			if n.most > 0 && n.most <= allowed {
				all[other] = n
			}
		}
	}
	best := []one{}
	for _, n := range all {
		best = append(best, n)
	}
	slices.SortFunc(best, func(a, b one) int {
		return cmp.Or(cmp.Compare(a.most, b.most), cmp.Compare(a.swapped, b.swapped), cmp.Compare(b.times, a.times), cmp.Compare(a.word, b.word))
	})
	var near []string
	for _, n := range best {
		if n.most == best[0].most && n.swapped == best[0].swapped {
			near = append(near, n.word)
		}
	}
	return near
}

// The nearest words are those that a naive search in all texts finds which the caller may read.
func TestNearWords_AgreeWithANaiveReference(t *testing.T) {
	dbtest.CheckTimes(t, 12)
	word := rapid.StringMatching(`[pqr]?[uv][mn]{1,2}[ab]{1,4}[gk]`) // the stemmer unifies none of them
	rapid.Check(t, func(rt *rapid.T) {
		s := memory.Store{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
		mine, all := []string{}, []string{}
		for i := range rapid.IntRange(1, 12).Draw(rt, "memories") {
			text := strings.Join(rapid.SliceOfN(word, 1, 5).Draw(rt, "words"), " ")
			namespace := rapid.SampledFrom([]string{"mine", "yours"}).Draw(rt, "namespace")
			title := fmt.Sprintf("%d", i)
			got, err := s.Remember(context.Background(), memory.StoreArgs{Title: &title, Content: text, Namespace: namespace, Dedup: "off"}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 4).Draw(rt, "forgotten") == 0 {
				if _, err := s.Forget(context.Background(), memory.ForgetArgs{ID: got.Memory.ID}); err != nil {
					rt.Fatal(err)
				}
				continue
			}
			all = append(all, text)
			if namespace == "mine" {
				mine = append(mine, text)
			}
		}
		for range 3 {
			misspelt := word.Draw(rt, "misspelt")
			for namespace, texts := range map[string][]string{"mine": mine, "": all} {
				got, err := recall.NearWords(context.Background(), s.DB, misspelt, namespace)
				if err != nil {
					rt.Fatal(err)
				}
				if diff := gocmp.Diff(naiveNear(misspelt, texts), got); diff != "" {
					rt.Errorf("near %s in %q (-naive +got):\n%s", misspelt, namespace, diff)
				}
			}
		}
	})
}
