// Package lexicon parts texts into the words that the index has: words of each script,
// the words that say little, the forms of irregular words, and numbers in figures.
package lexicon

import (
	"iter"
	"strings"
	"unicode/utf8"

	"hence/internal/script"
)

// Words parts a text as the tokenizer does. A run of characters of a script
// without spaces is one word.
func Words(text string) iter.Seq[string] { return script.Runs(strings.ToLower(text)) }

// Tokens parts a text into words, and runs into their pairs; a single character is
// left out.
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

// IsRun reports whether a word is of a script without spaces.
func IsRun(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return script.IsSpaceless(first)
}

// Characters counts the characters of a run as the index has them; 0 for another word.
func Characters(word string) int {
	if !IsRun(word) {
		return 0
	}
	return len(Pairs(word)) + 1
}

// IsSentence reports whether a run is as long as several words, so that it may be a whole
// question. The vowels of Thai, Lao, Khmer and Myanmar are characters of their own.
func IsSentence(word string) bool {
	const inVowels, inSyllables = 14, 7
	if first, _ := utf8.DecodeRuneInString(word); first < '\u1100' || '\u1780' <= first && first <= '\u17ff' {
		return Characters(word) >= inVowels
	}
	return Characters(word) >= inSyllables
}

// MixesScripts reports whether a word has runs and other words.
func MixesScripts(text string) bool {
	all, runs := 0, 0
	for word := range Words(text) {
		if all++; IsRun(word) {
			runs++
		}
	}
	return runs > 0 && runs < all
}

// Pairs returns the pairs of characters that a run is indexed by, none for a
// single character.
func Pairs(run string) []string {
	if phrase, isPrefix := script.Phrase(run); !isPrefix {
		return strings.Fields(phrase)
	}
	return nil
}

// Quote returns a query of FTS5 for each text, as the index has it. A single character
// of a run is searched in what names a memory.
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

// InNames limits a query of FTS5 to what names a memory.
const InNames = "{title aliases tags} : "
