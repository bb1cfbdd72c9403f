package recall

import (
	"context"
	"slices"
	"strings"

	"hence/memory/recall/lexicon"

	"hence/internal/db"
)

const (
	maxRespelt   = 5 // words of a question that are corrected
	maxSpellings = 3 // of one word
)

// way finds what may stand in place of a word that no memory has.
type way func(ctx context.Context, r *db.Reader, word string, f filter) ([]string, error)

// mend replaces words of a question that no memory has, which the caller may read, each
// by what the first of the ways finds. The notes say what was replaced.
func mend(ctx context.Context, r *db.Reader, q query, unknown []string, f filter, ways ...way) (mended query, notes []string, err error) {
	for _, word := range unknown[:min(len(unknown), maxRespelt)] {
		for _, find := range ways {
			better, err := find(ctx, r, word, f)
			if err != nil {
				return q, nil, err
			}
			if len(better) > 0 {
				q = q.respell(word, better)
				notes = append(notes, replacementNote(word, better))
				break
			}
		}
	}
	return q, notes, nil
}

// spellings returns a few of the nearest words that begin like a word.
func spellings(ctx context.Context, r *db.Reader, word string, f filter) ([]string, error) {
	near, err := nearWords(ctx, r, word, false, f)
	return firstOf(near), err
}

// otherStarts returns a few of the nearest words that begin with another letter.
func otherStarts(ctx context.Context, r *db.Reader, word string, f filter) ([]string, error) {
	near, err := nearWords(ctx, r, word, true, f)
	return firstOf(near), err
}

func firstOf(near []nearWord) (few []string) {
	for _, n := range near[:min(len(near), maxSpellings)] {
		few = append(few, n.word)
	}
	return few
}

// replacementNote says what was searched instead of a word.
func replacementNote(word string, better []string) string {
	return "no memory has the word " + word + "; looked for " + strings.Join(better, ", ") + " in its place"
}

// mendPhrase returns a few ways to write a phrase with words that memories have, and
// what was replaced: nothing if one of its words has no like, because the phrase is
// nowhere then.
func mendPhrase(ctx context.Context, r *db.Reader, phrase string, f filter) (ways, notes []string, err error) {
	parts := slices.Collect(lexicon.Words(phrase))
	unknown, err := findMissing(ctx, r, lexicon.Quote(parts), f)
	if len(unknown) > maxRespelt || err != nil {
		return nil, nil, err
	}
	all := [][]string{parts}
	for _, place := range unknown {
		better, err := spellings(ctx, r, parts[place], f)
		if len(better) == 0 || err != nil {
			return nil, nil, err
		}
		all = replaceIn(all, place, better)
		notes = append(notes, replacementNote(parts[place], better))
	}
	for _, way := range all {
		ways = append(ways, strings.Join(way, " "))
	}
	return ways, notes, nil
}

// replaceIn returns the first few ways to write a phrase with one of several words in
// a place.
func replaceIn(ways [][]string, place int, better []string) (all [][]string) {
	for _, way := range ways {
		for _, word := range better {
			one := slices.Clone(way)
			one[place] = word
			all = append(all, one)
		}
	}
	return all[:min(len(all), maxSpellings)]
}

// findMissing returns the indexes of the queries of FTS5 that match no memory which the
// caller may read, so that nothing is revealed about others.
func findMissing(ctx context.Context, r *db.Reader, texts []string, f filter) ([]int, error) {
	return db.Select(ctx, r, db.Value[int], `
select
  w.key
from json_each(?10) w
where not exists (
  select 1`+sectionsIn("?11", "w.value")+`
  cross join sections s on s.key = section_search.rowid
  cross join memories m on m.key = s.memory
  where `+visible+`
)
order by w.key`, f.bind(nil, db.List(texts), giveRanges(f.part.ranges))...)
}
