package graphfile

import (
	"fmt"
	"strings"

	"hence/cmd/hence/internal/screen"
)

// dot returns a graph in the language of Graphviz.
func dot(g Graph) (string, error) {
	var b strings.Builder
	b.WriteString("digraph hence {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n")
	names := g.shortNames()
	for _, n := range g.Nodes {
		shape, line, colour := "box", "rounded", ""
		if n.File != "" {
			shape, line = "note", "solid"
		}
		switch {
		case n.isGone():
			line += ",dashed"
			colour = ", color=gray50, fontcolor=gray50"
		case n.Stale:
			colour = ", color=orange"
		}
		fmt.Fprintf(&b, "  %s [label=%s, shape=%s, style=%q%s];\n", names[n.ID], dotQuoted(n.label()), shape, line, colour)
	}
	for _, e := range g.Edges {
		direction := ""
		if e.Symmetric {
			direction = ", dir=none"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", names[e.From], names[e.To], dotQuoted(e.Label), direction)
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// dotQuoted quotes a label. Graphviz replaces entities and reads a backslash as
// an escape.
func dotQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(screen.Clean(text)) + `"`
}
