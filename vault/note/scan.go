package note

import (
	"bytes"
	"strings"
)

// placedLink is a link with its offsets in the scanned text.
type placedLink struct {
	Link
	start, end int
}

// mark is a range of the scanned text. That of a tag includes the '#'.
type mark struct{ start, end int }

// scanner reads inline text once, from left to right. The element that starts first
// wins: code spans, HTML, math and wikilinks hide elements inside them. Each search
// ahead either moves the scanner past the text it read or is remembered as failed, so a
// scan takes linear time.
type scanner struct {
	leaf  *leaf
	buf   []byte
	pos   int
	links []placedLink
	tags  []mark
	// opaque are the ranges that are not plain text, links included. They may contain one
	// another.
	opaque []mark

	brackets []bracket
	// inert is the number of brackets, from the bottom of the stack, that contain a link
	// already: a link cannot contain a link, but an image can.
	inert int

	ticks   map[int][]int // code span fences: length → offsets, ascending
	noMath  int           // no '$' closes a formula before this offset
	noMath2 bool          // no "$$" ahead
	noHTML  [4]bool       // no end of htmlSpans[i] ahead
}

// bracket is an open '[' or "![".
type bracket struct {
	start int
	image bool
}

// scan finds the links and tags of inline text.
func scan(t *leaf) *scanner {
	s := &scanner{leaf: t, buf: t.buf}
	for s.pos < len(s.buf) {
		start := s.pos
		if s.step() {
			s.opaque = append(s.opaque, mark{start, s.pos})
		} else {
			s.pos++
		}
	}
	return s
}

// step reads the element that starts at s.pos, and moves s.pos past it. It reports false if
// it has not moved s.pos.
func (s *scanner) step() bool {
	switch s.buf[s.pos] {
	case '\\':
		if s.pos+1 < len(s.buf) && isPunct(s.buf[s.pos+1]) {
			s.pos += 2
			return true
		}
	case '`':
		return s.codeSpan()
	case '<':
		return s.html()
	case '$':
		return s.math()
	case ':':
		return s.bareURL()
	case '#':
		return s.tag()
	case '!':
		if s.peek(1) == '[' {
			if s.peek(2) == '[' && s.wikilink(true) {
				return true
			}
			s.brackets = append(s.brackets, bracket{start: s.pos, image: true})
			s.pos += 2
			return true
		}
	case '[':
		if s.peek(1) == '[' && s.wikilink(false) {
			return true
		}
		s.brackets = append(s.brackets, bracket{start: s.pos})
	case ']':
		return s.closeBracket()
	}
	return false
}

func (s *scanner) peek(n int) byte {
	if s.pos+n < len(s.buf) {
		return s.buf[s.pos+n]
	}
	return 0
}

func (s *scanner) has(prefix string) bool {
	return len(s.buf)-s.pos >= len(prefix) && string(s.buf[s.pos:s.pos+len(prefix)]) == prefix
}

// codeSpan skips a code span, or a run of backticks that does not open one.
func (s *scanner) codeSpan() bool {
	if s.ticks == nil {
		s.findTicks()
	}
	n := 1
	for s.peek(n) == '`' {
		n++
	}
	places := s.ticks[n]
	for len(places) > 0 && places[0] <= s.pos {
		places = places[1:]
	}
	s.ticks[n] = places
	s.pos += n
	if len(places) > 0 {
		s.pos = places[0] + n
	}
	return true
}

// findTicks fills s.ticks.
func (s *scanner) findTicks() {
	s.ticks = map[int][]int{}
	for i := s.pos; i < len(s.buf); {
		if s.buf[i] != '`' {
			i++
			continue
		}
		n := i
		for n < len(s.buf) && s.buf[n] == '`' {
			n++
		}
		s.ticks[n-i] = append(s.ticks[n-i], i)
		i = n
	}
}

// math skips a formula: $$…$$, or $…$ on one line, with no blank after the opening
// sign, no blank before the closing one and no digit after it.
func (s *scanner) math() bool {
	if s.peek(1) == '$' {
		if !s.noMath2 {
			if i := bytes.Index(s.buf[s.pos+2:], []byte("$$")); i >= 0 {
				s.pos += 2 + i + 2
				return true
			}
			s.noMath2 = true
		}
		s.pos += 2
		return true
	}
	if s.pos < s.noMath || s.pos+1 >= len(s.buf) || isSpace(s.buf[s.pos+1]) {
		return false
	}
	i := s.pos + 1
	for ; i < len(s.buf) && s.buf[i] != '\n'; i++ {
		switch {
		case s.buf[i] == '\\':
			i++
		case s.buf[i] == '$' && i > s.pos+1 && !isSpace(s.buf[i-1]) && (i+1 == len(s.buf) || !isDigit(s.buf[i+1])):
			s.pos = i + 1
			return true
		}
	}
	s.noMath = i
	return false
}

// bareURL skips the rest of a URL, so that its fragment is not read as a tag.
func (s *scanner) bareURL() bool {
	if !s.has("://") || s.pos == 0 || !isLetter(s.buf[s.pos-1]) {
		return false
	}
	i := s.pos
	for i < len(s.buf) && s.buf[i] > ' ' && !strings.ContainsRune("<>[]()`|\"\\", rune(s.buf[i])) {
		i++
	}
	s.pos = i
	return true
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
