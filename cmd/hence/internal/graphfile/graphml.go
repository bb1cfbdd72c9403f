package graphfile

import (
	"encoding/xml"
	"slices"
	"strconv"

	"hence/cmd/hence/internal/screen"
)

type xmlFile struct {
	XMLName xml.Name `xml:"http://graphml.graphdrawing.org/xmlns graphml"`
	Keys    []xmlKey `xml:"key"`
	Graph   xmlGraph `xml:"graph"`
}

type xmlKey struct {
	ID   string `xml:"id,attr"`
	For  string `xml:"for,attr"`
	Name string `xml:"attr.name,attr"`
	Type string `xml:"attr.type,attr"`
}

type xmlGraph struct {
	ID      string    `xml:"id,attr"`
	Default string    `xml:"edgedefault,attr"`
	Nodes   []xmlNode `xml:"node"`
	Edges   []xmlEdge `xml:"edge"`
}

type xmlNode struct {
	ID   string    `xml:"id,attr"`
	Data []xmlData `xml:"data"`
}

type xmlEdge struct {
	ID       string    `xml:"id,attr"`
	Source   string    `xml:"source,attr"`
	Target   string    `xml:"target,attr"`
	Directed string    `xml:"directed,attr,omitempty"`
	Data     []xmlData `xml:"data"`
}

type xmlData struct {
	Key   string `xml:"key,attr"`
	Value string `xml:",chardata"`
}

var xmlKeys = []xmlKey{
	{"id", "node", "id", "string"},
	{"title", "node", "label", "string"},
	{"kind", "node", "kind", "string"},
	{"status", "node", "status", "string"},
	{"uri", "node", "uri", "string"},
	{"hop", "node", "hop", "int"},
	{"stale", "node", "stale", "boolean"},
	{"label", "edge", "label", "string"},
	{"type", "edge", "type", "string"},
	{"rel", "edge", "rel", "string"},
}

// graphML returns a graph as GraphML. Its nodes are named n1, n2, …, because GraphML restricts
// their ids; the ids of the memories are data. It replaces only characters that XML forbids.
func graphML(g Graph) (string, error) {
	file := xmlFile{Keys: xmlKeys, Graph: xmlGraph{ID: "hence", Default: "directed"}}
	names := g.shortNames()
	for _, n := range g.Nodes {
		data := keepFilled(xmlData{"id", n.ID}, xmlData{"title", n.label()}, xmlData{"kind", n.Kind}, xmlData{"status", n.Status},
			xmlData{"uri", n.URI}, xmlData{"hop", strconv.Itoa(n.Hop)})
		if n.Stale {
			data = append(data, xmlData{"stale", "true"})
		}
		file.Graph.Nodes = append(file.Graph.Nodes, xmlNode{names[n.ID], data})
	}
	for i, e := range g.Edges {
		one := xmlEdge{
			ID: number("e", i), Source: names[e.From], Target: names[e.To],
			Data: keepFilled(xmlData{"label", e.Label}, xmlData{"type", e.Type}, xmlData{"rel", e.Rel}),
		}
		if e.Symmetric {
			one.Directed = "false"
		}
		file.Graph.Edges = append(file.Graph.Edges, one)
	}
	text, err := xml.MarshalIndent(file, "", "  ")
	return xml.Header + screen.CleanXML(string(text)) + "\n", err
}

// keepFilled returns the data that have a value.
func keepFilled(all ...xmlData) []xmlData {
	return slices.DeleteFunc(all, func(d xmlData) bool { return d.Value == "" })
}
