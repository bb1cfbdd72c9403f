package note_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
)

const board = `{
	"nodes": [
		{"id": "1", "type": "file", "file": "trees/Oak.md", "subpath": "#Bark", "x": 0, "y": 0},
		{"id": "2", "type": "text", "text": "# Plan\nplant [[Ash]] in ` + "`[[code]]`" + ` #spring"},
		{"id": "3", "type": "link", "url": "https://a.example"},
		{"id": "4", "type": "group", "label": "[[Not a link]]"},
		{"id": "5", "type": "file", "file": "Ash.md"}
	],
	"edges": [
		{"id": "a", "fromNode": "1", "toNode": "5", "label": "causes"},
		{"id": "b", "fromNode": "1", "toNode": "2", "label": "not between files"},
		{"id": "c", "fromNode": "9", "toNode": "5"}
	]
}`

func TestCanvas(t *testing.T) {
	n, err := note.ParseCanvas([]byte(board))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"canvas-file trees/Oak.md#Bark", "wikilink Ash", "canvas-file Ash.md"}, shown(n.Links)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if got, want := at(n.Links[0].Span), "3:2-3:89"; got != want {
		t.Errorf("the first file node at %s, want %s", got, want)
	}
	if n.Links[1].Span.Start.Line != 4 || n.Links[1].Context != "plant [[Ash]] in `[[code]]` #spring" {
		t.Errorf("the link of the text node: %+v", n.Links[1])
	}
	if len(n.Tags) != 1 || n.Tags[0].Name != "spring" {
		t.Errorf("tags %v", n.Tags)
	}
	if diff := cmp.Diff([]note.Section{{
		Heading: "Plan", Level: 1, StartLine: 4, EndLine: 4, Body: "# Plan\nplant [[Ash]] in `[[code]]` #spring",
	}}, n.Sections); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestCanvasFilesThatAreNotWhole(t *testing.T) {
	for _, c := range []struct {
		name, src string
		ok        bool
	}{
		{"an empty file", " \n", true},
		{"an empty object", "{}", true},
		{"a byte order mark", "\ufeff{}", true},
		{"unknown members", `{"x":[1,{"y":2}],"nodes":[{"id":"a","type":"new","z":1}]}`, true},
		{"no lists", `{"nodes":null,"edges":null}`, true},
		{"no object", "[]", false},
		{"cut off", `{"nodes":[{"id":"a"}`, false},
		{"nodes of the wrong type", `{"nodes":{}}`, false},
		{"a node of the wrong type", `{"nodes":[1]}`, false},
		{"edges of the wrong type", `{"edges":{}}`, false},
		{"an edge of the wrong type", `{"edges":[1]}`, false},
		{"an end that is a number", `{"edges":[{"fromNode":1}]}`, false},
		{"a file that is a number", `{"nodes":[{"type":"file","file":1}]}`, false},
		{"two objects", `{} {}`, false},
		{"no JSON", "# a", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := note.ParseCanvas([]byte(c.src))
			if (err == nil) != c.ok || (n == nil) == c.ok {
				t.Errorf("got %v, %v", n, err)
			}
		})
	}
}
