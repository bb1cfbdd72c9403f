package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// docBefore returns the comment that stands right before a node, without its marks;
// keep says which comments count.
func docBefore(n node, keep func(string) bool) string {
	texts := []string{}
	begin := n.start()
	for at := n.previous(); at.ok(); at = at.previous() {
		if at.is("attribute_item") { // of Rust: it stands between
			begin = at.start()
			continue
		}
		if !isComment(at) || !keep(at.string()) || gap(at, at.end(), begin) > 1 {
			break
		}
		if before := bytes.TrimRight(n.text[:at.start()], " \t\r"); len(before) > 0 && before[len(before)-1] != '\n' {
			break // a comment behind code on its line is about that code
		}
		texts = append(texts, at.string())
		begin = at.start()
	}
	slices.Reverse(texts)
	return plainComment(strings.Join(texts, "\n"))
}

// gap counts the line ends between two places.
func gap(n node, from, to int) int {
	if from > 0 && from <= len(n.text) && n.text[from-1] == '\n' {
		from-- // the comment ends with its line end
	}
	return strings.Count(n.slice(from, to), "\n")
}

// plainComment takes the marks of a comment away.
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

// blockComment keeps /** */ and ///, which are about what follows them.
func blockComment(text string) bool {
	return strings.HasPrefix(text, "/**") || strings.HasPrefix(text, "///")
}
