package note

import (
	"bytes"
	"strings"
)

// placedLink is a link with its place in the scanned text.
type placedLink struct {
	Link
	start, end int
}

// mark is a place in the scanned text; for a tag it includes the '#'.
type mark struct{ start, end int }

// scanner reads inline text once, from left to right. The element that starts first
// wins: code spans, HTML, math and wikilinks hide what they contain. Each search
// ahead either moves the scanner past what it read or is remembered as failed, so
// a scan takes linear time.
type scanner struct {
	leaf  *leaf
	buf   []byte
	at    int
	links []placedLink
	tags  []mark
	// opaque are the places of everything that is not plain text, links included.
	// They may contain one another.
	opaque []mark

	brackets []bracket
	// inert counts the brackets, from the bottom, that contain a link already: a
	// link cannot contain a link, but an image can.
	inert int

	ticks   map[int][]int // code span fences: length → places, ascending
	noMath  int           // no '$' closes a formula before here
	noMath2 bool          // no "$$" ahead
	noHTML  [4]bool       // no end ahead for the i'th of htmlSpans
	noQuote [2]bool       // neither '"' nor '\'' ahead, for an attribute's end
}

// bracket is an open '[' or "![".
type bracket struct {
	at    int
	image bool
}

// scan finds the links and tags of inline text.
func scan(t *leaf) *scanner {
	s := &scanner{leaf: t, buf: t.buf}
	for s.at < len(s.buf) {
		start := s.at
		if s.step() {
			s.opaque = append(s.opaque, mark{start, s.at})
		} else {
			s.at++
		}
	}
	return s
}

// step reads the element that starts at s.at, if there is one.
func (s *scanner) step() bool {
	switch s.buf[s.at] {
	case '\\':
		if s.at+1 < len(s.buf) && isPunct(s.buf[s.at+1]) {
			s.at += 2
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
			s.brackets = append(s.brackets, bracket{at: s.at, image: true})
			s.at += 2
			return true
		}
	case '[':
		if s.peek(1) == '[' && s.wikilink(false) {
			return true
		}
		s.brackets = append(s.brackets, bracket{at: s.at})
	case ']':
		return s.closeBracket()
	}
	return false
}

func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.buf) {
		return s.buf[s.at+n]
	}
	return 0
}

func (s *scanner) has(prefix string) bool {
	return len(s.buf)-s.at >= len(prefix) && string(s.buf[s.at:s.at+len(prefix)]) == prefix
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
	for len(places) > 0 && places[0] <= s.at {
		places = places[1:]
	}
	s.ticks[n] = places
	s.at += n
	if len(places) > 0 {
		s.at = places[0] + n
	}
	return true
}

// findTicks lists every run of backticks by its length.
func (s *scanner) findTicks() {
	s.ticks = map[int][]int{}
	for i := s.at; i < len(s.buf); {
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
			if i := bytes.Index(s.buf[s.at+2:], []byte("$$")); i >= 0 {
				s.at += 2 + i + 2
				return true
			}
			s.noMath2 = true
		}
		s.at += 2
		return true
	}
	if s.at < s.noMath || s.at+1 >= len(s.buf) || isSpace(s.buf[s.at+1]) {
		return false
	}
	i := s.at + 1
	for ; i < len(s.buf) && s.buf[i] != '\n'; i++ {
		switch {
		case s.buf[i] == '\\':
			i++
		case s.buf[i] == '$' && i > s.at+1 && !isSpace(s.buf[i-1]) && (i+1 == len(s.buf) || !isDigit(s.buf[i+1])):
			s.at = i + 1
			return true
		}
	}
	s.noMath = i
	return false
}

// bareURL skips the rest of a URL, so that its fragment is not read as a tag.
func (s *scanner) bareURL() bool {
	if !s.has("://") || s.at == 0 || !isLetter(s.buf[s.at-1]) {
		return false
	}
	i := s.at
	for i < len(s.buf) && s.buf[i] > ' ' && !strings.ContainsRune("<>[]()`|\"\\", rune(s.buf[i])) {
		i++
	}
	s.at = i
	return true
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
