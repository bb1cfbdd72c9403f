package secret

import (
	"strings"
	"testing"
)

// Every line of the rules is read, and its expressions compile.
func TestRulesAreRead(t *testing.T) {
	lines := func(text string) (n int) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				n++
			}
		}
		return n
	}
	n := 0
	for _, shapes := range byFirst {
		for _, s := range shapes {
			s.expression()
			n++
		}
	}
	if want := lines(shapesText); n != want || n < 100 {
		t.Errorf("%d shapes of %d lines", n, want)
	}
	for _, m := range marks {
		if m.before(); m.after().NumSubexp() > 1 || m.back == 0 {
			t.Errorf("%+v", m)
		}
	}
	if want := lines(marksText); len(marks) != want || want < 5 {
		t.Errorf("%d marks of %d lines", len(marks), want)
	}
}
