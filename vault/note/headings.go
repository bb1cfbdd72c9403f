package note

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// readHeading records a heading at the top level of the note.
func (w *walker) readHeading(h *ast.Heading) {
	l := h.Lines()
	var parts []string
	for i := range l.Len() {
		s := l.At(i)
		parts = append(parts, strings.TrimSpace(w.value(w.base+s.Start, w.base+s.Stop)))
	}
	text := strings.Join(parts, " ")
	start := w.base + max(h.Pos(), 0)
	lines := Lines{First: w.lines.line(start), Last: w.lines.line(start)}
	if l.Len() > 0 && !bytes.Contains(w.src[start:w.base+l.At(0).Start], []byte{'#'}) {
		// A heading without a mark before its text is a setext heading; the next line
		// underlines it.
		lines.Last = w.lines.line(w.base+l.At(l.Len()-1).Start) + 1
	}
	_, end := w.lines.bounds(lines.Last)
	end = w.base + w.trimRight(start-w.base, max(start, end)-w.base)
	w.note.Headings = append(w.note.Headings, Heading{Level: h.Level, Text: text, Span: w.span(start, end)})
	w.headingLines = append(w.headingLines, lines)
	// Below a heading "Relations", up to the next heading of its level or a higher one, a
	// bullet's word gives its links their type.
	if w.relations == 0 || h.Level <= w.relations {
		w.relations = 0
		if strings.EqualFold(strings.TrimSpace(text), "relations") {
			w.relations = h.Level
		}
	}
}

// readSections cuts the text from offset body on into sections, at its headings.
func (d *document) readSections(body int) {
	if body >= len(d.src) {
		return
	}
	first, last := d.lines.line(body), d.lines.line(len(d.src)-1)
	end := last
	if len(d.headingLines) > 0 {
		end = d.headingLines[0].First - 1
	}
	if lead := d.linesText(first, end); strings.TrimSpace(lead) != "" {
		d.addSection(Section{StartLine: first, EndLine: end, Body: lead})
	}
	for i, h := range d.note.Headings {
		lines, end := d.headingLines[i], last
		if i+1 < len(d.headingLines) {
			end = d.headingLines[i+1].First - 1
		}
		d.addSection(Section{
			Heading: h.Text, Level: h.Level, StartLine: lines.First, EndLine: end,
			Body: d.linesText(lines.Last+1, end),
		})
	}
}

func (d *document) addSection(s Section) {
	s.Ordinal = len(d.note.Sections)
	d.note.Sections = append(d.note.Sections, s)
}

// linesText returns the text of a range of lines, line ends included.
func (d *document) linesText(first, last int) string {
	if first > last {
		return ""
	}
	start, _ := d.lines.bounds(first)
	end := len(d.src)
	if last < len(d.lines.starts) {
		end = d.lines.starts[last]
	}
	return d.value(start, end)
}
