package note

import (
	"bytes"
	"strings"
)

// wikilink reads [[…]], after a '!' if embed, and reports whether it is a link. Only "]]" on
// the same line closes it. A "[[" before another "[[" is text.
//
// The parser of go.abhg.dev/goldmark/wikilink differs: it splits at the last '#',
// keeps the backslash of `\|`, drops [[|x]], and reads [[a [[b]] as one link. A test
// compares the two on the rest.
func (s *scanner) wikilink(embed bool) bool {
	open := s.pos
	if embed {
		open++
	}
	start := open + 2
	end := wikilinkEnd(s.buf, start)
	if end < 0 {
		return false
	}
	link, ok := wikilinkText(s.buf[start:end], s.leaf.isCell)
	if !ok {
		return false
	}
	link.Form = Wikilink
	if embed {
		link.Form = Embed
	} else {
		s.inert = len(s.brackets)
	}
	s.links = append(s.links, placedLink{Link: link, start: s.pos, end: end + 2})
	s.pos = end + 2
	return true
}

// wikilinkEnd returns the offset of the "]]" that closes a wikilink whose text starts at
// start, or -1. It searches only up to the next "[[", so that a row of them takes linear
// time.
func wikilinkEnd(buf []byte, start int) int {
	for i := start; i < len(buf); i++ {
		switch buf[i] {
		case '\n', '\r':
			return -1
		case '[':
			if i+1 < len(buf) && buf[i+1] == '[' || i == start {
				return -1
			}
		case ']':
			if i+1 < len(buf) && buf[i+1] == ']' {
				return i
			}
		}
	}
	return -1
}

// wikilinkText reads the text between [[ and ]], in a table cell if cell. The first '|' that
// is not its first character starts the display; the first '#' starts the anchor. ok is
// false for a blank text.
func wikilinkText(text []byte, cell bool) (link Link, ok bool) {
	if len(bytes.TrimSpace(text)) == 0 {
		return Link{}, false
	}
	raw := valid(text)
	if cell {
		raw = strings.ReplaceAll(raw, `\|`, "|")
	}
	var displayText string
	if i := strings.IndexByte(raw[1:], '|'); i >= 0 {
		raw, displayText = raw[:i+1], raw[i+2:]
	}
	target, anchor := splitAnchor(raw)
	return Link{Target: target, Anchor: anchor, Display: runeHead(displayText, maxDisplay)}, true
}

// splitAnchor cuts a link's text before its first '#'.
func splitAnchor(text string) (target, anchor string) {
	if i := strings.IndexByte(text, '#'); i >= 0 {
		text, anchor = text[:i], strings.TrimSpace(text[i:])
	}
	return strings.TrimSpace(text), anchor
}

// valid returns b as valid UTF-8.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }
