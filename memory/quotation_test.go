package memory

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"hence/internal/script"
)

// Whether a text repeats another agrees with a look at each run of each.
func TestQuotationsAreTheNaiveLook(t *testing.T) {
	parts := []string{"Ferry", "ferry", "quay", "rope", "gull", "don't", " ", "  ", "\n", ", ", "中", "京都", "が", "\u00ad", "e\u0301", "7"}
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		said := text.Draw(t, "text")
		kept := quotations{wording: readWording(said)}
		for range 3 {
			other := text.Draw(t, "other")
			if got, want := kept.repeats(other), naivelyRepeats(said, other); got != want {
				t.Fatalf("%q repeats %q: %v, want %v", said, other, got, want)
			}
		}
	})
}

func naivelyRepeats(text, other string) bool {
	words, others := naiveWords(text), naiveWords(other)
	characters := 0
	for _, word := range others {
		if script.IsSpaceless([]rune(word)[0]) {
			characters++
		}
	}
	size := min(quotation, len(others))
	if 2*characters > len(others) {
		size = min(2*quotation, len(others))
	}
	if size < quotation/2 {
		return false
	}
	all := "|" + strings.Join(words, "|") + "|"
	for at := range len(others) - size + 1 {
		if strings.Contains(all, "|"+strings.Join(others[at:at+size], "|")+"|") {
			return true
		}
	}
	return false
}

func naiveWords(text string) []string {
	var spaced strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case script.IsSpaceless(c):
			spaced.WriteString(" " + string(c) + " ")
		case unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c):
			spaced.WriteRune(c)
		case !unicode.Is(unicode.Cf, c):
			spaced.WriteByte(' ')
		}
	}
	return strings.Fields(spaced.String())
}
