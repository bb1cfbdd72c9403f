package recall

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/memory/recall/lexicon"

	"hence/internal/db"
)

// English compounds are written as two words, with a hyphen or as one, and
// writers seldom agree: ice cream and icecream, set up and setup, front matter and
// frontmatter. Each of two neighbouring words of a question also finds their
// compound, which costs one more lookup per pair. Conversely, a word is searched as
// two words only if no memory has it, and a warning says so: trying every way to
// split every word would cost more than the rest of the search.

// compounds returns the compounds of neighbouring words in the texts of a question, by each of
// the two words. Pairs that start with a stopword (in to, on going) are left out.
func compounds(texts []string) map[string][]string {
	all := map[string][]string{}
	previous := ""
	for _, text := range texts {
		for word := range lexicon.Words(text) {
			joined := previous + word
			r, size := utf8.DecodeRuneInString(word)
			remainder := size == len(word) && !unicode.IsNumber(r) // the letter after an apostrophe
			if previous != "" && !remainder && !lexicon.IsRun(previous) && !lexicon.IsRun(word) && !lexicon.Stopwords[previous] && !lexicon.Stopwords[joined] && !slices.Contains(all[word], joined) {
				all[previous] = append(all[previous], joined)
				all[word] = append(all[word], joined)
			}
			previous = word
		}
	}
	return all
}

// maxCompoundBytes is the length of the longest word that is searched as two.
const maxCompoundBytes = 40

// splitWord returns at most maxSpellings ways to split a word into two words that occur next to
// each other in a memory which the caller may read. A number is not split.
func splitWord(ctx context.Context, r *db.Reader, word string, f filter) ([]string, error) {
	if len(word) > maxCompoundBytes || !strings.ContainsFunc(word, unicode.IsLetter) {
		return nil, nil
	}
	ways := []string{}
	for i := range word {
		if i > 0 {
			ways = append(ways, word[:i]+" "+word[i:])
		}
	}
	missing, err := findMissing(ctx, r, lexicon.Quote(ways), f)
	for _, index := range slices.Backward(missing) {
		ways = slices.Delete(ways, index, index+1)
	}
	return ways[:min(len(ways), maxSpellings)], err
}
