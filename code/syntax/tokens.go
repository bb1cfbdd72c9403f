package syntax

import (
	"bytes"
	"slices"
	"strings"

	"hence/projection/tokens"
)

// leaf is a token of the text and its offset.
type leaf struct {
	start int
	text  string
}

// leaves returns the tokens of a file without comments and layout. If indentation is syntax, it
// adds { and } at the beginning and end of each block. Text between nodes that a grammar does not show, such as
// the format in a text of Python, is a token too.
func (b *build) leaves() []leaf {
	all := []leaf{}
	type close struct {
		leaf
		end int
	}
	ends := []close{}
	closeAll := func(offset int) {
		for len(ends) > 0 && ends[len(ends)-1].end <= offset {
			all = append(all, ends[len(ends)-1].leaf)
			ends = ends[:len(ends)-1]
		}
	}
	read := 0         // the end of the last node without others below it
	next := uint32(0) // the first node that does not belong to a token of several nodes
	for n := range b.tree.root().below("comment", "line_comment", "block_comment", "html_comment") {
		if n.at < next {
			continue
		}
		text, isWhole := b.lang.layout.token(n)
		isLeaf := n.raw().next == n.at+1 || isWhole
		if isLeaf || isComment(n) {
			if hidden := strings.TrimSpace(string(b.tree.text[read:max(read, n.start())])); strings.Trim(hidden, "\\ \t\r\n") != "" {
				at := read + bytes.Index(b.tree.text[read:], []byte(hidden))
				closeAll(at)
				all = append(all, leaf{at, hidden})
			}
			read = n.end()
		}
		if isComment(n) || n.is("line_continuation") {
			continue
		}
		if b.lang.blocks && isDocString(n) {
			read, next = n.end(), n.raw().next
			continue
		}
		closeAll(n.start())
		if b.lang.blocks && n.is("block") && n.isNamed() {
			all = append(all, leaf{n.start() - 1, "{"}) // not of the declaration that the block begins with
			ends = append(ends, close{leaf{n.end(), "}"}, n.end()})
		}
		before, after := b.lang.layout.around(n)
		if before != "" {
			all = append(all, leaf{n.start(), before})
		}
		for _, text := range after {
			ends = append(ends, close{leaf{max(n.start(), n.end()-1), string(text)}, n.end()})
		}
		switch {
		case !isLeaf || n.end() <= n.start() || n.string() == "\n": // see closeSignatures
		case isWhole:
			next = n.raw().next
			if text != "" {
				all = append(all, leaf{n.start(), text})
			}
		case !b.lang.layout.isLayout(n):
			all = append(all, leaf{n.start(), strings.ReplaceAll(n.string(), "\r\n", "\n")})
		}
	}
	closeAll(len(b.tree.text) + 1)
	return all
}

// tokens sets the tokens of each declaration. Those of a class leave out the declarations
// within it, so that a change of a method does not change the class.
func (b *build) tokens() {
	if len(b.found) == 0 {
		return
	}
	all := b.leaves()
	indexOf := func(offset int) int {
		i, _ := slices.BinarySearchFunc(all, offset, func(l leaf, offset int) int { return l.start - offset })
		return i
	}
	for i := range b.found {
		f := &b.found[i]
		texts := []string{}
		for _, span := range f.spans {
			texts = b.addTokens(texts, all[indexOf(span[0]):indexOf(span[1])], f, span)
			for len(texts) > 0 && texts[len(texts)-1] == ";" { // the span of a declaration may end before it
				texts = texts[:len(texts)-1]
			}
		}
		f.Tokens = tokens.Of(texts, f.own)
	}
}

// addTokens appends the tokens of a span. Unless f.nests, it leaves out those of the
// declarations within the span.
func (b *build) addTokens(texts []string, all []leaf, f *foundDeclaration, span [2]int) []string {
	skip := [][2]int{}
	if !f.nests {
		at, _ := slices.BinarySearchFunc(b.found, span[0], func(x foundDeclaration, offset int) int { return x.Start - offset })
		for ; at < len(b.found) && b.found[at].Start < span[1]; at++ {
			inner := &b.found[at]
			if inner == f || inner.Start == f.Start && inner.End == f.End {
				continue
			}
			if inner.End <= span[1] && (len(skip) == 0 || inner.Start >= skip[len(skip)-1][1]) {
				skip = append(skip, [2]int{inner.Start, inner.End})
			}
		}
	}
	for _, l := range all {
		for len(skip) > 0 && l.start >= skip[0][1] && (l.start > skip[0][1] || !b.lang.blocks || l.text != "}") { // which ends its last block
			skip = skip[1:]
		}
		if len(skip) == 0 || l.start < skip[0][0] {
			texts = append(texts, l.text)
		}
	}
	return texts
}
