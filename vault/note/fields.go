package note

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/pattern"
)

// setKeys sets the key of each link of a leaf: from the inline field around it, from the
// line if that is a field (`key:: value`), or, in a bullet under a heading "Relations",
// from the word before it. The links are sorted.
func setKeys(t *leaf, s *scanner, relation bool) {
	plain := s.plain()
	for i := 0; i < len(s.links); {
		start, end := t.line(s.links[i].start)
		n := i + 1
		for n < len(s.links) && s.links[n].start < end {
			n++
		}
		setFields(t.buf[start:end], plain[start:end], start, s.links[i:n])
		if relation && start == 0 {
			setRelations(t.buf, s.links[i:n])
		}
		i = n
	}
}

// plain returns the scanned text with blanks in place of what is not plain text: "::" and brackets
// in code, a formula or a link make no field.
func (s *scanner) plain() []byte {
	plain, done := bytes.Clone(s.buf), 0
	for _, o := range s.opaque { // sorted by readPlain
		for done = max(done, o.start); done < o.end; done++ {
			plain[done] = ' '
		}
	}
	return plain
}

// setFields sets the keys of the links in a line that are in an inline field. A field in
// brackets takes precedence over the field that the whole line is, which does not begin in
// a bracket. plain is the line's part of scanner.plain.
func setFields(line, plain []byte, offset int, links []placedLink) {
	if !bytes.Contains(plain, []byte("::")) {
		return
	}
	setBracketFields(line, plain, offset, links)
	// The line itself may be `key:: value`, after a task's box.
	text := string(line)
	rest := dropTaskBox(strings.TrimLeft(text, " \t"))
	from := len(text) - len(rest)
	head, _, ok := bytes.Cut(plain[from:], []byte("::"))
	start := from + len(head) + len("::")
	key := fieldKey(rest[:len(head)])
	if !ok || key == "" || isUnclosed(head, "[", "]") || isUnclosed(head, "(", ")") {
		return
	}
	for i := range links {
		if links[i].KeyKind == KeyNone && links[i].start-offset >= start {
			links[i].Key, links[i].KeyKind = key, KeyInlineField
		}
	}
}

// isUnclosed reports whether a text opens more brackets than it closes.
func isUnclosed(text []byte, opening, closing string) bool {
	return bytes.Count(text, []byte(opening)) > bytes.Count(text, []byte(closing))
}

// setBracketFields sets the key of each link inside [key:: value] or (key:: value). The
// innermost field counts.
func setBracketFields(line, plain []byte, offset int, links []placedLink) {
	type openBracket struct {
		offset int
		key    string
	}
	var open []openBracket
	var pending []int // indexes of the links before i that have no key yet
	next := 0
	for i := 0; i < len(line); i++ {
		if next < len(links) && links[next].start-offset == i {
			pending = append(pending, next)
			if links[next].Form == Wikilink || links[next].Form == Embed {
				i = min(links[next].end-offset, len(line)) - 1
				next++
				continue
			}
			next++
		}
		switch c := plain[i]; c {
		case '[', '(':
			key := ""
			if head, _, ok := bytes.Cut(plain[i+1:min(len(line), i+maxKey+3)], []byte("::")); ok {
				key = fieldKey(string(line[i+1 : i+1+len(head)]))
			}
			open = append(open, openBracket{i, key})
		case ']', ')':
			top := len(open) - 1
			if top < 0 || (line[open[top].offset] == '[') != (c == ']') {
				continue
			}
			for n := len(pending); open[top].key != "" && n > 0 && links[pending[n-1]].start-offset > open[top].offset; n = len(pending) {
				l := &links[pending[n-1]]
				l.Key, l.KeyKind = open[top].key, KeyInlineField
				pending = pending[:n-1]
			}
			open = open[:top]
		}
	}
}

// maxKey bounds the length of an inline field's key, in bytes.
const maxKey = 80

// fieldKey returns the key of an inline field without what decorates it (emphasis, quotes,
// "→", emoji), or "" if Dataview would not accept it.
func fieldKey(head string) string {
	if !utf8.ValidString(head) {
		return ""
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) || isEmojiPart(r) {
			return -1
		}
		return r
	}, keycap().ReplaceAllString(head, ""))
	plain = strings.TrimLeftFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	key := strings.Join(strings.Fields(strings.TrimRightFunc(plain, decorates)), " ")
	if key == "" || len(key) > maxKey {
		return ""
	}
	for _, r := range key {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" _-/", r) {
			return ""
		}
	}
	return key
}

// keycap is an emoji that contains a plain digit.
var keycap = pattern.Lazy("[0-9#*]\uFE0F?\u20E3")

// isEmojiPart reports whether a character only shapes the emoji before it: a joiner, a
// presentation, a skin tone, a letter of a flag's name.
func isEmojiPart(r rune) bool {
	return r == '\u200D' || r == '\uFE0E' || r == '\uFE0F' || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0020 && r <= 0xE007F
}

// decorates reports whether a character behind a key does not belong to it. Brackets, and
// marks that end a sentence, do: `[[a]]::` and `so, a.::` are not keys.
func decorates(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("()[]{}<>|.,;:!?", r)
}

// dropTaskBox returns text without the "[ ] " of a task at its start.
func dropTaskBox(text string) string {
	if len(text) >= 3 && text[0] == '[' {
		_, n := utf8.DecodeRuneInString(text[1:])
		if rest := text[1+n:]; strings.HasPrefix(rest, "] ") {
			return strings.TrimLeft(rest[1:], " \t")
		}
	}
	return text
}

// maxRelationWords bounds the words of a relation, so that a sentence before a link does
// not become a link's type.
const maxRelationWords = 4

// setRelations sets the key of the links of a bullet (`- depends_on [[X]], [[Y]]`) to the
// word before the first link. It stops at a link that is separated from the one before by
// more than ",", ";", "&", "and" or "or".
func setRelations(line []byte, links []placedLink) {
	if links[0].KeyKind != KeyNone {
		return
	}
	head := dropTaskBox(strings.TrimLeft(string(line[:links[0].start]), " \t"))
	word := fieldKey(strings.TrimRight(head, " \t:"))
	if word == "" || strings.Contains(head, "`") || len(strings.Fields(word)) > maxRelationWords {
		return
	}
	for i := range links {
		if i > 0 {
			between := string(line[links[i-1].end:max(links[i-1].end, links[i].start)])
			if !slices.Contains([]string{"", "and", "or"}, strings.Trim(between, " \t,;&")) {
				return
			}
		}
		links[i].Key, links[i].KeyKind = word, KeyRelation
	}
}
