package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hence/cmd/hence/internal/screen"
	"hence/internal/ref"
	"hence/memory"
	"hence/tools/show"
)

// A list of memories stays within the window, whatever columns it needs.
func TestDrawListStaysWithinTheWindow(t *testing.T) {
	const long = "area/booking/holds/of/the/summer"
	one := memory.Summary{
		ID: "01a204ac-f02a-79c3-9ad9-cd24807b05a6", Kind: "a-kind-of-its-own", Title: "Tie holds to the payment attempt and not to the clock", Tags: []string{long},
		Status: memory.Current, Origin: "agent", Actor: "claude-code", URI: "obsidian-fs://vault/decisions/2026/Tie%20holds%20to%20the%20payment.md", UpdatedAt: "2026-03-11T10:00:00.000Z",
	}
	contradicted, other := one, one
	contradicted.ContradictedBy = []ref.End{{}}
	other.Origin, other.Actor = "person", "ada"
	for name, all := range map[string]show.Summaries{
		"Plain": {one, one}, "Contradicted": {one, contradicted}, "ByTwo": {one, other}, "All": {one, other, contradicted},
	} {
		tables := 0
		for width := 40; width < 200; width++ {
			var out strings.Builder
			v := &view{Page: screen.NewPage(&out, width, false)}
			v.list(all)
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Fatalf("%s: %d columns in a window of %d:\n%s", name, n, width, &out)
				}
			}
			if strings.HasPrefix(out.String(), "changed ") {
				tables++
			}
		}
		if tables < 50 {
			t.Errorf("%s: only %d of the windows show a table", name, tables)
		}
	}
}
