package main

import (
	"slices"
	"testing"
)

func TestLaunchedBy(t *testing.T) {
	for text, want := range map[string][]string{
		``:                     nil,
		`[]`:                   nil,
		`[""]`:                 nil,
		`[1]`:                  nil,
		`{"a": 1}`:             nil,
		`npx`:                  nil,
		`["npx","-y","hence"]`: {"npx", "-y", "hence"},
	} {
		if got := launchedBy(func(string) string { return text }); !slices.Equal(got, want) {
			t.Errorf("launchedBy(%q) = %q, want %q", text, got, want)
		}
	}
}
