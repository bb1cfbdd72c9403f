package graphfile

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// nasty is a graph whose titles would be more than labels, if they could.
func nasty() Graph {
	return Graph{
		Nodes: []Node{
			{ID: "id-0", Title: `The "seed"]; n9[label=x] \N &lt; --> end`, Status: "current"},
			{ID: `id "1" --> <x>`, Title: "two\nlines\r\nand a \x1b[31mcolour\u202e", Status: "superseded"},
			{ID: "id-2", Title: `a "note" [[of]] #tags`, Status: "current", Note: true, Stale: true},
			{ID: "id-3", Title: "![](https://example.org/a.png) [[link]] #tag %%gone%% </data>", Status: "current", Stale: true},
			{ID: "id-4", Title: "- 出航 🚢 ]]> `%%{init: {}}%%`", Status: "forgotten"},
			{ID: "id-5", Title: "  ", Status: "current"},
		},
		Edges: []Edge{
			{From: "id-0", To: `id "1" --> <x>`, Label: "causes"},
			{From: "id-2", To: "id-0", Label: `refers-to ("|] owner)`},
			{From: "id-2", To: "id-3", Label: "contradicts", Symmetric: true},
			{From: `id "1" --> <x>`, To: "id-2", Label: "causes"},
			{From: "id-2", To: `id "1" --> <x>`, Label: "causes"},
			{From: "id-4", To: "id-5", Label: "supports"},
		},
	}
}

// The file in testdata is what Mermaid made of nasty. UPDATE=1 makes it
// again; look at the difference.
func TestMermaid(t *testing.T) {
	const file = "testdata/nasty.mermaid"
	got := nasty().Mermaid()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestGraph_HoldsEachNodeAndEdgeOnce(t *testing.T) {
	var g Graph
	for range 2 {
		g.AddNode(Node{ID: "a", Title: "A"})
		g.AddNode(Node{ID: "b", Title: "B"})
		g.AddEdge(Edge{From: "a", To: "b"})
		g.AddEdge(Edge{From: "a", To: "b", Label: "in part"})
	}
	g.AddNode(Node{ID: "a", Title: "another"})
	want := Graph{
		Nodes: []Node{{ID: "a", Title: "A"}, {ID: "b", Title: "B"}},
		Edges: []Edge{{From: "a", To: "b"}, {From: "a", To: "b", Label: "in part"}},
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Error(diff)
	}
}

// hostile draws a text that may be anything, and likes what the formats know.
func hostile(t *rapid.T, name string) string {
	pieces := []string{
		`"`, `\`, "`", "[", "]", "[[", "]]", "(", ")", "{", "}", "|", "<", ">", "&", "&amp;", ";", "#", "#35;", "%%", "-->", "---", "- ",
		"1. ", "!", "*", "_", "~~", "==", "$$", "^", ":", "::", "@", "\n", "\r\n", "\t", "\x00", "\x1b[0m", "\u009b", "\u202e", "\u2028",
		"]]>", "<!--", "</data>", `\N`, `\"`, "end", "style a:b", "https://example.org", "#tag", "x", "Ø", "🚢", " ", "\ufffe",
	}
	piece := rapid.OneOf(rapid.SampledFrom(pieces), rapid.String())
	return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, name), "")
}

// hostileGraph draws a chain of memories with any titles.
func hostileGraph(t *rapid.T) (g Graph) {
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		g.AddNode(Node{
			ID: fmt.Sprint("id-", i), Title: hostile(t, "title") + "x", Status: "current",
		})
		if i > 0 {
			rel := hostile(t, "rel")
			g.AddEdge(Edge{From: fmt.Sprint("id-", i-1), To: fmt.Sprint("id-", i), Label: "causes (" + rel + ")"})
		}
	}
	return g
}
