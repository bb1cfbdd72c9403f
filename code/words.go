package code

import (
	"strings"
	"unicode"
)

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
	return strings.Join(strings.Fields(b.String()), " ")
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
