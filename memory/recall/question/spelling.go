package question

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
	"hence/memory/recall/lexicon"
)

const (
	maxRespelt   = 5 // words of a question that are corrected
	maxSpellings = 3 // spellings in place of one word
)

// corrector returns words to search in place of a word that no memory has.
type corrector func(ctx context.Context, r *db.Reader, word string, f Filter) ([]string, error)

// correctWords returns the question with each unknown word replaced by the words that the first
// successful corrector returns. The notes say what was replaced.
func correctWords(ctx context.Context, r *db.Reader, q Query, unknown []string, f Filter, correctors ...corrector) (corrected Query, notes []string, err error) {
	for _, word := range unknown[:min(len(unknown), maxRespelt)] {
		for _, find := range correctors {
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

// findSpellings returns at most maxSpellings of the words that are spelled most similarly.
func findSpellings(ctx context.Context, r *db.Reader, word string, f Filter) ([]string, error) {
	near, err := NearWords(ctx, r, word, f)
	return near[:min(len(near), maxSpellings)], err
}

// replacementNote returns a note on the words that were searched in place of a word.
func replacementNote(word string, better []string) string {
	return "no memory has the word " + word + "; looked for " + strings.Join(better, ", ") + " in its place"
}

// correctPhrase returns a phrase with words that memories have, and notes on the replaced words.
// It returns nothing if there is no similar word for one of its words, because no memory can have
// the phrase then.
func correctPhrase(ctx context.Context, r *db.Reader, phrase string, f Filter) (corrected string, notes []string, err error) {
	parts := slices.Collect(lexicon.Words(phrase))
	missing, err := findMissing(ctx, r, lexicon.Quote(parts), f)
	if len(missing) > maxRespelt || err != nil {
		return "", nil, err
	}
	for _, index := range missing {
		better, err := findSpellings(ctx, r, parts[index], f)
		if len(better) == 0 || err != nil {
			return "", nil, err
		}
		notes = append(notes, replacementNote(parts[index], better[:1]))
		parts[index] = better[0]
	}
	return strings.Join(parts, " "), notes, nil
}

// findMissing returns the indexes of the FTS5 queries that match no memory which the caller
// may read, so that nothing is revealed about other memories.
func findMissing(ctx context.Context, r *db.Reader, texts []string, f Filter) ([]int, error) {
	return db.Select(ctx, r, db.Value[int], `
select
  w.key
from json_each(?10) w
where not exists (
  select 1`+SectionsIn("?11", "w.value")+`
  cross join sections s on s.key = section_search.rowid
  cross join memories m on m.key = s.memory
  where `+Visible+`
)
order by w.key`, f.Bind(nil, db.List(texts), db.List(f.Part.Ranges))...)
}

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
func splitWord(ctx context.Context, r *db.Reader, word string, f Filter) ([]string, error) {
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
