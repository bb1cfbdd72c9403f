// Package edit changes some bytes of a note and leaves all others as they are: line
// ends, a byte order mark, comments, quoting.
//
// The new bytes are parsed before they are returned. A change of frontmatter or of a link is
// accepted only if package note reads the wanted value from the new bytes and nothing else
// has changed; otherwise the call fails. So this package can find the lines of a YAML value
// by simple means, and can try several spellings of a link. Before a change of frontmatter
// is accepted, all text outside the changed properties is compared byte for byte. The YAML
// package decides which lines are comments (a mark is inserted after each # at the start of
// a line), so this package needs no YAML scanner.
package edit

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"hence/vault/note"
)

const byteOrderMark = "\uFEFF"

// Replace returns a note with content in place of its whole text, frontmatter
// included.
func Replace(source []byte, content string) []byte {
	return []byte(byteOrderMarkOf(source) + withLineEndsOf(source, content))
}

// Append returns a note with content at its end, on a line of its own. It adds a line break
// between them if neither has one.
func Append(source []byte, content string) []byte {
	text, content := string(source), withLineEndsOf(source, content)
	if text == byteOrderMarkOf(source) || strings.HasSuffix(text, "\n") || startsLine(content) {
		return []byte(text + content)
	}
	return []byte(text + lineEndOf(source) + content)
}

// Prepend returns a note with content before its first line, but after its frontmatter. It
// adds a line break after content if neither content nor the text after it has one.
func Prepend(source []byte, content string) []byte {
	start := len(byteOrderMarkOf(source))
	if f, ok := findFrontmatter(source); ok {
		start = f.after
	}
	before, after, content := string(source[:start]), string(source[start:]), withLineEndsOf(source, content)
	if start > len(byteOrderMarkOf(source)) && !strings.HasSuffix(before, "\n") {
		before += lineEndOf(source)
	}
	if after != "" && !strings.HasSuffix(content, "\n") && !startsLine(after) {
		content += lineEndOf(source)
	}
	return []byte(before + content + after)
}

func startsLine(text string) bool {
	return strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\r\n")
}

// Diff returns the difference between two texts of a file in the unified format, or "" if
// they are equal.
func Diff(path string, before, after []byte) string {
	text := string(diff.Diff("a/"+path, before, "b/"+path, after))
	_, text, _ = strings.Cut(text, "\n") // the first line is not part of the format
	return text
}

// byteOrderMarkOf returns the byte order mark at the start of a source, or "".
func byteOrderMarkOf(source []byte) string {
	if bytes.HasPrefix(source, []byte(byteOrderMark)) {
		return byteOrderMark
	}
	return ""
}

// lineEndOf returns the line end of most lines of a source.
func lineEndOf(source []byte) string {
	if 2*bytes.Count(source, []byte("\r\n")) > bytes.Count(source, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// withLineEndsOf returns a text with the line ends of a source, and without a byte order
// mark. If the source has no line end, the line ends of the text stay.
func withLineEndsOf(source []byte, text string) string {
	text = strings.TrimPrefix(text, byteOrderMark)
	if !bytes.Contains(source, []byte("\n")) {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if lineEndOf(source) == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// frontmatter holds the offsets of a note's frontmatter.
type frontmatter struct {
	start, yaml, close, after int // of the first fence, the YAML, the last fence, the body
}

// findFrontmatter finds a note's frontmatter.
func findFrontmatter(source []byte) (f frontmatter, ok bool) {
	lines := note.Parse(source).Frontmatter
	if lines.Last == 0 {
		return f, false
	}
	all := strings.SplitAfter(string(source), "\n")
	above := func(line int) int { return len(strings.Join(all[:line], "")) }
	return frontmatter{len(byteOrderMarkOf(source)), above(lines.First), above(lines.Last - 1), above(lines.Last)}, true
}
