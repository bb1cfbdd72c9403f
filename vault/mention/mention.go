// Package mention finds names in text that nobody linked: whole words, in upper
// or lower case. It knows nothing of files and nothing of any database.
package mention

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A name is looked for when it has at least minLetters letters, so that dates
// and abbreviations are left alone, and at most maxName bytes.
const (
	minLetters = 4
	maxName    = 200
)

// Fold returns the form in which a name is compared, "" for one that is not
// looked for.
func Fold(name string) string {
	if len(name) > maxName {
		return ""
	}
	letters := 0
	for _, r := range name {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < minLetters {
		return ""
	}
	return strings.Map(unicode.ToLower, norm.NFC.String(strings.Join(strings.Fields(name), " ")))
}

// Finder is one automaton over many names: a trie of the bytes of their folded
// forms, walked from the start of every word. Since no name is longer than
// maxName, the time to search a text grows with its length alone.
//
// Its nodes are numbered level by level, so that the children of a node lie
// side by side: those of node n are first[n] up to, not including, first[n+1].
type Finder struct {
	chars []byte  // of each node: the byte that leads to it
	first []int32 // and one more
	names []int32 // the name that ends at each node, -1 for none
}

// New returns a finder of names, which are as Fold returns them.
func New(names []string) *Finder {
	order := make([]int32, 0, len(names))
	for i, name := range names {
		if name != "" {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	// A node stands for the names that start with the bytes that lead to it:
	// those of order[from:to].
	type span struct{ from, to, length int32 }
	f := &Finder{chars: []byte{0}}
	nodes := []span{{0, int32(len(order)), 0}}
	for n := 0; n < len(nodes); n++ {
		s := nodes[n]
		f.first = append(f.first, int32(len(nodes)))
		f.names = append(f.names, -1)
		for ; s.from < s.to && len(names[order[s.from]]) == int(s.length); s.from++ {
			f.names[n] = order[s.from]
		}
		for at := s.from; at < s.to; {
			char, from := names[order[at]][s.length], at
			for at < s.to && names[order[at]][s.length] == char {
				at++
			}
			nodes = append(nodes, span{from, at, s.length + 1})
			f.chars = append(f.chars, char)
		}
	}
	f.first = append(f.first, int32(len(nodes)))
	return f
}

// child returns the child of a node by its byte, 0 for none.
func (f *Finder) child(at int32, char byte) int32 {
	first := f.first[at]
	for i, c := range f.chars[first:f.first[at+1]] {
		if c == char {
			return first + int32(i)
		}
	}
	return 0
}

// Find calls found for every name that stands in line[start:end] as whole
// words, with its number and its place in the line. What lies around the
// stretch decides where its words end. Names may overlap.
func (f *Finder) Find(line string, start, end int, found func(name, start, end int)) {
	before, _ := utf8.DecodeLastRuneInString(line[:start])
	inWord := start > 0 && isWord(before)
	for at := start; at < end; {
		r, size := rune(line[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(line[at:end])
		}
		word := isWord(r)
		if !inWord || !word {
			f.findAt(line, at, end, found)
		}
		inWord = word
		at += size
	}
}

// findAt calls found for every name that starts at start.
func (f *Finder) findAt(line string, start, end int, found func(name, start, end int)) {
	node := int32(0)
	for at := start; at < end; {
		r, size := rune(line[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(line[at:end])
		}
		if node = f.step(node, r); node == 0 {
			return
		}
		at += size
		if name := f.names[node]; name >= 0 && (!isWord(r) || endsWord(line[at:])) {
			found(int(name), start, at)
		}
	}
}

// step returns the node after a rune in upper or lower case, 0 for none.
func (f *Finder) step(at int32, r rune) int32 {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return f.child(at, byte(r))
	}
	var bytes [utf8.UTFMax]byte
	for _, char := range bytes[:utf8.EncodeRune(bytes[:], unicode.ToLower(r))] {
		if at = f.child(at, char); at == 0 {
			return 0
		}
	}
	return at
}

// endsWord says whether no word goes on with the text that follows.
func endsWord(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	return size == 0 || !isWord(r)
}

// isWord says whether a rune is part of a word. The full-text index, which
// proposes the notes that may hold a new name, cuts words at fewer runes.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}
