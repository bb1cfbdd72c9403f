package screen

import (
	"bufio"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"hence/internal/lists"
	"hence/tools/show"
)

// Page is the output of a command for people. Every text is cleaned. Close
// returns the first error of the writer.
type Page struct {
	out    *bufio.Writer
	width  int // columns of the window; 0: no window, so no wrapping
	colour bool
}

// NewPage returns a page of a fixed width (0: no limit).
func NewPage(out io.Writer, width int, colour bool) *Page {
	return &Page{out: bufio.NewWriter(out), width: width, colour: colour}
}

// PageFor returns a page that fits its output: a window has a width and colours
// (unless NO_COLOR is set or TERM is dumb), a file or a pipe neither.
func PageFor(out io.Writer) *Page {
	if !IsTerminal(out) {
		return NewPage(out, 0, false)
	}
	columns, _, err := term.GetSize(int(out.(*os.File).Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	return NewPage(out, columns, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Line writes spans on a line, and wraps them at the end of the window.
func (p *Page) Line(spans ...show.Cell) { p.Hang("", "", spans...) }

// Item writes spans after a mark, and indents wrapped lines by its width.
func (p *Page) Item(mark string, spans ...show.Cell) {
	p.Hang(mark, strings.Repeat(" ", textWidth(mark)), spans...)
}

// Block writes a text of several lines, each indented and wrapped.
func (p *Page) Block(indent, text string) {
	for _, line := range CleanLines(text) {
		if strings.TrimSpace(line) == "" {
			p.Line()
			continue
		}
		body := strings.TrimLeft(line, " ")
		lead := indent + line[:len(line)-len(body)]
		p.Hang(lead, lead, Text(body))
	}
}

// Hang writes spans after the prefix first, and their wrapped lines after the prefix rest.
func (p *Page) Hang(first, rest string, spans ...show.Cell) {
	columns := 0
	if p.width > 0 {
		columns = max(p.width-max(textWidth(first), textWidth(rest)), 8)
	}
	prefix := first
	for _, line := range wrap(spans, columns) {
		p.write(show.Cell{Text: prefix, Role: show.Faint})
		for _, s := range line {
			p.write(s)
		}
		p.out.WriteByte('\n')
		prefix = rest
	}
}

func (p *Page) write(s show.Cell) {
	text := Clean(s.Text)
	if colour := colours[s.Role]; p.colour && colour != "" && strings.TrimSpace(text) != "" {
		text = "\x1b[" + colour + "m" + text + "\x1b[0m"
	}
	p.out.WriteString(text)
}

// Close flushes the page, and returns the first error of all writes.
func (p *Page) Close() error { return p.out.Flush() }

const gap = 2 // spaces between columns

// Table writes rows under their heads, aligned. If the window is too narrow, it
// cuts the widest columns first.
func (p *Page) Table(t show.Table) {
	widths := p.widthsOf(t)
	heads := make([]show.Cell, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = show.Cell{Text: c.Head, Role: show.Faint}
	}
	p.row(heads, widths)
	for _, row := range t.Rows {
		p.row(row, widths)
	}
}

// FitsTable reports whether a table, cut as far as its columns allow, fits in the window.
func (p *Page) FitsTable(t show.Table) bool {
	return p.width == 0 || p.width >= total(p.widthsOf(t))
}

// widthsOf returns the widths of a table's columns, cut to fit the window as far as the columns
// allow.
func (p *Page) widthsOf(t show.Table) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = textWidth(c.Head)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], Width(row[i].Text))
		}
	}
	for sum := total(widths); p.width > 0 && sum > p.width; sum-- {
		widest := -1
		for i, c := range t.Columns {
			if c.Min > 0 && widths[i] > c.Min && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// total returns the width of a table, with the gaps between its columns.
func total(widths []int) int {
	return gap*(len(widths)-1) + lists.Sum(widths, func(w int) int { return w })
}

func (p *Page) row(cells []show.Cell, widths []int) {
	for i, cell := range cells {
		text := Clean(cell.Text)
		if p.width > 0 && textWidth(text) > widths[i] && !cell.Whole {
			head, _ := splitAt(text, widths[i]-1)
			text = strings.TrimRight(head, " ") + "…"
		}
		p.write(show.Cell{Text: text, Role: cell.Role})
		if i < len(cells)-1 {
			p.out.WriteString(strings.Repeat(" ", max(widths[i]-textWidth(text), 0)+gap))
		}
	}
	p.out.WriteByte('\n')
}

// Node is a line of a tree, with its children.
type Node struct {
	Line     []show.Cell
	Under    [][]show.Cell // further lines, below the first
	Children []*Node
}

// Tree draws a tree.
func (p *Page) Tree(root *Node) { p.branch(root, "", "") }

// branch draws a node after mark, and its children after below.
func (p *Page) branch(n *Node, mark, below string) {
	rest := below
	switch {
	case len(n.Children) > 0:
		rest += "│ "
	case mark != "":
		rest += "  "
	}
	p.Hang(mark, rest, n.Line...)
	for _, line := range n.Under {
		p.Hang(rest, rest, line...)
	}
	for i, child := range n.Children {
		if i < len(n.Children)-1 {
			p.branch(child, below+"├─ ", below+"│  ")
		} else {
			p.branch(child, below+"└─ ", below+"   ")
		}
	}
}
