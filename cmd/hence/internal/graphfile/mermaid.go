package graphfile

import (
	"fmt"
	"strings"
	"unicode"

	"hence/cmd/hence/internal/screen"
)

// mermaid returns a graph as a flowchart, for a code block in Markdown.
func mermaid(g Graph) (string, error) {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := g.shortNames()
	for _, n := range g.Nodes {
		open, shut := "(", ")"
		if n.File != "" {
			open, shut = "[", "]"
		}
		switch {
		case n.isGone():
			shut += ":::gone"
		case n.Stale:
			shut += ":::stale"
		}
		fmt.Fprintf(&b, "  %s%s%s%s\n", names[n.ID], open, mermaidQuoted(n.label()), shut)
	}
	for _, e := range g.Edges {
		line := "-->"
		if e.Symmetric {
			line = "---"
		}
		fmt.Fprintf(&b, "  %s %s|%s| %s\n", names[e.From], line, mermaidQuoted(e.Label), names[e.To])
	}
	b.WriteString("  classDef gone stroke-dasharray:5 5,color:gray\n  classDef stale stroke:orange,stroke-width:2px\n")
	return b.String(), nil
}

// mermaidQuoted quotes a label. Mermaid has its own entities, such as #35; for
// a hash. It reads labels as Markdown and HTML, and looks for comments,
// directives and styles before that, so every character with a meaning in any
// of these becomes an entity.
func mermaidQuoted(text string) string {
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
