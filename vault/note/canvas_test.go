package note_test

import (
	"slices"
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
	if got, want := at(n.Text, n.Links[0].Span), "3:2-3:89"; got != want {
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
	const oak, ash = `{"type":"file","file":"Oak.md"}`, `{"type":"file","file":"Ash.md"}`
	both := []string{"canvas-file Oak.md", "canvas-file Ash.md"}
	for _, c := range []struct {
		name, src string
		want      []string
		warnings  []int // their lines
	}{
		{"an empty file", " \n", nil, nil},
		{"an empty object", "{}", nil, nil},
		{"a byte order mark", "\ufeff{}", nil, []int{1}},
		{"unknown members", `{"x":[1,{"y":2}],"nodes":[{"id":"a","type":"new","z":1}]}`, nil, nil},
		{"no lists", `{"nodes":null,"edges":null}`, nil, nil},
		{"edges of any type", `{"edges":[1,{"fromNode":1}],"nodes":[` + oak + "," + ash + `]}`, both, nil},
		{"an id that is a number", `{"nodes":[{"id":1,"type":"file","file":"Oak.md"},` + ash + `]}`, both, nil},
		{"a trailing comma after a node", `{"nodes":[` + oak + ",\n" + ash + ",\n]}", both, []int{3}},
		{"a trailing comma within a node", "{\"nodes\":[{\"type\":\"file\",\"file\":\"Oak.md\" ,\n}," + ash + "]}", both, []int{2}},
		{"a trailing comma at the end", `{"nodes":[` + oak + `,` + ash + `],}`, both, []int{1}},
		{"two commas", `{"nodes":[,` + oak + `,,` + ash + `]}`, both, []int{1}},
		{"a comma too few", "{\"nodes\":[" + oak + "\n" + ash + "]}", both, []int{2}},
		{"a raw line break in a text", "{\"nodes\":[{\"type\":\"text\",\"text\":\"# A\nup:: [[Oak]]\tb\"}," + ash + "]}", []string{"wikilink Oak inline-field=up", "canvas-file Ash.md"}, []int{1}},
		{"a node of the wrong type", `{"nodes":[` + oak + `,1,` + ash + `,"x",[[2]]]}`, both, []int{1}},
		{"a file that is a number", "{\"nodes\":[" + oak + ",\n{\"type\":\"file\",\"file\":1},\n" + ash + "]}", both, []int{2}},
		{"a node with a bare word", "{\"nodes\":[" + oak + ",\n{type: \"file\"},\n" + ash + "]}", both, []int{2, 2}},
		{"brackets and quotes within a text", `{"nodes":[{"type":"text","text":"}]\"{[ [[Oak]]"},` + ash + `]}`, []string{"wikilink Oak", "canvas-file Ash.md"}, nil},
		{"cut off after a node", "{\"nodes\":[" + oak + "," + ash, both, []int{1}},
		{"cut off within a node", "{\"nodes\":[" + oak + "," + ash + ",\n{\"type\":\"fi", both, []int{2, 2}},
		{"nodes of the wrong type", `{"nodes":{},"x":1}`, nil, []int{1}},
		{"two objects", `{"nodes":[` + oak + `,` + ash + `]} {}`, both, []int{1}},
		{"a list is refused", "[]", nil, []int{-1}},
		{"other text is refused", "\n# a", nil, []int{-1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := note.ParseCanvas([]byte(c.src))
			if refused := slices.Equal(c.warnings, []int{-1}); refused || err != nil {
				if !refused || err == nil {
					t.Errorf("got %v, %v", n, err)
				}
				return
			}
			var lines []int
			for _, w := range n.Warnings {
				lines = append(lines, w.Line)
			}
			if diff := cmp.Diff(c.want, shown(n.Links)); diff != "" || !slices.Equal(lines, c.warnings) {
				t.Errorf("warnings %+v, want lines %v; links (-want +got):\n%s", n.Warnings, c.warnings, diff)
			}
		})
	}
}
