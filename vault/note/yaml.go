package note

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hence/internal/pattern"
)

// YAMLError is a mistake in a text that ParseYAML reads.
type YAMLError struct {
	Offset int    // of the line with the mistake; for what is never closed, that of its beginning
	Text   string // the YAML package's, without its line
}

func (e *YAMLError) Error() string { return "invalid YAML: " + e.Text }

// ParseYAML reads the text between the fences of frontmatter. It returns the root of the
// first YAML document, nil if there is none, and the offset at which YAML ends that
// document: len(text), or the start of a line that begins with a document mark ("...",
// "---") or cannot belong to the document (a directive, a line with less indentation than
// the properties above it). The line is exact for a mark, else it is that line or one
// shortly before it. Invalid UTF-8 is read as U+FFFD. The error is a YAMLError.
func ParseYAML(text []byte) (root *yaml.Node, end int, err error) {
	if root, end, err = parseYAML(text); err != nil {
		return nil, 0, &YAMLError{mistakeOffset(text), strings.TrimPrefix(yamlLine().ReplaceAllString(err.Error(), ""), "yaml: ")}
	}
	return root, end, nil
}

// mistakeOffset returns the offset of the first line from which on every beginning of a text
// has the mistake of the whole. The YAML package's own line may be the one before, that of
// the mapping around it, or missing. A blank line before the text makes it name one always.
func mistakeOffset(text []byte) int {
	mistake := func(end int) string {
		_, _, err := parseYAML(slices.Concat([]byte{'\n'}, text[:end]))
		return fmt.Sprint(err)
	}
	ends := []int{}
	for offset := 0; offset < len(text); {
		offset = NextYAMLLine(text, offset)
		ends = append(ends, offset)
	}
	whole := mistake(len(text))
	if strings.Contains(whole, "expected ',' or ") { // a bracket never closed: the line is its own
		return lineStart(text, errorLine(whole))
	}
	if line := sort.Search(len(ends), func(i int) bool { return mistake(ends[i]) == whole }); line > 0 {
		return ends[min(line, len(ends)-1)-1]
	}
	return 0
}

func parseYAML(text []byte) (root *yaml.Node, end int, err error) {
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
	if offset, ok := findMark(text); ok {
		return root, offset, nil
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return root, lineStart(text, max(errorLine(fmt.Sprint(err)), lastLine(root)+1)), nil
	}
	return root, len(text), nil
}

// findMark returns the offset of the first line that starts with a document mark: "..." or
// "---", followed by a blank or the end of the line. YAML ends the document there, even
// within a value.
func findMark(text []byte) (offset int, ok bool) {
	for offset < len(text) {
		if rest := text[offset:]; bytes.HasPrefix(rest, []byte("...")) || bytes.HasPrefix(rest, []byte("---")) {
			if after := rest[3:]; len(after) == 0 || after[0] == ' ' || after[0] == '\t' || breakLength(after) > 0 {
				return offset, true
			}
		}
		offset = NextYAMLLine(text, offset)
	}
	return 0, false
}

// NextYAMLLine returns the offset of the line after the one that contains text[offset]. It
// counts lines as the YAML package does: they end with "\r" alone too, and with U+0085,
// U+2028 and U+2029.
func NextYAMLLine(text []byte, offset int) int {
	for ; offset < len(text); offset++ {
		if n := breakLength(text[offset:]); n > 0 {
			return offset + n
		}
	}
	return offset
}

// breakLength returns the length in bytes of the line break at the start of text, or 0.
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

var yamlLine = pattern.Lazy(`^yaml: line (\d+): `)

// errorLine returns the line that a message of the YAML package names, else 1.
func errorLine(message string) int {
	if m := yamlLine().FindStringSubmatch(message); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return max(n, 1)
		}
	}
	return 1
}

// lastLine returns the line on which the last value of a document starts.
func lastLine(n *yaml.Node) int {
	if n == nil {
		return 0
	}
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n.Line
}

// lineStart returns the offset of a line, 1-based as YAML counts, or the last offset of text
// if it has no such line.
func lineStart(text []byte, line int) (offset int) {
	for ; line > 1 && offset < len(text); line-- {
		offset = NextYAMLLine(text, offset)
	}
	return min(offset, max(len(text)-1, 0))
}
