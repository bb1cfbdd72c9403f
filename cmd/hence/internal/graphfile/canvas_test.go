package graphfile

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
	"hence/vault/note"
)

var escaped = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

// Any title comes back from the file, and is to Obsidian a text without links
// or tags.
func TestCanvas_HoldsAnyTitle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hostileGraph(t)
		text := written(t, Canvas, g)
		var file canvasFile
		if err := json.Unmarshal([]byte(text), &file); err != nil {
			t.Fatal(err)
		}
		for i, n := range g.Nodes {
			want := n.Title
			if n.Kind != "" {
				want += "\n\n*" + n.Kind + "*"
			}
			if got := escaped.ReplaceAllString(file.Nodes[i].Text, "$1"); got != strings.ToValidUTF8(want, "\ufffd") {
				t.Fatalf("%q became %q", want, got)
			}
		}
		for i, e := range g.Edges {
			if got := file.Edges[i]; got.From != e.From || got.To != e.To || got.Label != e.Label {
				t.Fatalf("%+v became %+v", e, got)
			}
		}
		read, err := note.ParseCanvas([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(read.Links)+len(read.Tags) > 0 {
			t.Fatalf("there are links %+v or tags %+v in %s", read.Links, read.Tags, text)
		}
	})
}

// Our own reader finds the notes.
func TestCanvas_IsOneForObsidian(t *testing.T) {
	g := nasty()
	g.AddNode(Node{ID: "id-6", Title: "y", File: "b/y.md", Status: "current"})
	g.AddEdge(Edge{From: "id-6", To: "id-2", Type: "causes", Label: "causes"})
	read, err := note.ParseCanvas([]byte(written(t, Canvas, g)))
	if err != nil {
		t.Fatal(err)
	}
	files := []string{}
	for _, l := range read.Links {
		files = append(files, l.Target)
	}
	if diff := cmp.Diff([]string{"a/x & y.md", "b/y.md"}, files); diff != "" {
		t.Error(diff)
	}
	if len(read.Tags) > 0 {
		t.Errorf("the tags are %+v", read.Tags)
	}
}

func TestCanvas_ColumnsByHopAndNoCardsOnEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hostileGraph(t)
		cards := layOut(g.Nodes)
		for i, a := range cards {
			if a.X != g.Nodes[i].Hop*columnPitch {
				t.Fatalf("hop %d is at %d", g.Nodes[i].Hop, a.X)
			}
			for _, b := range cards[:i] {
				if a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height && b.Y < a.Y+a.Height {
					t.Fatalf("%+v lies on %+v", a, b)
				}
			}
		}
	})
}

func TestCanvas_ArrowsLeaveTowardsWhereTheyGo(t *testing.T) {
	middle := card{X: 0, Y: 0}
	for _, test := range []struct {
		to              card
		leaves, arrives string
	}{
		{card{X: 580}, "right", "left"},
		{card{X: -580}, "left", "right"},
		{card{Y: 220}, "bottom", "top"},
		{card{Y: -220}, "top", "bottom"},
	} {
		if leaves, arrives := sides(middle, test.to); leaves != test.leaves || arrives != test.arrives {
			t.Errorf("to %d, %d: from %s to %s", test.to.X, test.to.Y, leaves, arrives)
		}
	}
}
