package note

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
)

// readBlockID records the id at the end of a paragraph. An id on a paragraph
// of its own names the block before it; one in a list item names the item.
func (w *walker) readBlockID(n ast.Node) {
	l := n.Lines()
	if l.Len() == 0 {
		return
	}
	last := l.At(l.Len() - 1)
	line := bytes.TrimRight(w.src[w.base+last.Start:w.base+last.Stop], " \t\r\n")
	id := trailingID(line)
	if id == "" {
		return
	}
	start, end := w.extent(n)
	switch {
	case l.Len() == 1 && len(bytes.TrimLeft(line, " \t")) == len(id)+1 && n.PreviousSibling() != nil:
		start, _ = w.extent(n.PreviousSibling())
		end = w.endAbove(w.lines.line(w.base + last.Start))
	case n.Parent().Kind() == ast.KindListItem && n.PreviousSibling() == nil:
		// The item's own text carries the id, not the items nested in it.
		start, _ = w.extent(n.Parent())
	}
	if start < 0 || end < start {
		return
	}
	w.note.Blocks = append(w.note.Blocks, Block{ID: id, Span: w.span(start, end)})
}

// endAbove returns the offset at which the text above a line ends, without blank lines and
// quote marks. Goldmark's blocks do not have it: no block includes a fence's closing line.
func (w *walker) endAbove(line int) int {
	for line--; line > 0; line-- {
		start, end := w.lines.bounds(line)
		if len(bytes.Trim(w.src[start:end], " \t>")) > 0 {
			return start + len(bytes.TrimRight(w.src[start:end], " \t"))
		}
	}
	return -1
}

// trailingID returns the id of a line that ends in " ^id", else "".
func trailingID(line []byte) string {
	i := len(line)
	for i > 0 && (line[i-1] == '-' || isLetter(line[i-1]) || isDigit(line[i-1])) {
		i--
	}
	if i == len(line) || i == 0 || line[i-1] != '^' {
		return ""
	}
	if i >= 2 && line[i-2] != ' ' && line[i-2] != '\t' {
		return ""
	}
	return string(line[i:])
}
