package mention_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/lineartest"
	_ "hence/internal/repeattest"
	"hence/vault/mention"
)

// find returns what a finder of names finds in a text.
func find(text string, names ...string) []string {
	folded, named := make([]string, len(names)), map[string]string{}
	for i, name := range names {
		folded[i] = mention.Key(name, false)
		named[folded[i]] = name
	}
	all := []string{}
	mention.New(folded).Find(text, 0, len(text), func(name string, start, end int) {
		all = append(all, fmt.Sprintf("%s@%d", named[name], start))
		if mention.Fold(text[start:end]) != mention.Fold(name) {
			panic("what was found is not the name: " + text[start:end])
		}
	})
	return all
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, text string
		names      []string
		want       []string
	}{
		{"WholeWord", "the Ledger and ledgers", []string{"Ledger"}, []string{"Ledger@4"}},
		{"AnyCase", "LEDGER ledger", []string{"Ledger"}, []string{"Ledger@0", "Ledger@7"}},
		{"SeveralWords", "our seat ledger.", []string{"Seat Ledger"}, []string{"Seat Ledger@4"}},
		{"Overlap", "seat ledger", []string{"Seat Ledger", "Ledger"}, []string{"Seat Ledger@0", "Ledger@5"}},
		{"PrefixOfAnother", "seat ledger", []string{"Seat", "Seat Ledger"}, []string{"Seat@0", "Seat Ledger@0"}},
		{"Unicode", "bei Søren Ångström, søren ångströms", []string{"Søren Ångström"}, []string{"Søren Ångström@4"}},
		{"Decomposed", "at Kråkø today", []string{"Kra\u030akø"}, []string{"Kra\u030akø@3"}},
		{"InsideAWord", "xLedger Ledger2 led_ger Ledger_", []string{"Ledger"}, []string{}},
		{"MarkContinuesAWord", "Ledger\u0301 x", []string{"Ledger"}, []string{}},
		{"Punctuation", "(Ledger), \"Ledger\" Ledger's", []string{"Ledger"}, []string{"Ledger@1", "Ledger@11", "Ledger@19"}},
		{"NameThatEndsInASign", "learn Perl++x", []string{"Perl++"}, []string{"Perl++@6"}},
		{"Capitals", "the API, an S3 and an api, APIs, xAPI; IT is it", []string{"API", "S3", "IT"}, []string{"API@4", "S3@12", "IT@39"}},
		{"ShortOrDates", "Git and git on 2024-01-01, 42", []string{"Git", "2024-01-01", "42"}, []string{}},
		{"NoBordersBetweenCharacters", "私は東京大阪へ、東京。", []string{"東京大阪", "東京", "京"}, []string{"東京@6", "東京大阪@6", "東京@24"}},
		{"NoBordersInKana", "新しいデータベースとメモ", []string{"データ", "メモ"}, []string{"データ@9", "メモ@30"}},
		{"NoBordersInThai", "เรือข้ามฟากออก", []string{"ข้ามฟาก", "ข้ามฟา"}, []string{"ข้ามฟา@12", "ข้ามฟาก@12"}},
		{"MarkContinuesAThaiVowel", "ที่", []string{"ทีที"}, []string{}},
		{"NoBorderBeforeAParticle", "데이터베이스를 멈춘다", []string{"데이터베이스"}, []string{"데이터베이스@0"}},
		{"CharactersPartWords", "使用Obsidian编辑", []string{"Obsidian"}, []string{"Obsidian@6"}},
		{"LettersThatFoldToASCII", "a loo\u212A at D\u0130yar", []string{"Look", "Diyar"}, []string{"Look@2", "Diyar@12"}},
		{"MarkContinuesAKana", "か\u3099く かく", []string{"かか", "がく"}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, find(c.text, c.names...)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWordsAreCutByWhatLiesAroundTheStretch(t *testing.T) {
	line := "myLedger [[x]]Ledger"
	f := mention.New([]string{"ledger"})
	for _, c := range []struct{ start, want int }{{2, 0}, {14, 1}} {
		n := 0
		f.Find(line, c.start, c.start+6, func(string, int, int) { n++ })
		if n != c.want {
			t.Errorf("found %d in %q, want %d", n, line[c.start:c.start+6], c.want)
		}
	}
}

func TestKeySaysWhichNamesAreLookedFor(t *testing.T) {
	for _, c := range []struct{ name, want, wanted string }{
		{"Ledger", "ledger", "ledger"},
		{"  Seat  Ledger ", "seat ledger", "seat ledger"},
		{"RSS", "RSS", "RSS"},
		{"S3", "S3", "S3"},
		{"MP4", "MP4", "MP4"},
		{"README", "README", "README"},
		{"Q3 PLAN", "Q3 PLAN", "Q3 PLAN"},
		{"GPT-4", "", "GPT-4"},
		{"ISO9001", "ISO9001", "ISO9001"},
		{"ÅÄÖ", "ÅÄÖ", "ÅÄÖ"},
		{"Git", "", "git"},
		{"K8s", "", "k8s"},
		{"C#", "", "C#"},
		{"42", "", "42"},
		{"2024-01-01", "", "2024-01-01"},
		{"R", "", ""},
		{"東", "", ""},
		{"東京", "東京", "東京"},
		{"メモ", "メモ", "メモ"},
		{"서울", "서울", "서울"},
		{"--", "", ""},
		{"", "", ""},
		{strings.Repeat("long ", 50), "", ""},
	} {
		if got := mention.Key(c.name, false); got != c.want {
			t.Errorf("Key(%q) = %q, want %q", c.name, got, c.want)
		}
		if got := mention.Key(c.name, true); got != c.wanted {
			t.Errorf("Key(%q), wanted, = %q, want %q", c.name, got, c.wanted)
		}
	}
}

func TestANameThatIsRemovedIsNotFound(t *testing.T) {
	f := mention.New([]string{"seat", "seat ledger", "RSS"})
	f.Add("seat ledger", 1)
	for _, c := range []struct {
		remove string
		want   []string
	}{
		{"seat", []string{"seat ledger", "RSS"}}, {"seat ledger", []string{"seat ledger", "RSS"}},
		{"seat ledger", []string{"RSS"}}, {"RSS", nil},
	} {
		f.Add(c.remove, -1)
		var got []string
		f.Find("a seat ledger by RSS", 0, 20, func(name string, _, _ int) { got = append(got, name) })
		if !slices.Equal(got, c.want) {
			t.Errorf("without %s it finds %q, want %q", c.remove, got, c.want)
		}
	}
}

// TestFindAgreesWithASearchNameByName compares a finder with a search for each name.
func TestFindAgreesWithASearchNameByName(t *testing.T) {
	alphabet := rapid.StringOfN(rapid.SampledFrom([]rune("aAbBkKåÅ2 -_.東京")), 0, 24, -1)
	rapid.Check(t, func(t *rapid.T) {
		key := func(name string) string { return mention.Key(name, false) }
		names := rapid.SliceOfNDistinct(alphabet, 1, 6, key).Draw(t, "names")
		text := alphabet.Draw(t, "text")
		want := []string{}
		for start := range text {
			for _, name := range names {
				folded := mention.Key(name, false)
				for end := start + 1; folded != "" && end <= len(text); end++ {
					same := text[start:end] == folded || strings.ToLower(folded) == folded && strings.ToLower(text[start:end]) == folded
					if utf8.ValidString(text[start:end]) && same && whole(text, start, end) {
						want = append(want, fmt.Sprintf("%s@%d", name, start))
					}
				}
			}
		}
		got := find(text, names...)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in %q (-want +got):\n%s", text, diff)
		}
	})
}

func whole(text string, start, end int) bool {
	word := func(r rune) bool { return strings.ContainsRune("aAbBkKåÅ2_", r) }
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !(word(before) && word(first)) && !(word(last) && word(after))
}

func TestHostileTextTakesLinearTime(t *testing.T) {
	names := []string{}
	for n := 1; n < 40; n++ {
		names = append(names, mention.Key(strings.Repeat("aaaa ", n)+"b", false))
	}
	f := mention.New(names)
	lineartest.Check(t, 40_000, func(words int) func() {
		text := strings.Repeat("aaaa ", words)
		return func() { f.Find(text, 0, len(text), func(string, int, int) {}) }
	})
}
