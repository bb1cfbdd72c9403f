package syntax

import (
	"bytes"
	"regexp"
	"sync"
)

var genericLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*<[\pL_]`) })

// closeSignatures parses broken TypeScript again with semicolons in place of some line
// breaks, because the grammar reads two signatures of an interface as one if the first has
// no semicolon and the second begins with <. It returns the tree with fewer errors, with
// the original text.
func closeSignatures(t *tree, g *grammar, text []byte) *tree {
	if t == nil || !t.isBroken() {
		return t
	}
	closed := bytes.Clone(text)
	changed := false
	for _, match := range genericLine().FindAllIndex(text, -1) {
		if end := codeEnd(text, match[0]); end > 0 {
			closed[end] = ';'
			changed = true
		}
	}
	if !changed {
		return t
	}
	repaired := g.parse(closed)
	if repaired == nil || repaired.errors() >= t.errors() {
		return t
	}
	repaired.text = text
	return repaired
}

// codeEnd returns the offset of the line break after the last line of code before an
// offset, if a signature may end there; else 0.
func codeEnd(text []byte, at int) int {
	for at > 0 {
		end := at - 1
		start := bytes.LastIndexByte(text[:end], '\n') + 1
		line := bytes.TrimSpace(text[start:end])
		at = start
		if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("*")) || bytes.HasPrefix(line, []byte("/*")) {
			continue
		}
		if bytes.IndexByte([]byte("{;,(<|&=:?["), line[len(line)-1]) >= 0 {
			return 0
		}
		return end
	}
	return 0
}

// errors returns the number of nodes that the parser skipped or inserted.
func (t *tree) errors() int {
	count := 0
	for i := range t.nodes {
		if t.nodes[i].flags&(flagError|flagMissing) != 0 {
			count++
		}
	}
	return count
}
