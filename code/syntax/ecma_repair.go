package syntax

import (
	"bytes"
	"regexp"
	"sync"
)

var genericLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*<[\pL_]`) })

// closeSignatures parses TypeScript again that the grammar took for broken: it reads
// two signatures of an interface as one type where the second begins with < and the
// first ends without a semicolon. Line ends there are read as semicolons. The tree with
// fewer errors is the result; its text is that of the file.
func closeSignatures(t *tree, g *grammar, text []byte) *tree {
	if t == nil || !t.isBroken() {
		return t
	}
	closed := bytes.Clone(text)
	changed := false
	for _, at := range genericLine().FindAllIndex(text, -1) {
		if end := codeEnd(text, at[0]); end > 0 {
			closed[end] = ';'
			changed = true
		}
	}
	if !changed {
		return t
	}
	again := g.parse(closed)
	if again == nil || again.errors() >= t.errors() {
		return t
	}
	again.text = text
	return again
}

// codeEnd returns the line end behind the last code before a place, if a signature may
// end there; else 0.
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

// errors counts what the parser had to skip or to invent.
func (t *tree) errors() int {
	count := 0
	for i := range t.nodes {
		if t.nodes[i].flags&(flagError|flagMissing) != 0 {
			count++
		}
	}
	return count
}
