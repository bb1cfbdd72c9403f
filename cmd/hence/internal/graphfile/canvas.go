package graphfile

import (
	"encoding/json"
	"regexp"
	"strings"

	"hence/cmd/hence/internal/screen"
)

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
