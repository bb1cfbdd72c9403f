// Package edit changes some bytes of a note and leaves all others as they are: line
// ends, a byte order mark, comments, quoting.
//
// Every change is read again. A change of frontmatter and a new link are accepted
// only if package note reads from the new bytes what was meant and nothing else;
// otherwise the call is refused. So simple means are enough to find the lines of a
// YAML value and to try spellings of a link. Before a change of frontmatter is
// accepted, all text outside the changed properties is compared byte for byte. The
// YAML package decides which lines are comments (a mark is inserted behind each # at
// the start of a line), so this package needs no YAML scanner.
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
	return []byte(markOf(source) + inEndsOf(source, content))
}

// Append returns a note with content at its end, on a line of its own. A line
// break is put between them where neither has one.
func Append(source []byte, content string) []byte {
	text, content := string(source), inEndsOf(source, content)
	if text == markOf(source) || strings.HasSuffix(text, "\n") || startsLine(content) {
		return []byte(text + content)
	}
	return []byte(text + endOf(source) + content)
}

// Prepend returns a note with content before its first line, after the
// frontmatter where there is one. A line break is put after it where neither it
// nor the text has one.
func Prepend(source []byte, content string) []byte {
	at := len(markOf(source))
	if f, ok := findFrontmatter(source); ok {
		at = f.after
	}
	before, after, content := string(source[:at]), string(source[at:]), inEndsOf(source, content)
	if at > len(markOf(source)) && !strings.HasSuffix(before, "\n") {
		before += endOf(source)
	}
	if after != "" && !strings.HasSuffix(content, "\n") && !startsLine(after) {
		content += endOf(source)
	}
	return []byte(before + content + after)
}

func startsLine(text string) bool {
	return strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\r\n")
}

// Diff returns what has changed between two texts of a file, in the unified
// format; "" where nothing has.
func Diff(path string, before, after []byte) string {
	text := string(diff.Diff("a/"+path, before, "b/"+path, after))
	_, text, _ = strings.Cut(text, "\n") // the first line is not part of the format
	return text
}

// markOf is the byte order mark that a source starts with, or "".
func markOf(source []byte) string {
	if bytes.HasPrefix(source, []byte(byteOrderMark)) {
		return byteOrderMark
	}
	return ""
}

// endOf is how most lines of a source end.
func endOf(source []byte) string {
	if 2*bytes.Count(source, []byte("\r\n")) > bytes.Count(source, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// inEndsOf returns a text whose lines end as those of a source do, without a
// byte order mark. A source of one line says nothing about them.
func inEndsOf(source []byte, text string) string {
	text = strings.TrimPrefix(text, byteOrderMark)
	if !bytes.Contains(source, []byte("\n")) {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if endOf(source) == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// frontmatter is where a source keeps its properties.
type frontmatter struct {
	start, yaml, close, after int // bytes: the first fence, what is between, the last fence, the body
}

// findFrontmatter finds a note's frontmatter.
func findFrontmatter(source []byte) (f frontmatter, ok bool) {
	lines := note.Parse(source).Frontmatter
	if lines.Last == 0 {
		return f, false
	}
	f.start = len(markOf(source))
	at := 0
	for line := 1; line <= lines.Last; line++ {
		switch line {
		case lines.Last:
			f.close = at
		case lines.First + 1:
			f.yaml = at
		}
		if end := bytes.IndexByte(source[at:], '\n'); end >= 0 {
			at += end + 1
		} else {
			at = len(source)
		}
	}
	if lines.Last == lines.First+1 {
		f.yaml = f.close
	}
	f.after = at
	return f, true
}
