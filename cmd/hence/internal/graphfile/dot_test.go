package graphfile

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/cmd/hence/internal/screen"
)

var (
	dotQuotes = `"((?:[^"\\\n]|\\["\\])*)"`
	dotNode   = regexp.MustCompile(`^  n\d+ \[label=` + dotQuotes + `, shape=(?:box|note), style="[a-z,]+"(?:, (?:font)?color=[a-z0-9]+)*\];$`)
	dotEdge   = regexp.MustCompile(`^  n\d+ -> n\d+ \[label=` + dotQuotes + `(?:, dir=none)?\];$`)
)

// Whatever titles hold, each line is one statement, whose label says them.
func TestDOT_LabelsAreLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hostileGraph(t)
		lines := strings.Split(written(t, DOT, g), "\n")[4:]
		for i, n := range g.Nodes {
			dotSays(t, dotNode, lines[i], n.Title)
		}
		for i, e := range g.Edges {
			dotSays(t, dotEdge, lines[len(g.Nodes)+i], e.Label)
		}
		if rest := strings.Join(lines[len(g.Nodes)+len(g.Edges):], "\n"); rest != "}\n" {
			t.Fatalf("it ends with %q", rest)
		}
	})
}

func dotSays(t *rapid.T, statement *regexp.Regexp, line, label string) {
	t.Helper()
	match := statement.FindStringSubmatch(line)
	if match == nil {
		t.Fatalf("%q is not the statement that it should be", line)
	}
	got := strings.NewReplacer(`\\`, `\`, `\"`, `"`, "&amp;", "&").Replace(match[1])
	if want := screen.Clean(label); got != want {
		t.Fatalf("%q is labelled %q, want %q", line, got, want)
	}
}

func TestDOT_GraphvizReadsIt(t *testing.T) {
	program, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("there is no dot (Graphviz) on this machine")
	}
	cmd := exec.Command(program, "-Tsvg")
	cmd.Stdin = strings.NewReader(written(t, DOT, nasty()))
	svg, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`The &quot;seed&quot;]; n9[label=x] \N &amp;lt; &#45;&#45;&gt; end`, "出航 🚢"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("%q is not in the picture", want)
		}
	}
}
