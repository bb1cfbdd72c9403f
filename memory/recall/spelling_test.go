package recall

import (
	"testing"

	"pgregory.net/rapid"
)

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"ferry", "ferry", 0}, {"fery", "ferry", 1}, {"ferrry", "ferry", 1}, {"fexry", "ferry", 1}, {"frery", "ferry", 1},
		{"ferri", "frery", 2}, {"ærø", "æro", 1}, {"berry", "ferry", 10},
	} {
		if got := mistakes([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("mistakes(%s, %s) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// One mistake is counted as one, whichever it is and wherever it stands, and
// both ways.
func TestMistakes_OneIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := []rune("q" + rapid.StringMatching(`[a-f]{3,12}`).Draw(t, "word"))
		at := rapid.IntRange(1, len(word)-2).Draw(t, "at")
		var wrong []rune
		switch rapid.IntRange(0, 3).Draw(t, "mistake") {
		case 0:
			wrong = append(append(wrong, word[:at]...), word[at+1:]...)
		case 1:
			wrong = append(append(append(wrong, word[:at]...), 'x'), word[at:]...)
		case 2:
			wrong = append(append(append(wrong, word[:at]...), 'x'), word[at+1:]...)
		default:
			if word[at] == word[at+1] {
				t.Skip("two of the same letter")
			}
			wrong = append(append(append(wrong, word[:at]...), word[at+1], word[at]), word[at+2:]...)
		}
		if there, back := mistakes(word, wrong), mistakes(wrong, word); there != 1 || back != 1 {
			t.Fatalf("%s, %s: %d there and %d back, want 1", string(word), string(wrong), there, back)
		}
	})
}
