package spelling

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
)

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"ferry", "ferry", 0}, {"fery", "ferry", 1}, {"ferrry", "ferry", 1}, {"fexry", "ferry", 1}, {"frery", "ferry", 1},
		{"ferri", "frery", 2}, {"ærø", "æro", 1}, {"efrry", "ferry", 1}, {"", "ferry", 5}, {"ferry", "", 5},
	} {
		if got := NewRuler(c.a).Distance([]rune(c.b)); got != c.want {
			t.Errorf("between %s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// Any one mistake at any place counts as one, in both directions.
func TestBetween_OneIsOne(t *testing.T) {
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
		if there, back := NewRuler(string(word)).Distance(wrong), NewRuler(string(wrong)).Distance(word); there != 1 || back != 1 {
			t.Fatalf("%s, %s: %d there and %d back, want 1", string(word), string(wrong), there, back)
		}
	})
}

// naive returns the distance by its definition.
func naive(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	last := naive(a[:i], b[:j])
	if a[i] != b[j] {
		last++
	}
	least := min(last, naive(a[:i], b)+1, naive(a, b[:j])+1)
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		least = min(least, naive(a[:i-1], b[:j-1])+1)
	}
	return least
}

// A ruler that is used several times agrees with the definition, for whole texts and for parts.
func TestRuler_CountsByTheDefinition(t *testing.T) {
	text := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		word := text.Draw(t, "word")
		r := NewRuler(word)
		for _, other := range rapid.SliceOfN(text, 1, 3).Draw(t, "others") {
			letters := []rune(other)
			if got, want := r.Distance(letters), naive([]rune(word), letters); got != want {
				t.Fatalf("between %q and %q: %d, want %d", word, other, got, want)
			}
			if r.Least() > r.Mistakes() {
				t.Fatalf("between %q and %q: at least %d and yet %d", word, other, r.Least(), r.Mistakes())
			}
			part := len([]rune(word))
			for from := range letters {
				for to := from; to <= len(letters); to++ {
					part = min(part, naive([]rune(word), letters[from:to]))
				}
			}
			if got := r.DistanceWithin(letters); got != part {
				t.Fatalf("%q within %q: %d, want %d", word, other, got, part)
			}
		}
	})
}

// OfStem compares with the most similar of the words that have the stem.
func TestOfStem(t *testing.T) {
	for _, c := range []struct {
		word, stem string
		allowed    int
		want       int
	}{
		{"pickachu", "pikachu", 2, 1},
		{"reservaton", "reserv", 2, 1},
		{"happyness", "happi", 2, 1},
		{"stoping", "stop", 1, 0},
		{"stopping", "stop", 2, 0},
		{"acitng", "act", 1, 1},
		{"automobile", "automobil", 2, 0},
		{"ferry", "ferri", 1, 0},
		{"ferry", "ford", 1, 2},
		{"recieve", "receiv", 1, 1},
		{"fersy", "ferri", 1, 1},
		{"writng", "write", 1, 1},
		{"possibilty", "possibl", 2, 1},
	} {
		r := NewRuler(c.word)
		for range 2 { // and again with the same ruler
			if got := r.OfStem([]rune(c.stem), c.allowed); got != c.want {
				t.Errorf("%s of the stem %s: %d mistakes, want %d", c.word, c.stem, got, c.want)
			}
		}
	}
}

func TestAllowed(t *testing.T) {
	for word, want := range map[string]int{"cat": 0, "cats": 1, "pikachu": 1, "pickachu": 2, "2025": 0, "m365": 0, "utf8xy": 1, "ærøs": 1, "": 0} {
		if got := MaxMistakes(word); got != want {
			t.Errorf("%q: %d, want %d", word, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"limit", "list", "kinds", "status", "since", "supersedes"}
	for word, want := range map[string][]string{
		"lmit": {"limit"}, "limits": {"limit"}, "stauts": {"status"}, "superceeds": {"supersedes"}, "since": {"since"}, "lst": {}, "nothing": {},
	} {
		if got := Nearest(word, words); !slices.Equal(got, want) {
			t.Errorf("near %s: %v, want %v", word, got, want)
		}
	}
}
