package note

import (
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
	if s.at > 0 && joinsTag(r) {
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

// joinsTag says that a '#' after r is inside a word, a path, an entity or a
// row of '#' and so starts no tag.
func joinsTag(r rune) bool {
	switch r {
	case '_', '-', '/', '#', '&':
		return true
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// tagLen returns the length of the tag at the start of b, '#' included, or 0.
func tagLen(b []byte) int {
	// The parser looks ahead to the next white space; cutting at the next
	// character that no tag holds keeps a row of ".#" from being read anew for
	// each.
	end := 1
	for end < len(b) {
		r, n := utf8.DecodeRune(b[end:])
		if r == utf8.RuneError && n == 1 || r < utf8.RuneSelf && !inTag(byte(r)) {
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

func inTag(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '/'
}

// isTag says whether a whole text is a tag's name.
func isTag(name string) bool {
	return name != "" && tagLen([]byte("#"+name)) == len(name)+1
}
