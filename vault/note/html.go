package note

import "bytes"

// htmlSpans are the kinds of inline HTML that end at a fixed text.
var htmlSpans = [4]struct{ open, close string }{
	{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"},
}

// html skips the comment, HTML tag or autolink at s.pos, which contains neither links nor
// tags, and reports whether there is one.
func (s *scanner) html() bool {
	for i, span := range htmlSpans {
		if !s.has(span.open) || span.open == "<!" && !isLetter(s.peek(2)) {
			continue
		}
		if s.noHTML[i] {
			return false
		}
		n := len(span.open)
		if end := bytes.Index(s.buf[s.pos+n:], []byte(span.close)); end >= 0 {
			s.pos += n + end + len(span.close)
			return true
		}
		s.noHTML[i] = true
		return false
	}
	if end := s.autolink(); end > 0 {
		s.pos = end
		return true
	}
	if end := s.htmlTag(); end > 0 {
		s.pos = end
		return true
	}
	return false
}

// autolink returns the end of the <scheme:…> or <a@b.c> at s.pos, or 0.
func (s *scanner) autolink() int {
	for i := s.pos + 1; i < len(s.buf); i++ {
		switch c := s.buf[i]; {
		case c <= ' ' || c == '<':
			return 0
		case c == '>':
			inner := s.buf[s.pos+1 : i]
			if schemeLen(inner) > 0 || bytes.IndexByte(inner, '@') > 0 {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// maxTag bounds the length of an HTML tag, in bytes.
const maxTag = 4096

// htmlTag returns the end of the opening or closing tag at s.pos, or 0.
func (s *scanner) htmlTag() int {
	i := s.pos + 1
	closing := i < len(s.buf) && s.buf[i] == '/'
	if closing {
		i++
	}
	if i >= len(s.buf) || !isLetter(s.buf[i]) {
		return 0
	}
	for i < len(s.buf) && i < s.pos+maxTag {
		switch s.buf[i] {
		case '>':
			return i + 1
		case '<', '`':
			return 0
		case '"', '\'':
			if closing || s.buf[i-1] != '=' && !isSpace(s.buf[i-1]) {
				return 0
			}
			end := s.quote(i)
			if end < 0 {
				return 0
			}
			i = end + 1
		case '[', ']', '|', '!':
			return 0 // not in a tag outside of quotes: "a <b and [[c]]>" keeps its link
		case '#':
			if s.buf[i-1] != '=' {
				return 0
			}
			i++
		default:
			i++
		}
	}
	return 0
}

// quote returns the offset of the quotation mark that closes the one at i, or -1.
func (s *scanner) quote(i int) int {
	which := 0
	if s.buf[i] == '\'' {
		which = 1
	}
	if s.noQuote[which] {
		return -1
	}
	if end := bytes.IndexByte(s.buf[i+1:], s.buf[i]); end >= 0 {
		return i + 1 + end
	}
	s.noQuote[which] = true
	return -1
}

// schemeLen returns the length of a URL's scheme with its colon, or 0. As in
// CommonMark a scheme has 2 to 32 characters.
func schemeLen(url []byte) int {
	for i, c := range url {
		switch {
		case c == ':':
			if i >= 2 && i <= 32 {
				return i + 1
			}
			return 0
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return 0
		}
	}
	return 0
}
