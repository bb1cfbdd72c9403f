package tidy

import (
	"strings"
	"unicode"

	"hence/memory/statement"

	"golang.org/x/text/unicode/norm"
)

// text is a memory's title and content as the rules compare them.
type text struct {
	plain  string            // without case, spaces and punctuation: see plain
	gist   string            // the words in order, without fillers, plurals as singulars, numbers in digits
	tokens []statement.Token // in order
	words  map[string]int    // how often each significant word occurs, values included
}

// read returns the memory's text, which it parses once.
func (m *record) read() *text {
	if m.body == nil {
		m.body = &text{plain: plain(m.said), tokens: statement.Tokens(m.said), words: map[string]int{}}
		var gist strings.Builder
		for _, t := range m.body.tokens {
			word := statement.Stem(t.Text)
			if t.Tells() {
				m.body.words[word]++
			}
			if !statement.Fillers[t.Text] {
				gist.WriteString(word + " ")
			}
		}
		m.body.gist = gist.String()
	}
	return m.body
}

// plain returns a text without case, spaces and punctuation, for texts that are equal
// but for these. Signs that tell words or numbers apart stay: C++, C#, 1.5, -3, a/b.
func plain(text string) string {
	runes := []rune(strings.ToLower(norm.NFKC.String(text)))
	var b strings.Builder
	last := ' ' // the last rune that stayed
	gap := false
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	for i, r := range runes {
		keep := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
		if !keep && !unicode.IsSpace(r) {
			before, after := at(i-1), at(i+1)
			switch {
			case unicode.IsNumber(before) && unicode.IsNumber(after): // 1.5, 10:30, 2026-03
				keep = true
			case r == '-' || r == '!':
				keep = unicode.IsSpace(before) && (unicode.IsNumber(after) || r == '!' && isWordRune(after))
			case r == '#' || r == '+':
				keep = isWordRune(before) || before == r || r == '+' && isWordRune(after)
			case r == '_':
				keep = isWordRune(before) && isWordRune(after)
			case r == '~' || r == '|' || r == '`':
			default:
				keep = strings.ContainsRune(`%&@/\`, r) || unicode.IsSymbol(r)
			}
		}
		if !keep {
			gap = true
			continue
		}
		if gap && unicode.IsNumber(last) && unicode.IsNumber(r) { // 80 90 is not 8090
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last, gap = r, false
	}
	return b.String()
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
