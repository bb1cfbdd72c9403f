// Package graphfile writes a graph as Mermaid, for a code block in Markdown. Titles are untrusted: they are escaped so that each
// is only a label, and the file is safe to show on a terminal.
package graphfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hence/cmd/hence/internal/screen"
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
	Status string // current, superseded or forgotten
	Note   bool   // a note of a vault
	Stale  bool
}

// Edge joins two nodes by their ids, in its stored direction.
type Edge struct {
	From, To  string
	Label     string
	Symmetric bool // the direction has no meaning
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

// label returns the text of a node: its title, or its id if the title is empty.
func (n Node) label() string {
	if strings.TrimSpace(n.Title) == "" {
		return n.ID
	}
	return n.Title
}

// Mermaid returns the graph as a flowchart. Both ends of each edge must be among the nodes.
func (g Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := map[string]string{} // that need no escapes: n1, n2, …
	for i, n := range g.Nodes {
		names[n.ID] = "n" + strconv.Itoa(i+1)
		open, shut := "(", ")"
		if n.Note {
			open, shut = "[", "]"
		}
		switch {
		case n.Status != "current" && n.Status != "":
			shut += ":::gone"
		case n.Stale:
			shut += ":::stale"
		}
		fmt.Fprintf(&b, "  %s%s%s%s\n", names[n.ID], open, quoted(n.label()), shut)
	}
	for _, e := range g.Edges {
		line := "-->"
		if e.Symmetric {
			line = "---"
		}
		fmt.Fprintf(&b, "  %s %s|%s| %s\n", names[e.From], line, quoted(e.Label), names[e.To])
	}
	b.WriteString("  classDef gone stroke-dasharray:5 5,color:gray\n  classDef stale stroke:orange,stroke-width:2px\n")
	return b.String()
}

// quoted quotes a label. Mermaid has its own entities, such as #35; for
// a hash. It reads labels as Markdown and HTML, and looks for comments,
// directives and styles before that, so every character with a meaning in any
// of these becomes an entity.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range strings.TrimSpace(screen.Clean(text)) {
		leading := i == 0 && r == '-' // a list
		harmless := unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -,/'", r)
		if r < unicode.MaxASCII && !harmless || leading {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
