package recall

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
)

// English writes many a compound apart, with a hyphen or as one word, and two
// writers seldom agree: ice cream and icecream, set up and setup, front matter
// and frontmatter. A question finds what is written as one word by each of the
// two that it has, and what is written as two in place of a word that no
// memory has.

// compounds returns the words that neighbours in a question make together, by
// each of the two. What a stopword begins is a chance (in to, on going).
func compounds(words []string) map[string][]string {
	found := map[string][]string{}
	before := ""
	for _, text := range words {
		for word := range tokens(text) {
			joined := before + word
			if before != "" && joins(word) && !stopwords[before] && !stopwords[joined] && !slices.Contains(found[word], joined) {
				found[before] = append(found[before], joined)
				found[word] = append(found[word], joined)
			}
			before = word
		}
	}
	return found
}

// joins reports whether a word may be the second of a compound: a letter is
// what an apostrophe leaves behind.
func joins(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size < len(word) || unicode.IsNumber(r)
}

// longestCompound is of how many bytes a word may be that is looked for as two.
const longestCompound = 40

// asTwo returns the ways to write a word as two that memories of the namespace
// have. A number is no compound.
func asTwo(ctx context.Context, r *db.Reader, word, namespace string) ([]string, error) {
	if len(word) > longestCompound || !strings.ContainsFunc(word, unicode.IsLetter) {
		return nil, nil
	}
	ways := []string{}
	for i := range word {
		if i > 0 {
			ways = append(ways, word[:i]+" "+word[i:])
		}
	}
	gone, err := missing(ctx, r, quote(ways), namespace)
	for _, place := range slices.Backward(gone) {
		ways = slices.Delete(ways, place, place+1)
	}
	return ways[:min(len(ways), maxSpellings)], err
}

// lookUp is terms for a question. In one by words, a word that nobody has
// written so is looked for as two; the notes say where it was.
func lookUp(ctx context.Context, r *db.Reader, q query, mode, namespace string) (query, []term, []string, error) {
	notes := []string{}
	if q.match() == "" {
		return q, nil, notes, nil
	}
	found, err := terms(ctx, r, q)
	if err != nil || mode == "semantic" {
		return q, found, notes, err
	}
	words, err := unwritten(ctx, r, q, found, namespace)
	if err != nil {
		return q, nil, nil, err
	}
	for _, word := range words {
		ways, err := asTwo(ctx, r, word, namespace)
		if err != nil {
			return q, nil, nil, err
		}
		if len(ways) > 0 {
			q = q.respell(word, ways)
			notes = append(notes, inPlace(word, ways))
		}
	}
	if len(notes) > 0 {
		found, err = terms(ctx, r, q)
	}
	return q, found, notes, err
}

// unwritten returns the first few words of a question that no memory of the
// namespace has. Without one, that is those that are not among the terms found.
func unwritten(ctx context.Context, r *db.Reader, q query, found []term, namespace string) (words []string, err error) {
	if len(q.wanted()) > maxWords {
		return nil, nil
	}
	telling := q.telling()
	places := []int{}
	if namespace != "" {
		places, err = missing(ctx, r, q.texts(telling), namespace)
	} else {
		for place := range telling {
			if !slices.ContainsFunc(found, func(t term) bool { return t.place == place }) {
				places = append(places, place)
			}
		}
	}
	for _, place := range places[:min(len(places), maxRespelt)] {
		words = append(words, telling[place])
	}
	return words, err
}
