package syntax

import (
	"bytes"

	"hence/internal/pattern"
)

// unknownWords matches words of TypeScript that the grammar does not know: type in
// export type * from, and in and out before a type parameter.
var unknownWords = pattern.Lazy(`(?m)^[ \t]*export\s+(type)\s*\*|[<,]\s*(?:const\s+)?(in\s+out|in|out)\s+[\pL_$][\pL\pN_$]*\s*(?:[,>=]|extends\b)`)

var genericLine = pattern.Lazy(`(?m)^[ \t]*<(?:[\pL_]|[ \t]*$)`)

// repairECMA parses broken TypeScript again with blanks in place of words that the grammar
// does not know, and with semicolons in place of some line breaks, because the grammar reads
// two signatures of an interface as one if the first has no semicolon and the second begins
// with <. It returns the tree with the fewest errors, with the original text.
func repairECMA(t *tree, g *grammar, text []byte) *tree {
	if t == nil || !t.isBroken() {
		return t
	}
	changed := bytes.Clone(text)
	for at := 0; at < len(changed); {
		match := unknownWords().FindSubmatchIndex(changed[at:])
		if match == nil {
			break
		}
		word := match[2:4]
		if word[0] < 0 {
			word = match[4:6]
		}
		copy(changed[at+word[0]:], bytes.Repeat([]byte(" "), word[1]-word[0]))
		at += word[1] // the next may begin with the comma that ends this
	}
	t = g.better(t, changed, text)
	closed := bytes.Clone(changed)
	for _, match := range genericLine().FindAllIndex(text, -1) {
		if end := codeEnd(text, match[0]); end > 0 {
			closed[end] = ';'
		}
	}
	return g.better(t, closed, text)
}

// better returns the tree of a changed text, as one of the original text, if it has fewer
// errors than t; else t.
func (g *grammar) better(t *tree, changed, text []byte) *tree {
	if !t.isBroken() || bytes.Equal(changed, text) {
		return t
	}
	other := g.parse(changed)
	if other == nil || other.errors() >= t.errors() {
		return t
	}
	other.text = text
	return other
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
		if bytes.IndexByte([]byte("{;,(<|&=:?["), line[len(line)-1]) >= 0 || bytes.HasSuffix(line, []byte("=>")) {
			return 0
		}
		return end
	}
	return 0
}
