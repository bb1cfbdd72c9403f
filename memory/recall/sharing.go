package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode"

	"hence/memory/recall/lexicon"

	"hence/internal/db"
)

// The work of finding what shares the words of a text is bounded, whatever the size of
// the store and of the text.
const (
	readUpTo    = 500    // sections that have a word, up to which it is read
	lookedUp    = 64     // words of a text that are looked up: numbers, then the longest
	rareWords   = 24     // rare words after which no more are looked up
	pairedWords = 4      // words of which each pair is looked up, if too few are rare
	pairedUpTo  = 20_000 // sections that have a word of a pair, about
)

// lookedWord is a word with the sections that have it: all, or the first readUpTo.
type lookedWord struct {
	word     string // of the text; "" of a pair
	text     string // as a query of FTS5
	sections []int64
	about    float64 // how many sections have it
	tells    float64 // by its rarity in the store: see weigh
}

// lookUpWords finds the sections that have each of the rare words of a text: numbers
// first, then long words, which are most often rare. In a large store a short text may
// have few. Then pairs of its next words count as words.
func lookUpWords(ctx context.Context, r *db.Reader, text string, in textKeys) ([]lookedWord, error) {
	rare, common := []lookedWord{}, []lookedWord{}
	for _, word := range tellingFirst(text) {
		if len(rare) == rareWords {
			break
		}
		w, err := lookUpWord(ctx, r, lexicon.InAnySpelling(word), in)
		switch {
		case err != nil:
			return nil, err
		case len(w.sections) == 0: // no text has it
		case len(w.sections) < readUpTo:
			w.word = word
			rare = append(rare, w)
		default:
			common = append(common, w)
		}
	}
	if len(rare) < rareWords {
		slices.SortFunc(common, func(a, b lookedWord) int { return cmp.Or(cmp.Compare(a.about, b.about), cmp.Compare(a.text, b.text)) })
		pairs, err := lookUpPairs(ctx, r, common, in)
		return append(rare, pairs...), err
	}
	return rare, nil
}

// namesOf returns the pairs of rare words that stand beside each other in a text, such
// as the words of a name, with the sections that have both. A name tells more than its
// words: many have the one or the other.
func namesOf(text string, words []lookedWord) (pairs []lookedWord) {
	known := map[string]lookedWord{}
	for _, w := range words {
		known[w.word] = w
	}
	before := ""
	for word := range lexicon.Figures(text) {
		a, b := known[before], known[word]
		before = word
		if a.word == "" || b.word == "" || a.word == b.word {
			continue
		}
		has := map[int64]bool{}
		for _, section := range a.sections {
			has[section] = true
		}
		both := lookedWord{text: "(" + a.text + ") AND (" + b.text + ")"}
		for _, section := range b.sections {
			if has[section] {
				both.sections = append(both.sections, section)
			}
		}
		if both.about = float64(len(both.sections)); both.about > 0 {
			both.tells = weigh(math.Expm1(math.Sqrt(a.tells))*a.about, both.about)
			pairs = append(pairs, both)
		}
	}
	return pairs
}

// tellingFirst returns the first lookedUp different words of a text that are not
// stopwords, or all if it has no others.
func tellingFirst(text string) []string {
	words, stops := []string{}, []string{}
	for word := range lexicon.Figures(text) {
		if lexicon.Stopwords[word] {
			stops = append(stops, word)
		} else {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = stops
	}
	hasDigit := func(word string) int {
		if slices.ContainsFunc([]rune(word), unicode.IsDigit) {
			return 1
		}
		return 0
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(hasDigit(b), hasDigit(a)), cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	words = slices.Compact(words)
	return words[:min(len(words), lookedUp)]
}

// textKeys are the keys of the sections in which words are looked up: those of a namespace,
// or of all, without source code.
type textKeys struct {
	within keyRange
	ranges []keyRange
}

func readTextKeys(ctx context.Context, r *db.Reader, namespace string) (k textKeys, err error) {
	k.ranges, err = rangesOf(ctx, r, namespace, false)
	switch {
	case namespace == "":
		k.within = everyText
	case len(k.ranges) > 0:
		k.within = k.ranges[0]
	}
	return k, err
}

// number is how many keys there are up to one.
func (k textKeys) number(last int64) (n float64) {
	for _, one := range k.ranges {
		if one[0] <= last {
			n += float64(keyRange{one[0], min(one[1], last)}.keys())
		}
	}
	return n
}

// lookUpWord reads the sections that have a word. How many have one that is common is
// estimated: sections are found in the order of their keys.
func lookUpWord(ctx context.Context, r *db.Reader, text string, in textKeys) (lookedWord, error) {
	w, all := lookedWord{text: text}, in.number(math.MaxInt64)
	packed, _, err := db.One[[]byte](ctx, r, selectHaving, text, readUpTo, in.within[0], in.within[1])
	for row := range db.Packed(packed).Rows(1) {
		w.sections = append(w.sections, row[0])
	}
	w.about = float64(len(w.sections))
	if n := len(w.sections); n == readUpTo {
		w.about *= max(1, all/in.number(w.sections[n-1]))
	}
	w.tells = weigh(all, w.about)
	return w, err
}

const selectHaving = `
select pack(rowid)
from (
  select rowid
  from section_search
  where section_search match ?1
    and rowid between ?3 and ?4
  limit ?2
)`

// lookUpPairs looks up each pair of the first common words.
func lookUpPairs(ctx context.Context, r *db.Reader, common []lookedWord, in textKeys) ([]lookedWord, error) {
	pairs := []lookedWord{}
	for i, a := range common[:min(len(common), pairedWords)] {
		for _, b := range common[i+1 : min(len(common), pairedWords)] {
			if b.about > pairedUpTo {
				break
			}
			both, err := lookUpWord(ctx, r, "("+a.text+") AND ("+b.text+")", in)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, both)
		}
	}
	return pairs, nil
}
