package screen

import (
	"bufio"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
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

// Narrow reports whether the window has fewer columns than a layout needs.
func (p *Page) Narrow(columns int) bool { return p.width > 0 && p.width < columns }

// Line writes spans on a line, and wraps them at the end of the window.
func (p *Page) Line(spans ...Span) { p.Hang("", "", spans...) }

// Item writes spans after a mark, and indents wrapped lines by its width.
func (p *Page) Item(mark string, spans ...Span) {
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
func (p *Page) Hang(first, rest string, spans ...Span) {
	columns := 0
	if p.width > 0 {
		columns = max(p.width-max(textWidth(first), textWidth(rest)), 8)
	}
	prefix := first
	for _, line := range wrap(spans, columns) {
		p.write(Span{Text: prefix, Style: Faint})
		for _, s := range line {
			p.write(s)
		}
		p.out.WriteByte('\n')
		prefix = rest
	}
}

func (p *Page) write(s Span) {
	text := Clean(s.Text)
	if !p.colour || s.Style == Plain || strings.TrimSpace(text) == "" {
		p.out.WriteString(text)
		return
	}
	p.out.WriteString("\x1b[" + string(s.Style) + "m" + text + "\x1b[0m")
}

// Close flushes the page, and returns the first error of all writes.
func (p *Page) Close() error { return p.out.Flush() }
