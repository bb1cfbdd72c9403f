package note

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/text"
	"go.abhg.dev/goldmark/hashtag"
)

// obsidianTags parses tags as Obsidian does: of letters, digits, emoji and "/_-", but not
// of digits only.
var obsidianTags = hashtag.Parser{Variant: hashtag.ObsidianVariant}

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

// tagLen returns the length of the tag at the start of b, '#' included, or 0.
func tagLen(b []byte) int {
	// The parser reads ahead to the next white space. The text is cut at the next character
	// that no tag contains, so that each tag in a row of ".#" does not read the whole row.
	end := 1
	for end < len(b) {
		r, n := utf8.DecodeRune(b[end:])
		if r == utf8.RuneError && n == 1 || r < utf8.RuneSelf && !isLetter(byte(r)) && !isDigit(byte(r)) && !strings.ContainsRune("_-/", r) {
			break
		}
		end += n
	}
	if end == 1 {
		return 0
	}
	n, ok := obsidianTags.Parse(nil, text.NewReader(b[:end]), nil).(*hashtag.Node)
	if !ok || len(n.Tag) == 0 {
		return 0
	}
	return 1 + len(n.Tag)
}
