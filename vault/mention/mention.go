// Package mention finds names in plain text. It ignores case, and finds a name only as
// whole words, but names in scripts without spaces between words anywhere.
package mention

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hence/internal/script"
)

// A name is searched if it has at least minLetters letters, which leaves out dates and
// short words, and at most maxName bytes. A Chinese character, a kana and a Korean
// syllable count as two letters.
const (
	minLetters = 4
	maxName    = 200
)

// Fold returns a text in lower case, with one blank between its words.
func Fold(text string) string { return strings.Map(unicode.ToLower, spaceWords(text)) }

// spaceWords returns a text in Unicode form NFC, with one blank between its words.
func spaceWords(text string) string { return norm.NFC.String(strings.Join(strings.Fields(text), " ")) }

// Key returns the form in which a name is searched, or "" if it is not searched. A name with
// fewer than minLetters letters is searched if it is all capitals and digits (RSS, S3), or
// if wanted is true. A name of one character is never searched. A name without lower-case
// letters (RSS, README) is found in capitals only.
func Key(name string, wanted bool) string {
	if len(name) > maxName {
		return ""
	}
	name = spaceWords(name)
	letters, capitals, small, digits, runes := 0, 0, 0, 0, 0
	for _, r := range name {
		runes++
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー':
			letters, small = letters+2, small+1
		case unicode.IsUpper(r):
			letters, capitals = letters+1, capitals+1
		case unicode.IsLetter(r):
			letters, small = letters+1, small+1
		case unicode.IsDigit(r):
			digits++
		}
	}
	switch {
	case runes < 2:
		return ""
	case letters >= minLetters, capitals > 0 && capitals+digits == runes, wanted && letters+digits > 0:
		if capitals > 0 && small == 0 {
			return name
		}
		return Fold(name)
	}
	return ""
}

// Finder searches many names at once. It compares them at the start of every word. Because
// no name is longer than maxName, a search takes linear time.
type Finder struct {
	folded trie // names found in any case
	exact  trie // names found in capitals only
}

// New returns a finder of names in the form of Key. The number of a name is its index.
func New(names []string) *Finder {
	var folded, exact []int32
	for i, name := range names {
		switch {
		case name == "":
		case name == Fold(name):
			folded = append(folded, int32(i))
		default:
			exact = append(exact, int32(i))
		}
	}
	return &Finder{folded: newTrie(names, folded), exact: newTrie(names, exact)}
}

// trie is a tree of the bytes of names.
//
// Its nodes are numbered level by level, so that the children of a node are adjacent: those
// of node n are first[n] up to, not including, first[n+1]. Node 0 is the root.
type trie struct {
	chars []byte  // by node: the byte that leads to it
	first []int32 // by node, and for the number of nodes: its first child
	names []int32 // by node: the number of the name that ends there, -1 for none
}

// newTrie returns the tree of the names whose numbers are in order.
func newTrie(names []string, order []int32) trie {
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	// The span of a node is order[from:to]: the names that start with the length bytes that
	// lead to it.
	type span struct{ from, to, length int32 }
	f := trie{chars: []byte{0}}
	nodes := []span{{0, int32(len(order)), 0}}
	for n := 0; n < len(nodes); n++ {
		s := nodes[n]
		f.first = append(f.first, int32(len(nodes)))
		f.names = append(f.names, -1)
		for ; s.from < s.to && len(names[order[s.from]]) == int(s.length); s.from++ {
			f.names[n] = order[s.from]
		}
		for i := s.from; i < s.to; {
			char, from := names[order[i]][s.length], i
			for i < s.to && names[order[i]][s.length] == char {
				i++
			}
			nodes = append(nodes, span{from, i, s.length + 1})
			f.chars = append(f.chars, char)
		}
	}
	f.first = append(f.first, int32(len(nodes)))
	return f
}

// child returns the child of a node to which char leads, or 0.
func (f *trie) child(node int32, char byte) int32 {
	first := f.first[node]
	for i, c := range f.chars[first:f.first[node+1]] {
		if c == char {
			return first + int32(i)
		}
	}
	return 0
}

// Find calls yield for every name in line[start:end], with its number and its offsets in the
// line. Names start and end at word boundaries of the whole line, and may overlap.
func (f *Finder) Find(line string, start, end int, yield func(name, start, end int)) {
	before, _ := utf8.DecodeLastRuneInString(line[:start])
	inWord := start > 0 && isWord(before)
	for offset := start; offset < end; {
		r, size := rune(line[offset]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(line[offset:end])
		}
		word := isWord(r)
		if !inWord || !word {
			f.folded.findAt(line, offset, end, true, yield)
			if r < 'a' || r > 'z' {
				f.exact.findAt(line, offset, end, false, yield)
			}
		}
		inWord = word
		offset += size
	}
}

// findAt calls yield for every name that starts at start. If anyCase is true, it compares
// the text in lower case.
func (f *trie) findAt(line string, start, end int, anyCase bool, yield func(name, start, end int)) {
	node := int32(0)
	for offset := start; offset < end; {
		r, size := rune(line[offset]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(line[offset:end])
		}
		if anyCase {
			r = lower(r)
		}
		if node = f.step(node, r); node == 0 {
			return
		}
		offset += size
		if name := f.names[node]; name >= 0 && endsWord(r, line[offset:]) {
			yield(int(name), start, offset)
		}
	}
}

func lower(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// step returns the node to which the bytes of a rune lead from a node, or 0.
func (f *trie) step(node int32, r rune) int32 {
	if r < utf8.RuneSelf {
		return f.child(node, byte(r))
	}
	var bytes [utf8.UTFMax]byte
	for _, char := range bytes[:utf8.EncodeRune(bytes[:], r)] {
		if node = f.child(node, char); node == 0 {
			return 0
		}
	}
	return node
}

// endsWord reports whether a name whose last rune is last ends a word, so that rest, the
// text after it, does not continue that word. A mark after a letter continues it.
func endsWord(last rune, rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case size == 0:
		return true
	case r >= utf8.RuneSelf && unicode.IsMark(r):
		return !isWord(last) && !script.IsSpaceless(last)
	}
	return !isWord(last) || !isWord(r)
}

// isWord reports whether a rune is part of a word. Each character of a script that does
// not separate words is a word of its own.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) && !script.IsSpaceless(r)
}
