// Package mention finds names in text that nobody linked: whole words, in upper
// or lower case. It knows nothing of files and nothing of any database.
package mention

import (
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
type Finder struct {
	roots [256]int32 // by first byte: a node, 0 for none
	nodes []node     // the first one is none
}

// node is a byte of one or more names. Its children are a list.
type node struct {
	child, sibling int32 // nodes, 0 for none
	name           int32 // the name that ends here, -1 for none
	char           byte
}

// New returns a finder of names, which are as Fold returns them.
func New(names []string) *Finder {
	f := &Finder{nodes: make([]node, 1, 1+16*len(names))}
	for i, name := range names {
		if name != "" {
			f.add(name, int32(i))
		}
	}
	return f
}

func (f *Finder) add(name string, number int32) {
	at := f.roots[name[0]]
	if at == 0 {
		at = f.grow(name[0], 0)
		f.roots[name[0]] = at
	}
	for i := 1; i < len(name); i++ {
		next := f.child(at, name[i])
		if next == 0 {
			next = f.grow(name[i], f.nodes[at].child)
			f.nodes[at].child = next
		}
		at = next
	}
	f.nodes[at].name = number
}

func (f *Finder) grow(char byte, sibling int32) int32 {
	f.nodes = append(f.nodes, node{sibling: sibling, name: -1, char: char})
	return int32(len(f.nodes) - 1)
}

// child returns the child of a node by its byte, 0 for none.
func (f *Finder) child(at int32, char byte) int32 {
	for n := f.nodes[at].child; n != 0; n = f.nodes[n].sibling {
		if f.nodes[n].char == char {
			return n
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
	node := int32(-1) // before the first byte
	for at := start; at < end; {
		r, size := rune(line[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(line[at:end])
		}
		if node = f.step(node, unicode.ToLower(r)); node == 0 {
			return
		}
		at += size
		if name := f.nodes[node].name; name >= 0 && (!isWord(r) || endsWord(line[at:])) {
			found(int(name), start, at)
		}
	}
}

// step returns the node after a rune, 0 for none.
func (f *Finder) step(at int32, r rune) int32 {
	var bytes [utf8.UTFMax]byte
	for _, char := range bytes[:utf8.EncodeRune(bytes[:], r)] {
		if at < 0 {
			at = f.roots[char]
		} else {
			at = f.child(at, char)
		}
		if at == 0 {
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
