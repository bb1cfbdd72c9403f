// Package screen writes pages for people: styled text that is wrapped to the
// window, in lines, tables and trees. All text is untrusted: a memory may hold
// any bytes, so control characters never reach the terminal.
package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/tools/show"
)

// Clean returns a text for one line: line breaks and tabs become spaces, and
// other characters that control a terminal or reorder text are made visible.
func Clean(text string) string {
	return clean(text, func(r rune) string {
		switch {
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			return " "
		case r < ' ':
			return string('␀' + r)
		case r == 0x7f:
			return "␡"
		}
		return fmt.Sprintf("<U+%04X>", r)
	})
}

// CleanLines splits a text into lines and cleans each. Tabs go to the next
// multiple of four.
func CleanLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = Clean(expandTabs(line))
	}
	return lines
}

// CleanJSON escapes characters that control a terminal. In JSON they occur only
// inside strings.
func CleanJSON(text string) string {
	return clean(text, func(r rune) string {
		if r == '\n' {
			return "\n"
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

func clean(text string, replace func(rune) string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, steers) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if steers(r) {
			b.WriteString(replace(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// steers reports whether a character controls a terminal or reorders text:
// controls (C0, DEL, C1), bidirectional overrides and isolates, line and
// paragraph separators.
func steers(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	for i, piece := range strings.Split(line, "\t") {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", 4-textWidth(b.String())%4))
		}
		b.WriteString(piece)
	}
	return b.String()
}

// colours are the parameters of the escape sequences that set how a role looks.
var colours = map[show.Role]string{
	show.Strong: "1", show.Faint: "2", show.Edge: "36", show.Match: "1;33", show.Good: "32", show.Warn: "33", show.Bad: "31",
}

// Text returns a plain span.
func Text(text string) show.Cell { return show.Cell{Text: text} }

// Width returns the columns that a text takes on a line of a page.
func Width(text string) int { return textWidth(Clean(text)) }

func textWidth(text string) int { return uniseg.StringWidth(text) }

// width returns the columns that spans take, as Clean would show them.
func width(spans []show.Cell) int {
	return lists.Sum(spans, func(s show.Cell) int { return Width(s.Text) })
}

// splitAt splits a clean text before the grapheme that exceeds a number of
// columns.
func splitAt(text string, columns int) (head, rest string) {
	used, rest, state := 0, text, -1
	for rest != "" {
		_, next, w, newState := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > columns {
			break
		}
		used, rest, state = used+w, next, newState
	}
	return text[:len(text)-len(rest)], rest
}

// wrap breaks spans into lines of at most a number of columns, between words if
// possible. 0: no limit.
func wrap(spans []show.Cell, columns int) [][]show.Cell {
	if columns <= 0 || width(spans) <= columns {
		return [][]show.Cell{spans}
	}
	w := wrapper{columns: columns}
	for _, s := range spans {
		for _, word := range words().FindAllString(Clean(s.Text), -1) {
			w.add(word, s.Role)
		}
	}
	w.breakLine()
	return w.lines
}

// words matches a word with the run of spaces after it.
var words = pattern.Lazy(`[^ ]+ *| +`)

// wrapper fills lines with words.
type wrapper struct {
	columns int
	lines   [][]show.Cell
	line    []show.Cell
	used    int
}

func (w *wrapper) add(word string, role show.Role) {
	bare := textWidth(strings.TrimRight(word, " "))
	if w.used > 0 && w.used+bare > w.columns {
		w.breakLine()
	}
	for textWidth(strings.TrimRight(word, " ")) > w.columns {
		head, rest := splitAt(word, w.columns)
		if head == "" { // one grapheme is wider than the window
			break
		}
		w.put(head, role)
		w.breakLine()
		word = rest
	}
	w.put(word, role)
}

func (w *wrapper) put(text string, role show.Role) {
	w.used += textWidth(text)
	if n := len(w.line); n > 0 && w.line[n-1].Role == role {
		w.line[n-1].Text += text
		return
	}
	w.line = append(w.line, show.Cell{Text: text, Role: role})
}

func (w *wrapper) breakLine() {
	for n := len(w.line); n > 0; n = len(w.line) {
		w.line[n-1].Text = strings.TrimRight(w.line[n-1].Text, " ")
		if w.line[n-1].Text != "" {
			break
		}
		w.line = w.line[:n-1]
	}
	if len(w.line) > 0 {
		w.lines = append(w.lines, w.line)
	}
	w.line, w.used = nil, 0
}
