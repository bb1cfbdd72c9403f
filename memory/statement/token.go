package statement

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hence/internal/script"
)

// Token is a word or a value of a text.
type Token struct {
	Text     string // in lower case, without accents; a value also without separators of thousands
	Value    bool   // a number, a date or a version
	Name     bool   // it looks like a name: a capital inside a sentence, or written like code
	Colon    bool   // a colon or an equals sign follows
	Comma    bool   // a comma follows
	Article  string // the, a or an before it: set in claims only
	Sentence int    // number of its sentence
}

// Tells reports whether a token says what a text is about: it is neither a value nor a
// common word.
func (t Token) Tells() bool { return !t.Value && !common(t.Text) }

// Tokens splits a text into words and values, and numbers its sentences from 0. A line
// break ends a sentence, except after a colon.
func Tokens(text string) []Token {
	all := []Token{}
	sentence, start := 0, true
	for line := range strings.Lines(norm.NFKC.String(text)) {
		for _, chunk := range strings.Fields(line) {
			before := len(all)
			cut := parts(chunk)
			for i, part := range cut {
				if t, ok := tokenOf(part, start); ok {
					t.Sentence = sentence
					t.Colon = i+1 < len(cut) && !script.IsSpaceless(lastRune(part))
					all = append(all, t)
					start = false
				}
			}
			end := lastRune(strings.TrimRight(chunk, "\"')*_`”’"))
			switch {
			case len(all) == before && (chunk == "=" || chunk == ":") && before > 0:
				all[before-1].Colon = true
			case len(all) == before:
			case end == ':' || end == '=':
				all[len(all)-1].Colon = true
			case end == ',':
				all[len(all)-1].Comma = true
			case strings.ContainsRune(".!?;。！？", end):
				sentence, start = sentence+1, true
			}
		}
		if !start && !all[len(all)-1].Colon {
			sentence, start = sentence+1, true
		}
	}
	return all
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// parts splits a chunk, which has no spaces, between a name and its value (port=8090,
// localhost:8090) and between scripts without spaces and others. Each character of a script
// without spaces is a part of its own.
func parts(chunk string) []string {
	if strings.Contains(chunk, "://") {
		return []string{chunk}
	}
	all := []string{}
	from, class := 0, -1
	for i, r := range chunk {
		now := 0
		if script.IsSpaceless(r) {
			now = 1
		}
		if i > from && (now != class || now == 1) {
			all = append(all, chunk[from:i])
			from = i
		}
		class = now
		if (r == '=' || r == ':') && i > from && i+1 < len(chunk) {
			before := lastRune(chunk[from:i])
			if unicode.IsLetter(before) {
				all = append(all, chunk[from:i])
				from = i + 1
			}
		}
	}
	return append(all, chunk[from:])
}

// tokenOf reads a chunk as a token; ok is false if it is only punctuation. first says
// whether the chunk begins a sentence.
func tokenOf(chunk string, first bool) (t Token, ok bool) {
	code := strings.HasPrefix(strings.TrimLeft(chunk, `"'(*_[`), "`")
	chunk = strings.TrimRightFunc(chunk, func(r rune) bool { return isTrimmed(r) && r != '#' })
	chunk = strings.TrimLeftFunc(chunk, func(r rune) bool { return isTrimmed(r) && r != '-' })
	if rest := strings.TrimLeft(chunk, "-–—"); rest != chunk {
		if value, isValue := valueOf(rest); isValue && len(chunk)-len(rest) == 1 {
			return Token{Text: "-" + value, Value: true}, true
		}
		chunk = rest
	}
	chunk = strings.Trim(chunk, "-–—")
	if chunk == "" || !strings.ContainsFunc(chunk, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) || r == '%'
	}) {
		return t, false
	}
	if value, isValue := valueOf(chunk); isValue {
		return Token{Text: value, Value: true}, true
	}
	word := script.Fold(strings.ReplaceAll(chunk, "’", "'"))
	if number, ok := numberWords[word]; ok {
		return Token{Text: number, Value: true}, true
	}
	t = Token{Text: word, Name: code || LooksLikeCode(chunk)}
	if r, _ := utf8.DecodeRuneInString(chunk); unicode.IsUpper(r) && (!first || t.Name) {
		t.Name = chunk != "I" && !strings.HasPrefix(chunk, "I'")
	}
	return t, true
}

// isTrimmed reports whether a rune at either end of a word does not belong to it.
func isTrimmed(r rune) bool {
	return unicode.IsPunct(r) && r != '%' && r != '/' && r != '@' && r != '&' || r == '`' || r == '|' || r == '~'
}

// LooksLikeCode reports whether a word is written like an identifier, a path or an address:
// memory_store, os.Root, HTTP2, camelCase.
func LooksLikeCode(word string) bool {
	lower := false
	for i, r := range word {
		switch {
		case r == '_' || r == '/' || r == '.' && i > 0 || r == '@' || unicode.IsNumber(r):
			return true
		case unicode.IsUpper(r) && lower:
			return true
		}
		lower = unicode.IsLower(r)
	}
	return false
}

// valueOf reads a number, a date, a time or a version: digits with the characters between
// them, and a unit of up to 4 characters. It drops a currency sign or a v in front, the
// separators of thousands and the ending of an ordinal.
func valueOf(word string) (string, bool) {
	rest := strings.TrimLeft(word, "$€£¥#+~≈<>=≤≥")
	if len(rest) > 1 && (rest[0] == 'v' || rest[0] == 'V') && '0' <= rest[1] && rest[1] <= '9' {
		rest = rest[1:]
	}
	if rest == "" || rest[0] < '0' || rest[0] > '9' {
		return "", false
	}
	end := strings.LastIndexFunc(rest, unicode.IsNumber) + 1
	digits, unit := rest[:end], script.Fold(rest[end:])
	letters := 0
	for _, r := range digits {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters > 1 || utf8.RuneCountInString(unit) > 4 || len(digits) > 40 { // 6f93c01 is a name
		return "", false
	}
	if groupsThousands(digits) {
		digits = strings.ReplaceAll(digits, ",", "")
	}
	if n := len(rest) - len(unit); n > 0 && n < len(rest) && ordinals(unit) {
		unit = ""
	}
	return digits + unit, true
}

// groupsThousands reports whether a number has commas, each before three digits.
func groupsThousands(digits string) bool {
	groups := strings.Split(digits, ",")
	return len(groups) > 1 && len(groups[0]) <= 3 && !slices.ContainsFunc(groups[1:], func(g string) bool {
		whole, _, _ := strings.Cut(g, ".")
		return len(whole) != 3 || strings.ContainsFunc(g, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	})
}

// Stem returns a word without the ending of an English plural.
func Stem(word string) string {
	switch {
	case strings.HasSuffix(word, "'s"):
	case len(word) > 5 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes") || strings.HasSuffix(word, "xes")):
		return word[:len(word)-2]
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}
