package note

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// closeBracket closes the innermost open bracket at a ']'. A (destination) after it makes a
// link, and is read too. It reports whether it moved s.pos. Obsidian does not see reference
// links ([text][label]).
func (s *scanner) closeBracket() bool {
	if len(s.brackets) == 0 {
		return false
	}
	top := len(s.brackets) - 1
	open := s.brackets[top]
	s.brackets = s.brackets[:top]
	mayLink := open.image || top >= s.inert
	s.inert = min(s.inert, top)
	if !mayLink || s.peek(1) != '(' {
		return false
	}
	dest, end := s.destination(s.pos + 2)
	if end < 0 {
		return false
	}
	label := s.pos
	s.pos = end
	s.opaque = append(s.opaque, mark{open.start, end})
	if !open.image {
		s.inert = len(s.brackets)
	}
	link, ok := markdownTarget(dest)
	if !ok {
		return true // a URL, or an empty destination
	}
	link.Form, link.Display = Markdown, display(s.buf[open.start+1:label])
	if open.image {
		link.Form, link.Display = MarkdownEmbed, display(s.buf[open.start+2:label])
	}
	s.links = append(s.links, placedLink{Link: link, start: open.start, end: end})
	return true
}

// maxDisplay bounds Link.Display in runes: each of many nested images contains the
// text of all inside it.
const maxDisplay = 200

// display returns the text of a link on one line, cut to maxDisplay runes.
func display(text []byte) string {
	line := runeHead(valid(text[:min(len(text), 4*maxDisplay)]), maxDisplay)
	return lineEnds.Replace(line)
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ")

// destination reads a link's destination and title from i, after the '('. It returns the
// destination and the end of the link, or -1 if this is not a link.
func (s *scanner) destination(i int) (dest []byte, end int) {
	i = s.skipSpace(i)
	start := i
	if i < len(s.buf) && s.buf[i] == '<' {
		if i = s.angleEnd(i + 1); i < 0 {
			return nil, -1
		}
		dest = s.buf[start+1 : i]
		i++
	} else {
		if i = s.plainEnd(i); i < 0 {
			return nil, -1
		}
		dest = s.buf[start:i]
	}
	gap := s.skipSpace(i)
	if gap > i && gap < len(s.buf) && s.buf[gap] != ')' {
		if i = s.titleEnd(gap); i < 0 {
			return nil, -1
		}
		gap = s.skipSpace(i)
	}
	if gap >= len(s.buf) || s.buf[gap] != ')' {
		return nil, -1
	}
	return dest, gap + 1
}

// Destination returns the destination of a Markdown link at the start of text, angle
// brackets included, or "" if there is none.
func Destination(text string) string {
	s := scanner{buf: []byte(text)}
	if strings.HasPrefix(text, "<") {
		return text[:s.angleEnd(1)+1]
	}
	return text[:max(0, s.plainEnd(0))]
}

// angleEnd returns the offset of the '>' that closes a <destination>, or -1.
func (s *scanner) angleEnd(i int) int {
	for ; i < len(s.buf); i++ {
		switch s.buf[i] {
		case '>':
			return i
		case '<', '\n', '\r':
			return -1
		case '\\':
			i++
		}
	}
	return -1
}

// maxParens bounds the nesting of parentheses in a destination, as in cmark. Without it
// each "[a](" in a row of them would be read to the end of the row.
const maxParens = 32

// plainEnd returns the end of a destination without angle brackets: the offset of white
// space or of the parenthesis that closes the link, or -1.
func (s *scanner) plainEnd(i int) int {
	depth := 0
	for ; i < len(s.buf); i++ {
		switch c := s.buf[i]; {
		case c == '\\' && i+1 < len(s.buf) && isPunct(s.buf[i+1]):
			i++
		case c == '(':
			if depth++; depth > maxParens {
				return -1
			}
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		case c <= ' ':
			if depth > 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

// titleEnd returns the end of the title that starts at i, or -1.
func (s *scanner) titleEnd(i int) int {
	closing := s.buf[i]
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return -1
	}
	for i++; i < len(s.buf); i++ {
		switch s.buf[i] {
		case '\\':
			i++
		case closing:
			return i + 1
		case '(':
			if closing == ')' {
				return -1
			}
		}
	}
	return -1
}

func (s *scanner) skipSpace(i int) int {
	for i < len(s.buf) && isSpace(s.buf[i]) {
		i++
	}
	return i
}

// markdownTarget returns the target and anchor that a destination names. ok is false for a
// URL and for an empty destination.
func markdownTarget(dest []byte) (link Link, ok bool) {
	if len(dest) == 0 || schemeLen(dest) > 0 || len(dest) > 1 && dest[0] == '/' && dest[1] == '/' {
		return Link{}, false
	}
	plain := util.UnescapePunctuations(dest)
	plain = util.ResolveNumericReferences(plain)
	plain = util.ResolveEntityNames(plain)
	// Cut before decoding: an encoded '#' belongs to the name.
	target, anchor := splitAnchor(valid(plain))
	link = Link{Target: decode(target), Anchor: decode(anchor)}
	return link, link.Target != "" || link.Anchor != ""
}

// decode returns s without percent-encoding, or s itself if its encoding is not valid.
func decode(s string) string {
	plain, err := url.PathUnescape(s)
	if err != nil || !utf8.ValidString(plain) {
		return s
	}
	return plain
}
