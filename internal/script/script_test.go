package script

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
)

func TestCut(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"Café – “naïve”":    "Café – “naïve”",
		"数据库":               "数据 据库",
		"数据。据库":             "数据 据库",
		"（数据），\n\n- [ ] 据库": "数据 据库",
		"はPostgresに":        "は Postgres に",
		"第3章":               "第 3 章",
		"第３章节":              "第 3 章节",
		"知识 管理":             "知识 管理",
		"ｶﾞｷﾞｸﾞ":            "ガギ ギグ",
		"カ\u3099":           "ガ",
		"ＡＰＩ keys":          "API keys",
		"xＡＢ":               "xAB",
		"ที่นี่":            "ที ี่ ่น นี ี่",
		"한국어 텍스트":           "한국 국어 텍스 스트",
		"ພາສາ":              "ພາ າສ ສາ",
		"ភាសា":              "ភា ាស សា",
		"မြန်မာ":            "မြ ြန န် ်မ မာ",
		"データー":              "デー ータ ター",
		"𠮷野家":               "𠮷野 野家",
		"a\xffb数":           "a\xffb 数",
		"see 笔记 / 数据.md":    "see 笔记 数据.md",
	} {
		if got := Cut(text); got != want {
			t.Errorf("Cut(%q) = %q, want %q", text, got, want)
		}
		if !isCut(text) && text != want {
			t.Errorf("isCut(%q) = false", text)
		}
	}
}

func TestPhrase(t *testing.T) {
	for text, want := range map[string]struct {
		words    string
		isPrefix bool
	}{
		"Postgres":   {"Postgres", false},
		"库":          {"库", true},
		"数据":         {"数据", false},
		"数据库":        {"数据 据库", false},
		"数据库 设计":     {"数据 据库 设计", false},
		"第3章":        {"第 3 章", true},
		"はPostgresに": {"は Postgres に", true},
		"版本3":        {"版本 3", false},
		"数据。":        {"数据 ", false},
		"哈哈 哈":       {"哈哈 哈", true},
		"哈哈哈":        {"哈哈 哈哈", false},
	} {
		if words, isPrefix := Phrase(text); words != want.words || isPrefix != want.isPrefix {
			t.Errorf("Phrase(%q) = %q, %v, want %q, %v", text, words, isPrefix, want.words, want.isPrefix)
		}
	}
}

// words returns the words of a cut text as an index splits it.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !IsWord(r) })
}

// has reports whether the words of a text contain a phrase, as an index finds it.
func has(text, phrase []string, isPrefix bool) bool {
	for i := 0; i+len(phrase) <= len(text); i++ {
		last := len(phrase) - 1
		if slices.Equal(text[i:i+last], phrase[:last]) && (text[i+last] == phrase[last] || isPrefix && strings.HasPrefix(text[i+last], phrase[last])) {
			return true
		}
	}
	return false
}

var someText = rapid.StringOfN(rapid.SampledFrom([]rune("数据库设计食べるカ\u3099ｶﾞーที่한국ab3Ａ 。.\n")), 0, 40, -1)

// TestAPartIsFoundWhereItStands compares the search for a phrase with a search for the part
// itself. It must find every occurrence, and others only across the end of a run.
func TestAPartIsFoundWhereItStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := norm.NFKC.String(strings.ToLower(someText.Draw(t, "text")))
		runes := []rune(text)
		part := norm.NFKC.String(strings.ToLower(someText.Draw(t, "part")))
		if len(runes) > 0 && rapid.Bool().Draw(t, "from the text") {
			start := rapid.IntRange(0, len(runes)-1).Draw(t, "start")
			part = string(runes[start:rapid.IntRange(start+1, min(start+6, len(runes))).Draw(t, "end")])
		}
		if utf8.RuneCountInString(part) < 2 || strings.ContainsFunc(part, func(r rune) bool { return !IsSpaceless(r) }) {
			t.Skip("not a part of a run")
		}
		joined := "" // the runs in a row, one character of two that are the same at their ends
		for run := range Runs(text) {
			last, size := utf8.DecodeLastRuneInString(joined)
			if first, _ := utf8.DecodeRuneInString(run); first == last {
				joined = joined[:len(joined)-size]
			}
			joined += run
		}
		phrase, isPrefix := Phrase(part)
		switch got := has(words(Cut(text)), words(phrase), isPrefix); {
		case !got && strings.Contains(text, part):
			t.Fatalf("%q is not found in %q by the cut %q", part, text, Cut(text))
		case got && !strings.Contains(joined, part):
			t.Fatalf("%q is found in %q by the cut %q", part, text, Cut(text))
		}
	})
}

