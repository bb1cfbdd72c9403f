package screen

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "hence/internal/repeattest"

	"hence/tools/show"
)

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "Kråkø, naïve, 出航 🚢", "Kråkø, naïve, 出航 🚢"},
		{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"title of the window", "\x1b]0;gone\x07", "␛]0;gone␇"},
		{"C1 introducer", "\u009b31m", "<U+009B>31m"},
		{"raw C1 byte", "\x9b31m", "\uFFFD31m"},
		{"carriage return", "good\rbad", "good␍bad"},
		{"backspace and delete", "a\bb\x7f", "a␈b␡"},
		{"NUL", "a\x00b", "a␀b"},
		{"override of the direction", "a\u202Ecod.exe", "a<U+202E>cod.exe"},
		{"isolate", "\u2066a\u2069", "<U+2066>a<U+2069>"},
		{"line breaks", "a\nb\u2028c\td", "a b c d"},
		{"joined emoji stays whole", "👩‍🚀", "👩‍🚀"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Clean(test.text); got != test.want {
				t.Errorf("Clean(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestCleanLines(t *testing.T) {
	got := CleanLines("one\r\n\ttwo\n\nab\tc\x1b[2J\n")
	want := []string{"one", "    two", "", "ab  c␛[2J"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever a memory holds, nothing of it steers the terminal, and a page
// without colours has no escape at all.
func TestNothingSteersTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		var out strings.Builder
		p := NewPage(&out, rapid.IntRange(0, 40).Draw(t, "width"), false)
		p.Line(show.Cell{Text: text, Role: show.Strong})
		p.Block("  ", text)
		p.Item("- ", show.Cell{Text: text, Role: show.Match})
		p.Table(show.Table{Columns: []show.Column{{Head: "a", Min: 4}, {Head: "b"}}, Rows: [][]show.Cell{{Text(text), Text("x")}}})
		p.Tree(&Node{Line: []show.Cell{Text(text)}, Children: []*Node{{Line: []show.Cell{Text(text)}}}})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%q let %U through", text, r)
			}
		}
	})
}

// Cleaned JSON says the same, and is safe to show.
func TestCleanJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{rapid.String().Draw(t, "key"): rapid.String().Draw(t, "value") + "\u009b\u202e\x7f"}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		clean := CleanJSON(string(text))
		if strings.IndexFunc(clean, steers) >= 0 {
			t.Fatalf("%q is not safe", clean)
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(clean), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
