// Package lexicon splits texts into words as the full-text index does. It also holds the
// English stopwords, the forms of irregular words, and the words for numbers.
package lexicon

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/internal/script"
)

// Words yields the words of a text in lower case, as the tokenizer of the index splits it. A
// run of characters of a script without spaces, such as Chinese, is one word.
func Words(text string) iter.Seq[string] { return script.Runs(strings.ToLower(text)) }

// Spaced returns the words of a text in lower case, with a space around each.
func Spaced(text string) string { return " " + strings.Join(slices.Collect(Words(text)), " ") + " " }

// Tokens yields the words of a text, with the pairs of its characters in place of each run of
// a script without spaces. A run of a single character has no pair and is left out.
func Tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range Words(text) {
			if !IsRun(word) {
				if !yield(word) {
					return
				}
				continue
			}
			for _, pair := range Pairs(word) {
				if !yield(pair) {
					return
				}
			}
		}
	}
}

// IsRun reports whether a word is a run of a script without spaces, by its first character.
func IsRun(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return script.IsSpaceless(first)
}

// Characters returns the number of characters of a run as the index counts them; 0 for a word
// that is not a run.
func Characters(word string) int {
	if !IsRun(word) {
		return 0
	}
	return len(Pairs(word)) + 1
}

// IsSentence reports whether a run is as long as several words, so that it may be a whole
// question. Thai, Lao, Khmer and Myanmar need twice the length, because their vowels are
// separate characters.
func IsSentence(word string) bool {
	const minLetters, minSyllables = 14, 7
	if first, _ := utf8.DecodeRuneInString(word); first < '\u1100' || '\u1780' <= first && first <= '\u17ff' {
		return Characters(word) >= minLetters
	}
	return Characters(word) >= minSyllables
}

// MixesScripts reports whether a text has both runs and other words.
func MixesScripts(text string) bool {
	all, runs := 0, 0
	for word := range Words(text) {
		if all++; IsRun(word) {
			runs++
		}
	}
	return runs > 0 && runs < all
}

// Pairs returns the pairs of neighbouring characters by which a run is indexed, none for a
// single character.
func Pairs(run string) []string {
	if phrase, isPrefix := script.Phrase(run); !isPrefix {
		return strings.Fields(phrase)
	}
	return nil
}

// Quote returns an FTS5 query for each text. A single character of a script without spaces is
// searched only in titles, aliases and tags.
func Quote(texts []string) []string {
	quotes := make([]string, len(texts))
	for i, text := range texts {
		query, isPrefix := script.Query(text)
		if isPrefix {
			query += " *"
		}
		if isPrefix && utf8.RuneCountInString(text) == 1 {
			query = InNames + query
		}
		quotes[i] = query
	}
	return quotes
}

// InNames is the prefix that limits an FTS5 query to titles, aliases and tags.
const InNames = "{title aliases tags} : "
