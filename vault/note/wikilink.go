package note

import (
	"bytes"
	"strings"
)

// wikilink reads [[…]], after a '!' if embed. Only "]]" on the same line closes it. A
// "[[" before another "[[" is text.
//
// The parser of go.abhg.dev/goldmark/wikilink differs: it splits at the last '#',
// keeps the backslash of `\|`, drops [[|x]], and reads [[a [[b]] as one link. A test
// compares the two on the rest.
func (s *scanner) wikilink(embed bool) bool {
	open := s.at
	if embed {
		open++
	}
	start := open + 2
	end := wikilinkEnd(s.buf, start)
	if end < 0 {
		return false
	}
	link, ok := wikilinkText(s.buf[start:end], s.leaf.kind == leafCell)
	if !ok {
		return false
	}
	link.Form = Wikilink
	if embed {
		link.Form = Embed
	} else {
		s.inert = len(s.brackets)
	}
	s.links = append(s.links, placedLink{Link: link, start: s.at, end: end + 2})
	s.at = end + 2
	return true
}

// wikilinkEnd returns where the "]]" is that closes a wikilink whose text starts at
// start, or -1. It searches no further than the next "[[", so that a row of them
// takes linear time.
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

// wikilinkText reads the text between [[ and ]]. The first '|' that is not its first
// character starts the display; the first '#' starts the anchor.
func wikilinkText(text []byte, cell bool) (Link, bool) {
	if len(bytes.TrimSpace(text)) == 0 {
		return Link{}, false
	}
	raw := valid(text)
	if cell {
		raw = strings.ReplaceAll(raw, `\|`, "|")
	}
	var shown string
	if i := strings.IndexByte(raw[1:], '|'); i >= 0 {
		raw, shown = raw[:i+1], raw[i+2:]
	}
	target, anchor := splitAnchor(raw)
	return Link{Target: target, Anchor: anchor, Display: runeHead(shown, maxDisplay)}, true
}

// splitAnchor cuts a link's text at its first '#', which the anchor keeps.
func splitAnchor(text string) (target, anchor string) {
	if i := strings.IndexByte(text, '#'); i >= 0 {
		text, anchor = text[:i], strings.TrimSpace(text[i:])
	}
	return strings.TrimSpace(text), anchor
}

// valid returns b as valid UTF-8.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }
