package tools

import (
	"strings"
	"testing"

	"hence/memory/recall"
)

// A total that is a lower bound is told as one.
func TestTellFound_TotalIsALowerBound(t *testing.T) {
	for want, r := range map[string]recall.SearchResult{
		`10 of at least 1000 memories for "links"`: {Query: "links", TotalCount: 1000, ReturnedCount: 10},
		`10 of 1000 memories for "links"`:          {Query: "links", TotalCount: 1000, ReturnedCount: 10, TotalIsExact: true},
	} {
		if got, _, _ := strings.Cut(tellFound(r), "\n"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
