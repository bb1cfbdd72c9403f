// Package graphfile writes a graph in the formats of other programs: DOT for
// Graphviz, Mermaid for Markdown, JSON Canvas for Obsidian. Titles are untrusted: they are escaped so that each is only a label, and
// the file is safe to show on a terminal.
package graphfile

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// Graph is the content of a file, in the order of the file.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a memory.
type Node struct {
	ID     string
	Title  string
	Kind   string
	Status string // current, superseded or forgotten
	URI    string
	File   string // path of a note in its vault; "" for others
	Hop    int    // distance from the start of the walk
	Stale  bool
}

// Edge joins two nodes by their ids, in its stored direction.
type Edge struct {
	From, To  string
	Type, Rel string
	Label     string
	Symmetric bool // the direction has no meaning
}

// Format is the name of a format.
type Format string

// The formats.
const (
	DOT     Format = "dot"
	Mermaid Format = "mermaid"
	Canvas  Format = "canvas"
)

var writers = map[Format]func(Graph) (string, error){
	DOT:     dot,
	Mermaid: mermaid,
	Canvas:  canvas,
}

// Formats returns the names of all formats, in order.
func Formats() []string {
	return []string{string(DOT), string(Mermaid), string(Canvas)}
}

// Write writes a graph in one of Formats. Both ends of each edge must be among the nodes.
func Write(out io.Writer, f Format, g Graph) error {
	text, err := writers[f](g)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

// AddNode adds a node, unless the graph has one with its id.
func (g *Graph) AddNode(n Node) {
	if !slices.ContainsFunc(g.Nodes, func(o Node) bool { return o.ID == n.ID }) {
		g.Nodes = append(g.Nodes, n)
	}
}

// AddEdge adds an edge, unless the graph has the same one.
func (g *Graph) AddEdge(e Edge) {
	if !slices.Contains(g.Edges, e) {
		g.Edges = append(g.Edges, e)
	}
}

// shortNames gives each node a name that no format has to escape: n1, n2, …
func (g Graph) shortNames() map[string]string {
	names := make(map[string]string, len(g.Nodes))
	for i, n := range g.Nodes {
		names[n.ID] = number("n", i)
	}
	return names
}

func number(letter string, i int) string { return letter + strconv.Itoa(i+1) }

// label returns the text of a node: its title, or its id if the title is empty.
func (n Node) label() string {
	if strings.TrimSpace(n.Title) == "" {
		return n.ID
	}
	return n.Title
}

// isGone reports whether the memory is superseded or forgotten.
func (n Node) isGone() bool { return n.Status != "current" && n.Status != "" }
