// Package screen writes pages for people: spans of text with a meaning,
// wrapped to the window, in tables and trees. What it is given is taken to be
// untrusted: a memory may hold any bytes, and no control character of it ever
// reaches the terminal.
package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns a text as it may be written on one line: line breaks and tabs
// become spaces, and other characters that steer a terminal or reorder text
// are shown instead of obeyed.
func Clean(text string) string {
	return clean(text, func(r rune) string {
		if r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029' {
			return " "
		}
		return shown(r)
	})
}

// CleanLines is Clean for a text of several lines, which it returns one by
// one. Tabs go to the next multiple of four.
func CleanLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = Clean(expandTabs(line))
	}
	return lines
}

// CleanJSON returns JSON that says the same and is safe to show: what steers
// a terminal is escaped. Such characters occur in JSON inside strings only.
func CleanJSON(text string) string {
	return clean(text, func(r rune) string {
		if r == '\n' {
			return "\n"
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// CleanXML is CleanJSON for XML. The characters occur in its texts and values
// only.
func CleanXML(text string) string {
	return clean(text, func(r rune) string {
		if r == '\n' {
			return "\n"
		}
		return fmt.Sprintf("&#x%X;", r)
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

// steers reports whether a character does something to a terminal or to the
// order of the text around it: controls (C0, DEL, C1), bidirectional
// overrides and isolates, line and paragraph separators.
func steers(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// shown returns what stands for a character that must not be obeyed.
func shown(r rune) string {
	switch {
	case r < ' ':
		return string('␀' + r)
	case r == 0x7f:
		return "␡"
	}
	return fmt.Sprintf("<U+%04X>", r)
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
