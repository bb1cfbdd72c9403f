package near

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

// These limits bound the work of finding memories that share words with a text, whatever the
// sizes of the store and of the text.
const (
	maxSectionsPerWord = 500    // sections that are read for a word; fewer make it rare
	maxLookedUp        = 64     // words of a text that are looked up: numbers, then the longest
	maxRareWords       = 24     // rare words after which no more are looked up
	maxPairedWords     = 4      // common words whose pairs are looked up, if too few are rare
	maxPairSections    = 20_000 // about how many sections may have the second word of a pair
)

// lookedWord is a word, or a pair of words, with the keys of the sections that have it: all,
// or the first maxSectionsPerWord.
type lookedWord struct {
	word     string    // of the text; "" for a pair
	pair     [2]string // words of a pair
	adjacent bool      // the words of the pair are, in the text
	query    string    // for FTS5
	texts    []int     // that have it, where there are several
	sections []int64
	estimate float64 // about how many sections have it
	weight   float64 // squaredRarity in the store
}

// lookUpWords looks words up until most of them are rare, and parts the rare ones from the others
// that texts have.
func lookUpWords(ctx context.Context, r *db.Reader, words []string, keys textKeys, isRare func(lookedWord) bool, most int) (rare, common []lookedWord, err error) {
	for _, word := range words {
		if len(rare) == most {
			break
		}
		w, err := lookUpWord(ctx, r, lexicon.InAnySpelling(word), keys)
		w.word = word
		switch {
		case err != nil:
			return nil, nil, err
		case len(w.sections) == 0: // no text has it
		case isRare(w):
			rare = append(rare, w)
		default:
			common = append(common, w)
		}
	}
	return rare, common, nil
}

// lookUpText returns the rare words of a text with the sections that have them. It looks up
// numbers first, then long words, which are most often rare. In a large store a short text
// may have few rare words. Then pairs of its least common words count as words.
func lookUpText(ctx context.Context, r *db.Reader, text string, keys textKeys) ([]lookedWord, error) {
	isRare := func(w lookedWord) bool { return len(w.sections) < maxSectionsPerWord }
	rare, common, err := lookUpWords(ctx, r, tellingFirst(text), keys, isRare, maxRareWords)
	if err != nil || len(rare) == maxRareWords {
		return rare, err
	}
	slices.SortFunc(common, func(a, b lookedWord) int {
		return cmp.Or(cmp.Compare(a.estimate, b.estimate), cmp.Compare(a.query, b.query))
	})
	pairs, err := lookUpPairs(ctx, r, common, keys)
	return append(rare, pairs...), err
}

// pairAdjacent returns the pairs of rare words that are adjacent in a text, such as the words
// of a name, with the sections that have both. A name weighs more than its words, because many
// sections have one of them.
func pairAdjacent(text string, words []lookedWord) (pairs []lookedWord) {
	byWord := map[string]lookedWord{}
	for _, w := range words {
		byWord[w.word] = w
	}
	previous := ""
	for _, word := range lexicon.Figures(text) {
		a, b := byWord[previous], byWord[word]
		previous = word
		if a.word == "" || b.word == "" || a.word == b.word {
			continue
		}
		both := lookedWord{pair: [2]string{a.word, b.word}, adjacent: true, query: "(" + a.query + ") AND (" + b.query + ")"}
		for _, section := range b.sections {
			if _, has := slices.BinarySearch(a.sections, section); has {
				both.sections = append(both.sections, section)
			}
		}
		if both.estimate = float64(len(both.sections)); both.estimate > 0 {
			both.weight = squaredRarity(math.Expm1(math.Sqrt(a.weight))*a.estimate, both.estimate)
			pairs = append(pairs, both)
		}
	}
	return pairs
}

// tellingFirst returns the words of a text without stopwords, each once, at most maxLookedUp:
// words with a digit first, then the longest. If all words are stopwords, it returns those.
func tellingFirst(text string) []string {
	words, stops := []string{}, []string{}
	for _, word := range lexicon.Figures(text) {
		if lexicon.Stopwords(word) {
			stops = append(stops, word)
		} else {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = stops
	}
	hasDigit := func(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(lists.CompareFlags(hasDigit(a), hasDigit(b)), cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	words = slices.Compact(words)
	return words[:min(len(words), maxLookedUp)]
}

// textKeys are the keys of the sections in which words are looked up: those of a namespace, or
// of all namespaces, without source code. span is one range that includes all ranges.
type textKeys struct {
	span   question.KeyRange
	ranges []question.KeyRange
}

// readTextKeys returns the textKeys of a namespace, of all namespaces if it is "".
func readTextKeys(ctx context.Context, r *db.Reader, namespace string) (k textKeys, err error) {
	k.ranges, err = question.RangesOf(ctx, r, namespace, false)
	switch {
	case namespace == "":
		k.span = question.EveryText
	case len(k.ranges) > 0:
		k.span = k.ranges[0]
	}
	return k, err
}

// countUpTo returns the number of keys up to and including last.
func (k textKeys) countUpTo(last int64) (n float64) {
	for _, r := range k.ranges {
		if r[0] <= last {
			n += float64(question.KeyRange{r[0], min(r[1], last)}.Keys())
		}
	}
	return n
}

// lookUpWord returns the sections that match the FTS5 query of a word. If there are more than
// it reads, it estimates their number from the keys of those read, because FTS5 returns
// sections in the order of their keys.
func lookUpWord(ctx context.Context, r *db.Reader, text string, keys textKeys) (lookedWord, error) {
	w, total := lookedWord{query: text}, keys.countUpTo(math.MaxInt64)
	var err error
	w.sections, err = db.Keys(ctx, r, selectHaving, text, maxSectionsPerWord, keys.span[0], keys.span[1])
	w.estimate = float64(len(w.sections))
	if n := len(w.sections); n == maxSectionsPerWord {
		w.estimate *= max(1, total/keys.countUpTo(w.sections[n-1]))
	}
	w.weight = squaredRarity(total, w.estimate)
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

// lookUpPairs looks up each pair of the first maxPairedWords common words.
func lookUpPairs(ctx context.Context, r *db.Reader, common []lookedWord, keys textKeys) ([]lookedWord, error) {
	pairs := []lookedWord{}
	for i, a := range common[:min(len(common), maxPairedWords)] {
		for _, b := range common[i+1 : min(len(common), maxPairedWords)] {
			if b.estimate > maxPairSections {
				break
			}
			both, err := lookUpWord(ctx, r, "("+a.query+") AND ("+b.query+")", keys)
			if err != nil {
				return nil, err
			}
			both.pair = [2]string{a.word, b.word}
			pairs = append(pairs, both)
		}
	}
	return pairs, nil
}