func TestCutName(t *testing.T) {
	for text, want := range map[string]string{
		"数据库":        "数据 据库 库",
		"数据库 of 设计":  "数据 据库 of 设计 库 计",
		"第3章":        "第 3 章",
		`["笔记","ａ"]`: "笔记 a 记",
	} {
		if got := CutName(text); got != want {
			t.Errorf("CutName(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOrigin(t *testing.T) {
	for _, c := range []struct{ text, cut, origin string }{
		{"我用数据库。", "数据 据库", "数据库"},
		{"はPostgresに", "Postgres", "Postgres"},
		{"ｶﾞｷﾞ と", "ガギ", "ｶﾞｷﾞ"},
		{"の ＡＰＩ x", "API", "ＡＰＩ"},
		{"plain text", "text", "text"},
		{"データ in the middle of it", "middle", "middle"},
	} {
		start := strings.Index(Cut(c.text), c.cut)
		if start < 0 {
			t.Fatalf("%q is not in %q", c.cut, Cut(c.text))
		}
		if one := originOf(c.text, start, start+len(c.cut)); c.text[one.Start:one.End] != c.origin {
			t.Errorf("Origins(%q, %q) = %q, want %q", c.text, c.cut, c.text[one.Start:one.End], c.origin)
		}
	}
}

func originOf(text string, start, end int) Span { return Origins(text, []Span{{start, end}})[0] }

func FuzzCut(f *testing.F) {
	for _, seed := range []string{"数据库", "はPostgresに", "ｶﾞ", "\xff数", "a\u0301", "ที่", "ﾞﾞ", "㈱日立", "\u1100\u1161\u11a8"} {
		f.Add(seed, 0, 5)
		f.Add(strings.Repeat("Straße und "+seed+" ", 4), 2, 60)
	}
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		cut := Cut(text)
		if utf8.ValidString(text) && !utf8.ValidString(cut) {
			t.Fatalf("Cut(%q) = %q is not UTF-8", text, cut)
		}
		if isCut(text) == (cut == text) && cut != text {
			t.Fatalf("isCut(%q) = %v, and the cut is %q", text, isCut(text), cut)
		}
		Phrase(text)
		if start < 0 || end < start || end > len(cut) {
			return
		}
		one := originOf(text, start, end)
		if one.Start < 0 || one.End < one.Start || one.End > len(text) {
			t.Fatalf("Origins(%q, %d, %d) = %v", text, start, end, one)
		}
		parts, alone := []Span{}, []Span{} // one after the other, of growing length
		for from, n := start, 1; from+n <= end; from, n = from+n+1, n+1 {
			parts, alone = append(parts, Span{from, from + n}), append(alone, originOf(text, from, from+n))
		}
		if together := Origins(text, parts); !slices.Equal(together, alone) {
			t.Fatalf("Origins(%q, %v) = %v, each alone %v", text, parts, together, alone)
		}
	})
}

func TestIsWord_ASCIIIsAsUnicodeSays(t *testing.T) {
	for r := range rune(utf8.RuneSelf) {
		if want := unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co); IsWord(r) != want {
			t.Errorf("IsWord(%q) = %v", r, !want)
		}
	}
}
