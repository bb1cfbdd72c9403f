package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// docBefore returns the comments directly before a node, without their marks, up to the
// first one for which keep is false.
func docBefore(n node, keep func(string) bool) string {
	texts := []string{}
	begin := n.start()
	for previous := n.previous(); previous.ok(); previous = previous.previous() {
		if previous.is("attribute_item") { // in Rust it is between comment and declaration
			begin = previous.start()
			continue
		}
		if !isComment(previous) || !keep(previous.string()) || gap(previous, previous.end(), begin) > 1 {
			break
		}
		if before := bytes.TrimRight(n.text[:previous.start()], " \t\r"); len(before) > 0 && before[len(before)-1] != '\n' {
			break // a comment after code on the same line is about that code
		}
		texts = append(texts, previous.string())
		begin = previous.start()
	}
	slices.Reverse(texts)
	return plainComment(strings.Join(texts, "\n"))
}

// gap returns the number of line breaks between two offsets.
func gap(n node, from, to int) int {
	if from > 0 && from <= len(n.text) && n.text[from-1] == '\n' {
		from-- // the comment includes its line break
	}
	return strings.Count(n.slice(from, to), "\n")
}

// plainComment returns the text of a comment without its marks.
func plainComment(text string) string {
	lines := []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		line = strings.TrimSuffix(line, "*/")
		for _, mark := range []string{"/**", "/*!", "/*", "///", "//!", "//", "#:", "#", "*"} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				line = strings.TrimPrefix(rest, " ")
				break
			}
		}
		lines = append(lines, strings.TrimRight(line, " \t"))
	}
	return strings.ToValidUTF8(strings.TrimSpace(strings.Join(lines, "\n")), "�")
}

func anyComment(string) bool { return true }

// blockComment reports whether a comment is a doc comment, /** */ or ///.
func blockComment(text string) bool {
	return strings.HasPrefix(text, "/**") || strings.HasPrefix(text, "///")
}
