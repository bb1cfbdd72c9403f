package recall

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
		for word := range words(text) {
			joined := before + word
			r, size := utf8.DecodeRuneInString(word)
			remainder := size == len(word) && !unicode.IsNumber(r) // the letter after an apostrophe
			if before != "" && !remainder && !isRun(before) && !isRun(word) && !stopwords[before] && !stopwords[joined] && !slices.Contains(all[word], joined) {
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

// split returns the ways to write a word as two words that memories of the
// namespace have. A number is not split.
func split(ctx context.Context, r *db.Reader, word, namespace string) ([]string, error) {
	if len(word) > longestCompound || !strings.ContainsFunc(word, unicode.IsLetter) {
		return nil, nil
	}
	ways := []string{}
	for i := range word {
		if i > 0 {
			ways = append(ways, word[:i]+" "+word[i:])
		}
	}
	unknown, err := missing(ctx, r, quote(ways), namespace)
	for _, place := range slices.Backward(unknown) {
		ways = slices.Delete(ways, place, place+1)
	}
	return ways[:min(len(ways), maxSpellings)], err
}

// lookUp returns the terms of a question. Unless the search is by meaning alone, a
// word that no memory has is searched as two, and the notes say which words were; a
// run of a script without spaces is searched by its pairs, because it may be a whole
// question.
func lookUp(ctx context.Context, r *db.Reader, q query, mode, namespace string) (query, []term, []string, error) {
	notes := []string{}
	if q.match() == "" {
		return q, nil, notes, nil
	}
	all, err := terms(ctx, r, q)
	if err != nil || mode == "semantic" {
		return q, all, notes, err
	}
	unknown, err := withoutTerms(ctx, r, q, all, namespace)
	if err != nil {
		return q, nil, nil, err
	}
	q.inPairs = map[string]bool{}
	for _, word := range unknown {
		if isRun(word) {
			q.inPairs[word] = true
		}
	}
	unknown = slices.DeleteFunc(unknown, isRun)
	for _, word := range unknown[:min(len(unknown), maxRespelt)] {
		ways, err := split(ctx, r, word, namespace)
		if err != nil {
			return q, nil, nil, err
		}
		if len(ways) > 0 {
			q = q.respell(word, ways)
			notes = append(notes, replacementNote(word, ways))
		}
	}
	if len(notes)+len(q.inPairs) > 0 {
		all, err = terms(ctx, r, q)
	}
	return q, all, notes, err
}

// withoutTerms returns the words of a question that no memory of the
// namespace has; for all namespaces these are the words without a term.
func withoutTerms(ctx context.Context, r *db.Reader, q query, all []term, namespace string) (words []string, err error) {
	if len(q.wanted()) > maxWords {
		return nil, nil
	}
	telling := q.telling()
	places := []int{}
	if namespace != "" {
		places, err = missing(ctx, r, q.texts(telling), namespace)
	} else {
		for place := range telling {
			if !slices.ContainsFunc(all, func(t term) bool { return t.place == place }) {
				places = append(places, place)
			}
		}
	}
	for _, place := range places {
		words = append(words, telling[place])
	}
	return words, err
}
