package graphfile

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readGraphML returns the nodes and edges of a file, as far as it has them.
func readGraphML(t *rapid.T, text string) (g Graph) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = true
	var file xmlFile
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, n := range file.Graph.Nodes {
		data := dataOf(n.Data)
		ids[n.ID] = data["id"]
		g.AddNode(Node{ID: data["id"], Title: data["title"], Kind: data["kind"]})
	}
	for _, e := range file.Graph.Edges {
		data := dataOf(e.Data)
		g.AddEdge(Edge{From: ids[e.Source], To: ids[e.Target], Type: data["type"], Rel: data["rel"], Label: data["label"]})
	}
	return g
}

func dataOf(all []xmlData) map[string]string {
	data := map[string]string{}
	for _, d := range all {
		data[d.Key] = d.Value
	}
	return data
}

// inXML is a text without the characters that XML cannot hold in any way.
func inXML(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\ufffe' || r == '\uffff' {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

func TestGraphML_HoldsAnyTitle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := hostileGraph(t)
		got := readGraphML(t, written(t, GraphML, want))
		for i := range want.Nodes {
			n := &want.Nodes[i]
			n.Title, n.Kind, n.Status, n.Hop = inXML(n.Title), inXML(n.Kind), "", 0
		}
		for i := range want.Edges {
			e := &want.Edges[i]
			e.Rel, e.Label = inXML(e.Rel), inXML(e.Label)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
