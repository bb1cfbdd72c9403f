package note

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// ParseYAML reads the text between the fences of frontmatter. It returns the
// root of the first YAML document, nil if there is none, and the place in
// the text where YAML ends that document: len(text), or the start of a line
// that begins with a document mark ("...", "---") or cannot belong to the document
// (a directive, a line with less indentation than the properties above it). The
// line is exact for a mark, else at or shortly before the one that is at fault.
// Invalid UTF-8 is read as U+FFFD. The error is the YAML package's.
func ParseYAML(text []byte) (root *yaml.Node, end int, err error) {
	defer func() {
		// The YAML package panics on a few broken documents.
		if r := recover(); r != nil {
			root, end, err = nil, 0, fmt.Errorf("yaml: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(text, []byte("\ufffd"))))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if len(first.Content) > 0 {
		root = first.Content[0]
	}
	if bytes.HasPrefix(text, byteOrderMark) {
		// The decoder skips the mark at the start of its input; in the file, behind the
		// fence, YAML reads it as part of the first key.
		return root, 0, nil
	}
	if at, ok := markAt(text); ok {
		return root, at, nil
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return root, lineStart(text, max(errorLine(fmt.Sprint(err)), lastLine(root)+1)), nil
	}
	return root, len(text), nil
}

// markAt finds the first line that starts with a document mark: "..." or "---",
// followed by a blank or the end of the line. YAML ends the document there even
// within a value.
func markAt(text []byte) (at int, ok bool) {
	for at < len(text) {
		if rest := text[at:]; bytes.HasPrefix(rest, []byte("...")) || bytes.HasPrefix(rest, []byte("---")) {
			if after := rest[3:]; len(after) == 0 || after[0] == ' ' || after[0] == '\t' || breakLength(after) > 0 {
				return at, true
			}
		}
		at = NextYAMLLine(text, at)
	}
	return 0, false
}

// NextYAMLLine returns where the line after the one at a place starts, as the
// YAML package counts lines: they end with "\r" alone too, and with U+0085,
// U+2028 and U+2029.
func NextYAMLLine(text []byte, at int) int {
	for ; at < len(text); at++ {
		if n := breakLength(text[at:]); n > 0 {
			return at + n
		}
	}
	return at
}

// breakLength is how many bytes of a line break a text starts with.
func breakLength(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '\n':
		return 1
	case '\r':
		if len(text) > 1 && text[1] == '\n' {
			return 2
		}
		return 1
	case 0xC2, 0xE2:
		for _, end := range []string{"\u0085", "\u2028", "\u2029"} {
			if bytes.HasPrefix(text, []byte(end)) {
				return len(end)
			}
		}
	}
	return 0
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// errorLine returns the line that a message of the YAML package names, else 1.
func errorLine(message string) int {
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return max(n, 1)
		}
	}
	return 1
}

// lastLine is the line on which the last value of a document starts.
func lastLine(n *yaml.Node) int {
	if n == nil {
		return 0
	}
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n.Line
}

// lineStart returns where a line of a text starts, 1-based as YAML counts.
func lineStart(text []byte, line int) (at int) {
	for ; line > 1 && at < len(text); line-- {
		at = NextYAMLLine(text, at)
	}
	return min(at, max(len(text)-1, 0))
}
