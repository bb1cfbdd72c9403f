// Package prose has what rooms ask of words in common.
package prose

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
)

// OneLine returns a text with its white space collapsed to single spaces.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Words returns a function that reports whether a list, which white space divides, has a word. It reads the list when it is
// first asked: most commands need few of all the lists.
func Words(list string) func(word string) bool {
	words := sync.OnceValue(func() map[string]bool {
		words := map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			words[word] = true
		}
		return words
	})
	return func(word string) bool { return words()[word] }
}

// Visible returns a text in which characters that cannot be seen, or that reorder others, are written as
// <U+200B>: controls but for line ends and tabs, formats, variation selectors but for those of emoji, and letters
// that are blank.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if isHidden(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t' || r == '\ufe0e' || r == '\ufe0f':
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Co):
		return true
	}
	return r == '\u2800' || unicode.Is(unicode.Zs, r) && r != ' ' && r != '\u00a0' && r != '\u3000'
}
