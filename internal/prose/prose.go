// Package prose has what rooms ask of words in common.
package prose

import "strings"

// OneLine returns a text with its white space collapsed to single spaces.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Words returns the words of a list, which white space divides.
func Words(list string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(list) {
		words[word] = true
	}
	return words
}
