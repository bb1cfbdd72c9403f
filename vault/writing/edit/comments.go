package edit

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hence/vault/note"
)

// splitLines returns the lines of a text, with their line ends, as the YAML package counts
// lines.
func splitLines(text string) []string {
	lines := []string{}
	for source, offset := []byte(text), 0; offset < len(source); {
		next := note.NextYAMLLine(source, offset)
		lines = append(lines, text[offset:next])
		offset = next
	}
	return lines
}

// findComments reports for each line whether it is a comment, and not a line of a value that
// starts with "#". The YAML package decides, so that no scanner is needed here to find the
// end of a value: findComments inserts a mark after each "#" that starts a line and parses
// the text; a line whose mark appears in a key or value is not a comment.
func findComments(lines []string) ([]bool, error) {
	comments := make([]bool, len(lines))
	text := strings.Join(lines, "")
	mark := "hence"
	for strings.Contains(text, mark) {
		mark += "-"
	}
	var marked strings.Builder
	hasComment := false
	for i, line := range lines {
		bare := strings.TrimLeft(line, " \t")
		if comments[i] = strings.HasPrefix(bare, "#"); comments[i] {
			hasComment = true
			before := line[:len(line)-len(bare)]
			line = fmt.Sprint(before, "#", mark, i, ".", bare[1:])
		}
		marked.WriteString(line)
	}
	if !hasComment {
		return comments, nil
	}
	root, _, err := note.ParseYAML([]byte(marked.String()))
	if err != nil {
		return nil, err
	}
	eachText(root, func(text string) {
		for {
			_, rest, ok := strings.Cut(text, "#"+mark)
			if !ok {
				return
			}
			var i int
			if _, err := fmt.Sscanf(rest, "%d.", &i); err == nil && i < len(comments) {
				comments[i] = false
			}
			text = rest
		}
	})
	return comments, nil
}

// eachText calls f with the text of every key and value.
func eachText(n *yaml.Node, f func(text string)) {
	if n == nil {
		return
	}
	f(n.Value)
	for _, inner := range n.Content {
		eachText(inner, f)
	}
}

// commentsIn returns the comment lines from first up to, not including, last.
func (b block) commentsIn(first, last int) string {
	var comments strings.Builder
	for i := first; i < last; i++ {
		if b.comments[i] {
			comments.WriteString(b.lines[i])
		}
	}
	return comments.String()
}

// rest is the part of a block that a change of some properties must leave as it is.
type rest struct {
	text   string // the lines of the other properties, and all comment lines
	values string // keys and values of the other properties, even if a later property with the same name replaces them
}

// rest returns the rest of a block if the entries change for whose index changed is true.
func (b block) rest(changed func(i int) bool) rest {
	values := []string{}
	text := b.splice(0, len(b.lines), b.entries, func(i int) string {
		e := b.entries[i]
		if changed(i) {
			return b.commentsIn(e.first, e.last)
		}
		eachText(e.key, func(text string) { values = append(values, strconv.Quote(text)) })
		eachText(e.value, func(text string) { values = append(values, strconv.Quote(text)) })
		return b.text(e.first, e.last)
	})
	return rest{text, strings.Join(values, " ")}
}
