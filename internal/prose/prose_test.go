package prose_test

import (
	"maps"
	"testing"

	"hence/internal/prose"
)

func TestOneLine(t *testing.T) {
	if got := prose.OneLine(" one\n\ttwo  three "); got != "one two three" {
		t.Errorf("one line is %q", got)
	}
}

func TestWords(t *testing.T) {
	if got := prose.Words("one two\none "); !maps.Equal(got, map[string]bool{"one": true, "two": true}) {
		t.Errorf("the words are %v", got)
	}
}
