package briefing

import "testing"

func TestDecidedIsBelowTheHeading(t *testing.T) {
	for content, want := range map[string]string{
		"## Context\n\nSlow.\n\n## Decision\n\nUse a cache.\n\n## More\n\nx": "\n\nUse a cache.\n",
		"# Context\nSlow.\n### The decision:\nUse a cache.":                  "\nUse a cache.",
		"## Context\nSlow.\n## Decision Outcome\r\nUse a cache.":             "\nUse a cache.",
		"## Decision\n\n## Context\nSlow.":                                   "## Decision\n\n## Context\nSlow.",
		"## Decision drivers\nSlow.":                                         "## Decision drivers\nSlow.",
		"The decision\nUse a cache.":                                         "The decision\nUse a cache.",
	} {
		if got := findDecision(content); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}
