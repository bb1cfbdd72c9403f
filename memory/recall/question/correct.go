package question

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"hence/internal/db"
	"hence/memory/recall/lexicon"
)

const (
	maxRespelt   = 5 // words of a question that are corrected
	maxSpellings = 3 // spellings in place of one word
	// fewSections is the number of sections below which a word may be in forgotten memories alone,
	// so that it is checked whether the caller may read any of them.
	fewSections = 10
	// maxCompoundBytes is the length of the longest word that is searched as two.
	maxCompoundBytes = 40
)

// LookUp returns the question with its terms counted and corrected. Unless the search
// is by meaning alone, words that no memory has are corrected, and the notes say which. A run
// of a script without spaces that no memory has is searched by its pairs, because it may be a
// whole question. A word that only memories which are over have is not corrected: a hint
// reports it.
func (q Question) LookUp(ctx context.Context, r *db.Reader, mode string, f Filter) (read Question, notes []string, err error) {
	notes = []string{}
	if len(q.Terms) == 0 {
		return q, notes, nil
	}
	q.Terms = slices.Clone(q.Terms)
	for i, t := range q.Terms { // the same question may be looked up among other memories
		copied := *t
		q.Terms[i], copied.Forms = &copied, slices.Clone(t.Forms)
	}
	if err := q.Read(ctx, r, f.Scope); err != nil || mode == "semantic" || len(q.Terms) > maxTerms {
		return q, notes, err
	}
	f.Times.Over = ""
	unknown, err := q.findUnknown(ctx, r, f)
	if err != nil || len(unknown) == 0 {
		return q, notes, err
	}
	runs, words, phrases := map[*Term]bool{}, []*Term{}, []*Term{}
	for _, t := range unknown {
		switch count := lexicon.Characters(t.Text); {
		case t.kind == ofPhrase:
			phrases = append(phrases, t)
		case count == 0 && !lexicon.IsRun(t.Text):
			words = append(words, t)
		case count > 2 && !lexicon.IsSentence(t.Text):
			runs[t] = true
		case count == 1 && !f.Plain:
			notes = append(notes, "no title, alias or tag has "+t.Text+"; a single character is searched in these alone")
		}
	}
	corrected := []string{}
	if !f.Plain {
		if corrected, err = q.correct(ctx, r, f, words, phrases); err != nil {
			return q, nil, err
		}
	}
	if len(runs)+len(corrected) == 0 {
		return q, notes, nil
	}
	q.splitRuns(runs)
	return q, append(notes, corrected...), q.Read(ctx, r, f.Scope)
}

// findUnknown returns the words and phrases of the question that no memory has which the caller
// may read.
func (q Question) findUnknown(ctx context.Context, r *db.Reader, f Filter) (unknown []*Term, err error) {
	rare, matches := []*Term{}, []string{}
	for _, t := range q.Terms {
		switch {
		case t.IsWhole():
		case t.Rows == 0, t.Rows < fewSections, f.Namespace != "" && !f.Confined: // the whole index was counted
			rare, matches = append(rare, t), append(matches, t.match())
		}
	}
	if len(rare) == 0 {
		return nil, nil
	}
	missing, err := findMissing(ctx, r, matches, f)
	for _, index := range missing {
		unknown = append(unknown, rare[index])
	}
	return unknown, err
}

// correct puts spellings that memories have in place of unknown terms, and returns notes that say
// which.
func (q Question) correct(ctx context.Context, r *db.Reader, f Filter, words, phrases []*Term) (notes []string, err error) {
	if words, err = q.withoutSymbols(ctx, r, words); err != nil {
		return nil, err
	}
	for _, t := range words[:min(len(words), maxRespelt)] {
		better, err := splitWord(ctx, r, t.Text, f)
		if err == nil && len(better) == 0 {
			better, err = findSpellings(ctx, r, t.Text, f)
		}
		if err != nil {
			return nil, err
		}
		if len(better) > 0 {
			t.replace(better)
			notes = append(notes, replacementNote(t.Text, better))
		}
	}
	for _, t := range phrases {
		corrected, replaced, err := correctPhrase(ctx, r, t.Text, f)
		if err != nil {
			return nil, err
		}
		if len(replaced) > 0 {
			t.replace([]string{corrected})
			notes = append(notes, replaced...)
		}
	}
	return notes, nil
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
func findMissing(ctx context.Context, r *db.Reader, matches []string, f Filter) ([]int, error) {
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
order by w.key`, f.Bind(nil, db.List(matches), db.List(f.Scope.Ranges))...)
}

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
