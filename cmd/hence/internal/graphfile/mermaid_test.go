package graphfile

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/cmd/hence/internal/screen"
	_ "hence/internal/repeattest"
)

var (
	mermaidQuotes = `"((?:[^\x00-\x7f]|[A-Za-z0-9 ,/'-]|#\d+;)*)"`
	mermaidNode   = regexp.MustCompile(`^  n\d+(?:\(` + mermaidQuotes + `\)|\[` + mermaidQuotes + `\])(?::::[a-z]+)?$`)
	mermaidEdge   = regexp.MustCompile(`^  n\d+ --[->]\|` + mermaidQuotes + `\| n\d+$`)
	mermaidEntity = regexp.MustCompile(`#(\d+);`)
)

// Whatever titles hold, each line is one statement, whose label says them
// without a character that is a mark to Mermaid.
func TestMermaid_LabelsAreLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hostileGraph(t)
		lines := strings.Split(g.Mermaid(), "\n")[1:]
		for i, n := range g.Nodes {
			mermaidSays(t, mermaidNode, lines[i], n.Title)
		}
		for i, e := range g.Edges {
			mermaidSays(t, mermaidEdge, lines[len(g.Nodes)+i], e.Label)
		}
		for _, line := range lines[len(g.Nodes)+len(g.Edges):] {
			if line != "" && !strings.HasPrefix(line, "  classDef ") {
				t.Fatalf("%q is one line too many", line)
			}
		}
	})
}

func mermaidSays(t *rapid.T, statement *regexp.Regexp, line, label string) {
	t.Helper()
	match := statement.FindStringSubmatch(line)
	if match == nil {
		t.Fatalf("%q is not the statement that it should be", line)
	}
	got := mermaidEntity.ReplaceAllStringFunc(strings.Join(match[1:], ""), func(entity string) string {
		code, _ := strconv.Atoi(entity[1 : len(entity)-1])
		return string(rune(code))
	})
	if want := strings.TrimSpace(screen.Clean(label)); got != want {
		t.Fatalf("%q is labelled %q, want %q", line, got, want)
	}
}

// A hyphen at the start would make a list of the label.
func TestMermaid_LeadingHyphen(t *testing.T) {
	if got, want := quoted(" - a-b"), `"#45; a-b"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
