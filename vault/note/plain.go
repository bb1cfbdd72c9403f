package note

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Stretch is a part of one line that is plain text: no link, tag, code, HTML, formula or
// URL.
type Stretch struct {
	Line       string // the line in the source, without its end
	Number     int    // of the line, 1-based
	Offset     int    // of the line, in bytes from the start of the source
	Start, End int    // the stretch is Line[Start:End]
}

// Context returns the text around Line[start:end], cut as Link.Context is.
func (s Stretch) Context(start, end int) string {
	return excerpt(s.Line, 0, len(s.Line), start, end)
}

// minPlain is the length in bytes of the shortest stretch that is kept.
const minPlain = 2

// readPlain adds the stretches of a leaf that are between the elements in s.opaque.
func (w *walker) readPlain(t *leaf, s *scanner) {
	opaque := s.opaque
	slices.SortFunc(opaque, func(a, b mark) int { return cmp.Compare(a.start, b.start) })
	start := 0
	for _, o := range append(opaque, mark{len(t.buf), len(t.buf)}) {
		if o.start > start {
			w.addPlain(t, start, o.start)
		}
		start = max(start, o.end)
	}
}

// addPlain adds t.buf[start:end], line by line.
func (w *walker) addPlain(t *leaf, start, end int) {
	for start < end {
		// Only the stretch is searched for a line end: a line may have many stretches.
		stop := end
		if i := bytes.IndexByte(t.buf[start:end], '\n'); i >= 0 {
			stop = start + i
		}
		if stop-start >= minPlain {
			from, to := t.sourceSpan(start, stop)
			number := w.lines.line(from)
			first, last := w.lines.bounds(number)
			if to = min(to, last); from < to && !isDefinition(w.text[first:last]) {
				w.note.Plain = append(w.note.Plain, Stretch{
					Line: w.text[first:last], Number: number, Offset: first, Start: from - first, End: to - first,
				})
			}
		}
		start = stop + 1
	}
}

// isDefinition reports whether a line is a link reference definition ([x]: x.md
// "X"), which is not text. A footnote ([^1]: text) is text.
func isDefinition(line string) bool {
	label, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "[")
	if !ok || strings.HasPrefix(label, "^") {
		return false
	}
	end := strings.IndexAny(label, "[]")
	return end > 0 && strings.HasPrefix(label[end:], "]:")
}
