package note

import (
	"bytes"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

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
	end := s.autolink()
	if end == 0 {
		end = s.inline(rawHTML)
	}
	s.pos = max(s.pos, end)
	return end > 0
}

var (
	autolinks = parser.NewAutoLinkParser()
	rawHTML   = parser.NewRawHTMLParser()
)

// autolink returns the end of the <scheme:…> or <a@b.c> at s.pos, or 0.
func (s *scanner) autolink() int { return s.inline(autolinks) }

// maxTag bounds the length of an HTML tag or of an autolink, in bytes.
const maxTag = 4096

// inline returns the end of the element that a parser of Goldmark reads at s.pos, or 0.
func (s *scanner) inline(p parser.InlineParser) int {
	reader := text.NewReader(s.buf[s.pos:min(len(s.buf), s.pos+maxTag)])
	if p.Parse(nil, reader, parser.NewContext()) == nil {
		return 0
	}
	_, segment := reader.Position()
	return s.pos + segment.Start
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
