// Package graphfile writes a graph in the formats of other programs: DOT for
// Graphviz, Mermaid for Markdown, JSON Canvas for Obsidian. Titles are untrusted: they are escaped so that each is only a label, and
// the file is safe to show on a terminal.
package graphfile

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
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

// The layout of a canvas, in its pixels: a column for each hop, its cards one
// below the other around the middle.
const (
	cardWidth   = 320
	cardHeight  = 160
	columnPitch = cardWidth + 260 // room for a label on an edge
	rowPitch    = cardHeight + 60
)

type canvasFile struct {
	Nodes []card  `json:"nodes"`
	Edges []arrow `json:"edges"`
}

type card struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	File   string `json:"file,omitempty"`
	Text   string `json:"text,omitempty"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Color  string `json:"color,omitempty"`
}

type arrow struct {
	ID       string `json:"id"`
	From     string `json:"fromNode"`
	FromSide string `json:"fromSide"`
	To       string `json:"toNode"`
	ToSide   string `json:"toSide"`
	ToEnd    string `json:"toEnd,omitempty"`
	Label    string `json:"label"`
}

// canvas returns a graph as JSON Canvas 1.0, for use in the vault of its notes. Notes are
// cards of files, other memories are cards of text.
func canvas(g Graph) (string, error) {
	file := canvasFile{Nodes: layOut(g.Nodes), Edges: []arrow{}}
	places := map[string]card{}
	for _, c := range file.Nodes {
		places[c.ID] = c
	}
	for _, e := range g.Edges {
		a := arrow{ID: strings.Join([]string{e.From, e.Type, e.Rel, e.To}, " "), From: e.From, To: e.To, Label: e.Label}
		a.FromSide, a.ToSide = sides(places[e.From], places[e.To])
		if e.Symmetric {
			a.ToEnd = "none"
		}
		file.Edges = append(file.Edges, a)
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(file)
	return screen.CleanJSON(b.String()), err
}

func layOut(nodes []Node) []card {
	height := map[int]int{} // cards of each column
	for _, n := range nodes {
		height[n.Hop]++
	}
	row := map[int]int{}
	cards := []card{}
	for _, n := range nodes {
		what, colour := n.Kind, ""
		switch {
		case n.isGone():
			what, colour = strings.TrimPrefix(what+", "+n.Status, ", "), "#888888"
		case n.Stale:
			colour = "2" // Obsidian's orange
		}
		text := plain(n.label())
		if what != "" {
			text += "\n\n*" + plain(what) + "*"
		}
		c := card{
			ID: n.ID, Type: "text", Text: text, Color: colour, Width: cardWidth, Height: cardHeight,
			X: n.Hop * columnPitch,
			Y: (2*row[n.Hop] - height[n.Hop] + 1) * rowPitch / 2,
		}
		if n.File != "" {
			c.Type, c.File, c.Text = "file", n.File, ""
		}
		row[n.Hop]++
		cards = append(cards, c)
	}
	return cards
}

// sides returns the sides of two cards between which an arrow is drawn.
func sides(from, to card) (leaves, arrives string) {
	switch {
	case from.X < to.X:
		return "right", "left"
	case from.X > to.X:
		return "left", "right"
	case from.Y < to.Y:
		return "bottom", "top"
	}
	return "top", "bottom"
}

var (
	marks     = regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|~=$%^&!:@]")
	listMarks = regexp.MustCompile(`(?m)^(\s*\d*)([-+.)])`)
)

// plain escapes a text for Markdown and its Obsidian extensions, so that a
// title makes no link, tag or image.
func plain(text string) string {
	text = marks.ReplaceAllString(text, `\$0`)
	return listMarks.ReplaceAllString(text, `$1\$2`)
}
