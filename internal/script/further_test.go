package script_test

import (
	"testing"

	"pgregory.net/rapid"

	"hence/internal/script"
)

// A text is not read word by word if a look at its bytes shows that it has nothing to add. A character that adds
// nothing makes sure that it is read.
func TestFurtherPassesOverPlainTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abAB3_-$'. [\n")), 0, 12, -1).Draw(t, "text")
		if got, want := script.Further(text), script.Further(text+" 日"); got != want {
			t.Fatalf("%q gives %q, want %q", text, got, want)
		}
	})
	if got := script.Further("a getUserByID", "cost $5"); got != "get User By ID u24" {
		t.Errorf("of an identifier and a sign: %q", got)
	}
}
