package note_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hence/vault/note"
)

// FuzzFrontmatter tests that for any text between the fences, the text below them is read as
// if there were no frontmatter, and that the properties stay the same when they are written
// as JSON and read again.
func FuzzFrontmatter(f *testing.F) {
	for _, seed := range []string{
		"a: \"[[b]]\"\ntags: [c, '#d/e']\naliases: x\n", "a: &x [1, 0x1F, 1e999, .nan, 2026-01-01]\nb: *x\n", "? [a, {b: c}]\n: d\n", "a: |\n  x\n\n  y\nb: >-\n z\n",
		"<<: {a: 1}\na: 2\na: 3\n", "a: !!binary aGk=\nb: !x y\n", "\ta: b\n", "a: \"\\ud800\\u0000\"\n", "up:: [[x]]\n", "a:\n- [[[x]]]\n- {y: [[z]]}\n", "%YAML 1.1\n", "{a: [b, }\n", "\xff: \xfe\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, yaml string) {
		const below = "# One\n\n[[Two]] #three\n"
		src := []byte("---\n" + yaml + "\n---\n" + below)
		n := note.Parse(src)
		checkNote(t, src, n)
		checkSections(t, src, n)
		if slices.ContainsFunc(strings.Split(yaml, "\n"), func(line string) bool { return strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...") }) {
			return // the frontmatter ends earlier
		}
		if last := strings.Count(yaml, "\n") + 3; n.Frontmatter.Last != last {
			t.Fatalf("the frontmatter ends on line %d, want %d", n.Frontmatter.Last, last)
		}
		if body := src[len(src)-len(below):]; len(n.Headings) != 1 || !slices.ContainsFunc(n.Links, func(l note.Link) bool {
			return l.Target == "Two" && string(src[l.Span.Start.Offset:l.Span.End.Offset]) == "[[Two]]" && l.Span.Start.Offset >= len(src)-len(body)
		}) {
			t.Errorf("the text below is read as %+v, %+v", n.Headings, n.Links)
		}
		once, err := json.Marshal(n.Properties)
		if err != nil {
			t.Fatal(err)
		}
		var again map[string]any
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatal(err)
		}
		if twice, err := json.Marshal(again); err != nil || string(twice) != string(once) && !strings.ContainsAny(string(once), "0123456789") {
			t.Errorf("the properties %s are %s the second time, %v", once, twice, err)
		}
	})
}
