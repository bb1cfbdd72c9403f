package recall

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/internal/script"
)

// words parts a text as the tokenizer does. A run of characters of a script
// without spaces is one word.
func words(text string) iter.Seq[string] { return script.Runs(strings.ToLower(text)) }

// tokens parts a text into words, and runs into their pairs; a single character is
// left out.
func tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range words(text) {
			if !isRun(word) {
				if !yield(word) {
					return
				}
				continue
			}
			for _, pair := range pairs(word) {
				if !yield(pair) {
					return
				}
			}
		}
	}
}

// wordsOf parts a text of the question into words, and the runs that are searched by
// their pairs into these.
func (q query) wordsOf(text string) iter.Seq[string] {
	if q.isText {
		return tokens(text)
	}
	return func(yield func(string) bool) {
		for word := range words(text) {
			parts := []string{word}
			if q.inPairs[word] {
				parts = pairs(word)
			}
			if slices.ContainsFunc(parts, func(part string) bool { return !yield(part) }) {
				return
			}
		}
	}
}

// isRun reports whether a word is of a script without spaces.
func isRun(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return script.IsSpaceless(first)
}

// mixesScripts reports whether a word has runs and other words.
func mixesScripts(text string) bool {
	all, runs := 0, 0
	for word := range words(text) {
		if all++; isRun(word) {
			runs++
		}
	}
	return runs > 0 && runs < all
}

// pairs returns the pairs of characters that a run is indexed by, none for a
// single character.
func pairs(run string) []string {
	if phrase, isPrefix := script.Phrase(run); !isPrefix {
		return strings.Fields(phrase)
	}
	return nil
}

// quote returns a query of FTS5 for each text, as the index has it. A single character
// of a run is searched in what names a memory.
func quote(texts []string) []string {
	quotes := make([]string, len(texts))
	for i, text := range texts {
		query, isPrefix := script.Query(text)
		if isPrefix {
			query += " *"
		}
		if isPrefix && utf8.RuneCountInString(text) == 1 {
			query = inNames + query
		}
		quotes[i] = query
	}
	return quotes
}

// inNames limits a query of FTS5 to what names a memory.
const inNames = "{title aliases tags} : "
