package budget_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"hence/internal/budget"
	"hence/internal/fault"
	_ "hence/internal/repeattest"
)

type answer struct {
	Entries   []string `json:"entries"`
	Truncated bool     `json:"truncated"`
}

func build(texts []string) func(n, bytes int) answer {
	return func(n, bytes int) answer {
		a := answer{Entries: []string{}, Truncated: n < len(texts)}
		for _, t := range texts[:n] {
			short, cut := budget.Cut(t, bytes)
			a.Entries = append(a.Entries, short)
			a.Truncated = a.Truncated || cut
		}
		return a
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 1, "a": 1, "ab": 1, "abc": 2, "é": 1, "éé": 2, "éé é": 3} {
		got, err := budget.Tokens(text) // its JSON has two quotes
		if err != nil || got != want {
			t.Errorf("Tokens(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	if _, err := budget.Tokens(func() {}); err == nil {
		t.Error("no error for what has no JSON")
	}
}

func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-zé<" ]{0,400}`), 0, 8).Draw(t, "texts")
		limit := rapid.OneOf(rapid.Just(0), rapid.IntRange(budget.Min, 1200)).Draw(t, "budget")
		got, err := budget.Fit(t.Context(), limit, len(texts), build(texts))
		if err != nil {
			t.Fatal(err)
		}
		cost, _ := budget.Tokens(got)
		whole, _ := budget.Tokens(build(texts)(len(texts), budget.Whole))
		if limit == 0 || whole <= limit {
			if got.Truncated || len(got.Entries) != len(texts) {
				t.Fatalf("all of it costs %d of %d, and %d of %d entries are left", whole, limit, len(got.Entries), len(texts))
			}
			return
		}
		if cost > limit {
			t.Fatalf("costs %d of %d", cost, limit)
		}
		if !got.Truncated {
			t.Fatal("not all, and not said to be truncated")
		}
		if len(got.Entries) == 0 {
			t.Fatal("the first entry is dropped, not cut")
		}
		// One more entry must not fit.
		next := build(texts)(min(len(got.Entries)+1, len(texts)), budget.Whole)
		if c, _ := budget.Tokens(next); len(got.Entries) < len(texts) && c <= limit && got.Entries[0] == texts[0] {
			t.Fatalf("one entry more costs %d of %d", c, limit)
		}
	})
}

// The budget applies to the first entry too: its text is cut.
func TestFit_FirstEntryIsCut(t *testing.T) {
	texts := []string{strings.Repeat("word ", 10_000), "second"}
	got, err := budget.Fit(t.Context(), 100, len(texts), build(texts))
	if err != nil {
		t.Fatal(err)
	}
	cost, _ := budget.Tokens(got)
	if len(got.Entries) != 1 || !strings.HasSuffix(got.Entries[0], "word…") || cost > 100 || cost < 95 {
		t.Errorf("costs %d: %q", cost, got.Entries)
	}
}

// Without entries to drop or cut, the other parts of the result are dropped.
func TestFit_NoEntries(t *testing.T) {
	got, err := budget.Fit(t.Context(), 100, 0, func(n, bytes int) answer {
		if n > 0 {
			t.Fatal("asked for an entry that there is not")
		}
		if bytes == 0 {
			return answer{Truncated: true}
		}
		return answer{Entries: []string{strings.Repeat("warning ", 1000)}}
	})
	if err != nil || !got.Truncated {
		t.Errorf("got %d entries, %v", len(got.Entries), err)
	}
}

func TestFit_Error(t *testing.T) {
	_, err := budget.Fit(t.Context(), 100, 1, func(int, int) any { return func() {} })
	var want *json.UnsupportedTypeError
	if err == nil {
		t.Errorf("no error, want %T", want)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
		cut  bool
	}{
		{"", 0, "", false},
		{"one two", 7, "one two", false},
		{"one two three", 12, "one two…", true},
		{"one two three", 10, "one two…", true},
		{"one two three", 9, "one…", true},
		{"one, two", 7, "one,…", true},
		{"abcdefgh", 7, "abcd…", true},
		{"ééééé", 8, "éé…", true},
		{"ééééé", 7, "éé…", true},
		{"日本語日本語", 10, "日本…", true},
		{" abcdefgh", 7, " abc…", true},
		{"abc", 2, "", true},
		{"abc", 0, "", true},
	} {
		got, cut := budget.Cut(c.text, c.n)
		if got != c.want || cut != c.cut {
			t.Errorf("Cut(%q, %d) = %q, %v, want %q, %v", c.text, c.n, got, cut, c.want, c.cut)
		}
	}
}

func TestCut_Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := rapid.IntRange(0, 40).Draw(t, "n")
		got, cut := budget.Cut(text, n)
		switch {
		case cut != (len(text) > n):
			t.Fatalf("cut is %v", cut)
		case !cut && got != text:
			t.Fatalf("not cut, and %q", got)
		case len(got) > n || !utf8.ValidString(got):
			t.Fatalf("%q has %d bytes", got, len(got))
		}
		if head, marked := strings.CutSuffix(got, "…"); cut && got != "" {
			if !marked || !strings.HasPrefix(text, head) || head != strings.TrimRightFunc(head, unicode.IsSpace) {
				t.Fatalf("cut to %q", got)
			}
		}
	})
}

func TestHold_RefusesWhatCannotBeCut(t *testing.T) {
	whole := func(n, bytes int) map[string]string { return map[string]string{"id": strings.Repeat("x", 400)} }
	_, err := budget.Hold(t.Context(), "do", 64, 0, whole)
	if want := "do: token_budget is 64, and an answer without entries takes 103; raise it"; fault.CodeOf(err) != fault.TooLarge || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, enough := range []int{0, 103} {
		if _, err := budget.Hold(t.Context(), "do", enough, 0, whole); err != nil {
			t.Errorf("%d tokens: %v", enough, err)
		}
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		entries       int
		lengths, want []int
	}{
		{0, []int{2, 1}, []int{0, 0}},
		{2, []int{2, 0, 1}, []int{1, 0, 1}},
		{4, []int{5, 1, 2}, []int{2, 1, 1}},
		{9, []int{2, 1}, []int{2, 1}},
		{3, []int{}, []int{}},
	} {
		if got := budget.Share(c.entries, c.lengths...); !slices.Equal(got, c.want) {
			t.Errorf("Share(%d, %v) = %v, want %v", c.entries, c.lengths, got, c.want)
		}
	}
}
