// Package mention finds names in plain text. It ignores case, and finds a name only as
// whole words, but names in scripts without spaces between words anywhere.
package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hence/internal/prose"
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
func spaceWords(text string) string { return norm.NFC.String(prose.OneLine(text)) }

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

// Finder searches many names at once. It keeps the beginnings of names up to the end of each
// of their words, and looks for those at the start of every word of a text. Because no name is
// longer than maxName, a search takes linear time.
type Finder struct {
	folded map[string]beginning // of names found in any case
	exact  map[string]beginning // of names found in capitals only
}

// beginning is one name or several, or their first words.
type beginning struct {
	names  int // added with this text
	longer int // that go on after it
}

// New returns a finder of names in the form of Key.
func New(names []string) *Finder {
	f := &Finder{map[string]beginning{}, map[string]beginning{}}
	for _, name := range names {
		f.Add(name, 1)
	}
	return f
}

// Add adds a name in the form of Key a number of times, or removes it for a negative number.
func (f *Finder) Add(name string, times int) {
	known := f.exact
	if name == Fold(name) {
		known = f.folded
	}
	for end := 0; end < len(name); {
		end = stepEnd(name, end, len(name))
		b := known[name[:end]]
		if end == len(name) {
			b.names += times
		} else {
			b.longer += times
		}
		if known[name[:end]] = b; b == (beginning{}) {
			delete(known, name[:end])
		}
	}
}

// wordEnd returns the end of the word that starts at an offset in line[:end], or of the
// character there if that is not part of a word.
func wordEnd(line string, offset, end int) int {
	for start := offset; offset < end; {
		r, size := rune(line[offset]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(line[offset:end])
		}
		word := isWord(r)
		if !word && offset > start {
			break
		}
		if offset += size; !word {
			break
		}
	}
	return offset
}

// stepEnd is wordEnd, but a blank and the word after it are one step.
func stepEnd(line string, offset, end int) int {
	next := wordEnd(line, offset, end)
	if line[offset] == ' ' && next < end {
		if r, _ := utf8.DecodeRuneInString(line[next:end]); isWord(r) {
			return wordEnd(line, next, end)
		}
	}
	return next
}

// Find calls yield for every name in line[start:end], with its form and its offsets in the
// line. Names start and end at word boundaries of the whole line, and may overlap.
func (f *Finder) Find(line string, start, end int, yield func(name string, start, end int)) {
	before, _ := utf8.DecodeLastRuneInString(line[:start])
	first, _ := utf8.DecodeRuneInString(line[start:end])
	if start > 0 && isWord(before) && isWord(first) {
		start = wordEnd(line, start, end)
	}
	for start < end {
		c := line[start]
		if c != ' ' { // with which no name begins
			findAt(f.folded, line, start, end, lower, yield)
		}
		if len(f.exact) > 0 && c != ' ' && (c < 'a' || c > 'z') {
			findAt(f.exact, line, start, end, func(r rune) rune { return r }, yield)
		}
		start = wordEnd(line, start, end)
	}
}

// findAt calls yield for every name that starts at start, in the text with each character in
// its form.
func findAt(known map[string]beginning, line string, start, end int, form func(rune) rune, yield func(name string, start, end int)) {
	var space [maxName]byte
	text, last := space[:0], rune(0)
	for offset := start; offset < end && len(text) < maxName; {
		next := stepEnd(line, offset, min(end, offset+maxRaw))
		for _, r := range line[offset:next] {
			last = form(r)
			text = utf8.AppendRune(text, last)
		}
		b, ok := known[string(text)]
		if !ok {
			return
		}
		if offset = next; b.names > 0 && endsWord(last, line[next:]) {
			yield(string(text), start, next)
		}
		if b.longer == 0 {
			return
		}
	}
}

// maxRaw is the longest text in bytes of which a name is the form in lower case.
const maxRaw = utf8.UTFMax * maxName

func lower(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
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
