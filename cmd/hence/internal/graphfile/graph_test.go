package graphfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// nasty is a graph whose titles would be more than labels, if they could.
func nasty() Graph {
	return Graph{
		Nodes: []Node{
			{ID: "id-0", Title: `The "seed"]; n9[label=x] \N &lt; --> end`, Kind: "decision", Status: "current"},
			{ID: `id "1" --> <x>`, Title: "two\nlines\r\nand a \x1b[31mcolour\u202e", Kind: "fact", Status: "superseded", Hop: 1},
			{ID: "id-2", Title: `a "note" [[of]] #tags`, Kind: "note", Status: "current", URI: "obsidian-fs://v/a/x & y.md", File: "a/x & y.md", Hop: 1, Stale: true},
			{ID: "id-3", Title: "![](https://example.org/a.png) [[link]] #tag %%gone%% </data>", Kind: "#kind", Status: "current", Hop: 2, Stale: true},
			{ID: "id-4", Title: "- 出航 🚢 ]]> `%%{init: {}}%%`", Status: "forgotten", Hop: 2},
			{ID: "id-5", Title: "  ", Kind: "fact", Status: "current", Hop: -1},
		},
		Edges: []Edge{
			{From: "id-0", To: `id "1" --> <x>`, Type: "causes", Label: "causes"},
			{From: "id-2", To: "id-0", Type: "refers-to", Rel: `"|] owner`, Label: `refers-to ("|] owner)`},
			{From: "id-2", To: "id-3", Type: "contradicts", Label: "contradicts", Symmetric: true},
			{From: `id "1" --> <x>`, To: "id-2", Type: "causes", Label: "causes"},
			{From: "id-2", To: `id "1" --> <x>`, Type: "causes", Label: "causes"},
			{From: "id-4", To: "id-5", Type: "supports", Label: "supports"},
		},
	}
}

// written returns a graph in a format.
func written(t interface{ Fatal(...any) }, f Format, g Graph) string {
	var b strings.Builder
	if err := Write(&b, f, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The files in testdata are what Write made of nasty. UPDATE=1 makes them
// again; look at the difference.
func TestWrite(t *testing.T) {
	for _, name := range Formats() {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "nasty."+name)
			got := written(t, Format(name), nasty())
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
		})
	}
}

func TestGraph_HoldsEachNodeAndEdgeOnce(t *testing.T) {
	var g Graph
	for range 2 {
		g.AddNode(Node{ID: "a", Title: "A"})
		g.AddNode(Node{ID: "b", Title: "B"})
		g.AddEdge(Edge{From: "a", To: "b", Type: "causes"})
		g.AddEdge(Edge{From: "a", To: "b", Type: "causes", Rel: "in part"})
	}
	g.AddNode(Node{ID: "a", Title: "another"})
	want := Graph{
		Nodes: []Node{{ID: "a", Title: "A"}, {ID: "b", Title: "B"}},
		Edges: []Edge{{From: "a", To: "b", Type: "causes"}, {From: "a", To: "b", Type: "causes", Rel: "in part"}},
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
			ID: number("id-", i), Title: hostile(t, "title") + "x", Kind: hostile(t, "kind"), Status: "current",
			Hop: rapid.IntRange(-2, 2).Draw(t, "hop"),
		})
		if i > 0 {
			rel := hostile(t, "rel")
			g.AddEdge(Edge{From: number("id-", i-1), To: number("id-", i), Type: "causes", Rel: rel, Label: "causes (" + rel + ")"})
		}
	}
	return g
}
