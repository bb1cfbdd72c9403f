package main

import (
	"strings"
	"testing"

	"hence/cmd/hence/internal/screen"
	"hence/tools/httpserve/token"
)

// A token is revoked by its name, so that a narrow window does not cut it.
func TestDrawTokens_NamesAreWhole(t *testing.T) {
	var out strings.Builder
	names := []string{"ci", "the-agent-that-reviews-what-others-have-written-at-night"}
	v := &view{Page: screen.NewPage(&out, 60, false)}
	drawTokens(v, []token.Token{{Name: names[0], Namespace: "a namespace that may be cut"}, {Name: names[1]}})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(out.String(), "\n"+name+" ") {
			t.Errorf("%q is not there whole:\n%s", name, &out)
		}
	}
}
