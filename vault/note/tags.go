package note

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tag reads the tag at s.pos, which is a '#', and reports whether there is one.
func (s *scanner) tag() bool {
	r, _ := utf8.DecodeLastRune(s.buf[:s.pos])
	// Inside a word, a path, an entity or a row of '#' no tag starts.
	if s.pos > 0 && (strings.ContainsRune("_-/#&", r) || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
		return false
	}
	n := tagLen(s.buf[s.pos:])
	if n == 0 {
		return false
	}
	s.tags = append(s.tags, mark{start: s.pos, end: s.pos + n})
	s.pos += n
	return true
}

// tagLen returns the length of the tag at the start of b, '#' included, or 0. As in Obsidian, whose
// pattern plugins repeat, a tag has any characters but white space, punctuation of ASCII other
// than "/_-", and the blocks of general and supplemental punctuation, and not digits alone.
func tagLen(b []byte) int {
	end, digits := 1, 1
	for end < len(b) {
		r, n := utf8.DecodeRune(b[end:])
		if r == utf8.RuneError && n == 1 || endsTag(r) {
			break
		}
		if end += n; n == 1 && isDigit(byte(r)) {
			digits++
		}
	}
	if digits == end {
		return 0
	}
	return end
}

func endsTag(r rune) bool {
	if r < utf8.RuneSelf {
		return !isAlphanumeric(byte(r)) && !strings.ContainsRune("_-/", r)
	}
	return unicode.IsSpace(r) || r >= 0x2000 && r <= 0x206F || r >= 0x2E00 && r <= 0x2E7F || r == 0xFEFF
}
