package tokens_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
	"hence/projection/tokens"
)

func TestOf(t *testing.T) {
	plain := tokens.Of([]string{"func", "add", "(", "a", ")"}, "add")
	for _, c := range []struct {
		name string
		got  tokens.Sum
		same bool
	}{
		{"another name is masked", tokens.Of([]string{"func", "sum", "(", "a", ")"}, "sum"), true},
		{"another token", tokens.Of([]string{"func", "add", "(", "b", ")"}, "add"), false},
		{"another order", tokens.Of([]string{"func", "(", "add", "a", ")"}, "add"), false},
		{"two tokens in one", tokens.Of([]string{"func", "add", "(a", ")"}, "add"), false},
		{"a name in the text that is not its own", tokens.Of([]string{"func", "sum", "(", "a", ")"}, "add"), false},
	} {
		if same := c.got.Hash == plain.Hash; same != c.same {
			t.Errorf("%s: the same hash: %v, want %v", c.name, same, c.same)
		}
	}
}

// For up to 64 different tokens the similarity is exactly that of the multisets.
func TestSimilarityOfShortTextsIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "if", "{", "}"}), 0, 30)
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		got := tokens.Similarity(tokens.Of(a, ""), tokens.Of(b, ""))
		if want := dice(a, b); math.Abs(got-want) > 1e-9 {
			t.Fatalf("similarity %v, want %v", got, want)
		}
	})
}

func TestSimilarityOfLongTextsIsNear(t *testing.T) {
	for _, share := range []int{0, 400, 800, 950, 1000} {
		a, b := []string{}, []string{}
		for i := range 1000 {
			a = append(a, fmt.Sprint("x", i))
			if i < share {
				b = append(b, fmt.Sprint("x", i))
			} else {
				b = append(b, fmt.Sprint("y", i))
			}
		}
		got, want := tokens.Similarity(tokens.Of(a, ""), tokens.Of(b, "")), dice(a, b)
		if math.Abs(got-want) > 0.2 {
			t.Errorf("%d of 1000 tokens in common: similarity %.2f, want about %.2f", share, got, want)
		}
	}
}

func dice(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common, rest := 0, slices.Clone(b)
	for _, text := range a {
		if i := slices.Index(rest, text); i >= 0 {
			common++
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}
