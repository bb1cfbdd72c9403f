package syntax

import "strings"

// docBefore returns the comment that stands right before a node, without its marks;
// keep says which comments count.
func docBefore(n node, keep func(string) bool) string {
	parent := n.parent()
	if !parent.ok() {
		return ""
	}
	texts := []string{}
	end := -1
	for child := range parent.children() {
		if child.at >= n.at {
			break
		}
		if child.is("attribute_item") { // of Rust: it stands between
			if end >= 0 {
				end = child.end()
			}
			continue
		}
		if !isComment(child) || !keep(child.string()) {
			texts, end = texts[:0], -1
			continue
		}
		if end >= 0 && gap(child, end, child.start()) > 1 {
			texts = texts[:0]
		}
		// A comment behind code on its line is about that code.
		if previous := child.start(); beginsLine(n, previous) {
			texts = append(texts, child.string())
		} else {
			texts = texts[:0]
		}
		end = child.end()
	}
	if len(texts) == 0 || gap(n, end, n.start()) > 1 {
		return ""
	}
	return plainComment(strings.Join(texts, "\n"))
}

// gap counts the line ends between two places.
func gap(n node, from, to int) int {
	if from > 0 && from <= len(n.text) && n.text[from-1] == '\n' {
		from-- // the comment ends with its line end
	}
	return strings.Count(n.slice(from, to), "\n")
}

func beginsLine(n node, at int) bool {
	for at > 0 {
		at--
		switch n.text[at] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

// plainComment takes the marks of a comment away.
func plainComment(text string) string {
	lines := []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		line = strings.TrimSuffix(line, "*/")
		for _, mark := range []string{"/**", "/*!", "/*", "///", "//!", "//", "#:", "#", "*"} {
			if rest, found := strings.CutPrefix(line, mark); found {
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
