package code

import (
	"strings"
	"unicode"

	"hence/code/symbol"
	"hence/internal/prose"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
	"hence/projection"
)

// The words of a body: the number kept of a symbol, and the letters of the longest.
const (
	maxWords      = 400
	maxWordLength = 40
)

// bodyOf returns the text of a declaration without those that are declared in it.
func bodyOf(all []symbol.Declaration, index int, text []byte) string {
	var b strings.Builder
	d := all[index]
	start := d.Start
	for _, inner := range all[index+1:] {
		if inner.Start >= d.End {
			break
		}
		if inner.Start >= start && inner.End <= d.End {
			b.Write(text[start:inner.Start])
			b.WriteByte(' ')
			start = inner.End
		}
	}
	b.Write(text[start:max(start, d.End)])
	return b.String()
}

// wordsBeside returns the words of a text that others do not have, each once: identifiers and
// the words that they are made of, and the words of comments and texts.
func wordsBeside(text string, others ...string) string {
	seen := map[string]bool{}
	words := []string{}
	add := func(word string) {
		if n := len(word); n > 1 && n <= maxWordLength && !seen[word] && !lexicon.Stopwords(word) && len(words) < maxWords {
			words = append(words, word)
		}
		seen[word] = true
	}
	for _, other := range others {
		eachWord(other, func(word string) { seen[word] = true })
	}
	eachWord(text, add)
	return script.Cut(strings.Join(words, " "))
}

// eachWord calls a function for each identifier of a text in lower case, and for each of the
// words that it is made of.
func eachWord(text string, do func(word string)) {
	for identifier := range strings.FieldsFuncSeq(projection.Clean(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		do(strings.ToLower(identifier))
		parts := strings.Fields(Words(identifier))
		for _, part := range parts[:len(parts)*min(1, len(parts)/2)] {
			do(part)
		}
	}
}

// Words returns the words of an identifier, in lower case: "resolve again" for
// resolveAgain, "http server" for HTTPServer, "parse json 2" for parse_json2. Without it
// a search would take an identifier for a single word.
func Words(identifier string) string {
	var b strings.Builder
	all := []rune(identifier)
	for i, r := range all {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
			continue
		case i > 0 && beginsWord(all, i):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return prose.OneLine(b.String())
}

// beginsWord reports whether a word begins at index i of an identifier, which is above 0:
// at a capital after a small letter, at the last capital before a small letter, and where
// letters and digits meet.
func beginsWord(all []rune, i int) bool {
	before, r := all[i-1], all[i]
	switch {
	case unicode.IsDigit(r) != unicode.IsDigit(before):
		return true
	case !unicode.IsUpper(r):
		return false
	}
	return !unicode.IsUpper(before) || i+1 < len(all) && unicode.IsLower(all[i+1])
}
