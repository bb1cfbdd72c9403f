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
// frontmatter. Each of two neighbouring words of a question also finds the word
// that they make together, which costs one more lookup per pair. The other way
// round, a word is searched as two only if no memory has the one word, and a
// warning says so: to try every way to split every word would cost more than the
// rest of the search.

// compounds returns the words that neighbours in a question make together, by
// each of the two. Pairs that start with a stopword (in to, on going) are left
// out.
func compounds(texts []string) map[string][]string {
	all := map[string][]string{}
	before := ""
	for _, text := range texts {
		for word := range lexicon.Words(text) {
			joined := before + word
			r, size := utf8.DecodeRuneInString(word)
			remainder := size == len(word) && !unicode.IsNumber(r) // the letter after an apostrophe
			if before != "" && !remainder && !lexicon.IsRun(before) && !lexicon.IsRun(word) && !lexicon.Stopwords[before] && !lexicon.Stopwords[joined] && !slices.Contains(all[word], joined) {
				all[before] = append(all[before], joined)
				all[word] = append(all[word], joined)
			}
			before = word
		}
	}
	return all
}

// longestCompound is the length in bytes of the longest word that is searched as
// two.
const longestCompound = 40

// split returns the ways to write a word as two words in a row that a memory has which
// the caller may read. A number is not split.
func split(ctx context.Context, r *db.Reader, word string, f filter) ([]string, error) {
	if len(word) > longestCompound || !strings.ContainsFunc(word, unicode.IsLetter) {
		return nil, nil
	}
	ways := []string{}
	for i := range word {
		if i > 0 {
			ways = append(ways, word[:i]+" "+word[i:])
		}
	}
	unknown, err := findMissing(ctx, r, lexicon.Quote(ways), f)
	for _, place := range slices.Backward(unknown) {
		ways = slices.Delete(ways, place, place+1)
	}
	return ways[:min(len(ways), maxSpellings)], err
}
