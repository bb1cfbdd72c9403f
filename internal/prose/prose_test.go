package prose_test

import (
	"testing"

	"hence/internal/prose"
)

func TestOneLine(t *testing.T) {
	if got := prose.OneLine(" one\n\ttwo  three "); got != "one two three" {
		t.Errorf("one line is %q", got)
	}
}

func TestWords(t *testing.T) {
	has := prose.Words("one two\none ")
	for word, want := range map[string]bool{"one": true, "two": true, "three": false, "": false} {
		if has(word) != want {
			t.Errorf("%q: %t", word, !want)
		}
	}
}
