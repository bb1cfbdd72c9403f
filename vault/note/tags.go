package note

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/text"
	"go.abhg.dev/goldmark/hashtag"
)

// obsidianTags knows Obsidian's tag characters: letters, digits, emoji and
// "/_-", not all digits.
var obsidianTags = hashtag.Parser{Variant: hashtag.ObsidianVariant}

// tag reads the tag that starts at the '#' here.
func (s *scanner) tag() bool {
	r, _ := utf8.DecodeLastRune(s.buf[:s.at])
	// Inside a word, a path, an entity or a row of '#' no tag starts.
	if s.at > 0 && (strings.ContainsRune("_-/#&", r) || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
		return false
	}
	n := tagLen(s.buf[s.at:])
	if n == 0 {
		return false
	}
	s.tags = append(s.tags, mark{start: s.at, end: s.at + n})
	s.at += n
	return true
}

// tagLen returns the length of the tag at the start of b, '#' included, or 0.
func tagLen(b []byte) int {
	// The parser looks ahead to the next white space. Cutting at the next character
	// that no tag contains keeps a row of ".#" from being read again for each.
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
