// Package screen writes pages for people: styled text that is wrapped to the
// window, in lines, tables and trees. All text is untrusted: a memory may hold
// any bytes, so control characters never reach the terminal.
package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
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
