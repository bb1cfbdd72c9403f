package question

import (
	"context"
	"slices"

	"hence/internal/db"
	"hence/memory/recall/lexicon"
)

// LookUp returns the terms of a question, and the question with corrections. Unless the search
// is by meaning alone, words that no memory has are corrected, and the notes say which. A run
// of a script without spaces that no memory has is searched by its pairs, because it may be a
// whole question. A word that only memories which are over have is not corrected: hints
// reports it.
func LookUp(ctx context.Context, r *db.Reader, q Query, mode string, f Filter) (Query, []Term, []string, error) {
	notes := []string{}
	if q.Match() == "" {
		return q, nil, notes, nil
	}
	terms, err := ReadTerms(ctx, r, q, f.Part)
	if err != nil || mode == "semantic" {
		return q, terms, notes, err
	}
	withEnded := f.withEnded()
	unknown, phrases, err := findUnknown(ctx, r, q, terms, withEnded)
	if err != nil {
		return q, nil, nil, err
	}
	q.searchedByPairs = map[string]bool{}
	for _, word := range unknown {
		switch count := lexicon.Characters(word); {
		case count > 2 && !lexicon.IsSentence(word):
			q.searchedByPairs[word] = true
		case count == 1 && !f.Plain:
			notes = append(notes, "no title, alias or tag has "+word+"; a single character is searched in these alone")
		}
	}
	if f.Plain {
		unknown, phrases = nil, nil
	}
	unknown = slices.DeleteFunc(unknown, lexicon.IsRun)
	if len(unknown) > 0 {
		if unknown, err = withoutSymbols(ctx, r, q, unknown); err != nil {
			return q, nil, nil, err
		}
	}
	q, wordNotes, err := correctWords(ctx, r, q, unknown, withEnded, splitWord, findSpellings)
	if err != nil {
		return q, nil, nil, err
	}
	phraseNotes := []string{}
	for _, phrase := range phrases {
		corrected, replacements, err := correctPhrase(ctx, r, phrase, withEnded)
		if err != nil {
			return q, nil, nil, err
		}
		if len(replacements) > 0 {
			q, phraseNotes = q.respell(phrase, []string{corrected}), append(phraseNotes, replacements...)
		}
	}
	if len(q.searchedByPairs)+len(q.respelled) > 0 {
		terms, err = ReadTerms(ctx, r, q, f.Part)
	}
	return q, terms, slices.Concat(notes, wordNotes, phraseNotes), err
}

// fewSections is the number of sections below which a word may be in forgotten memories alone,
// so that it is checked whether the caller may read any of them.
const fewSections = 10

// findUnknown returns the words and phrases of a question that no memory has which the caller
// may read. It returns nothing for a question of more than maxWords terms.
func findUnknown(ctx context.Context, r *db.Reader, q Query, terms []Term, f Filter) (words, phrases []string, err error) {
	if len(q.wantedForms()) > MaxWords {
		return nil, nil, nil
	}
	telling := q.TellingWords()
	rows := make([]int, len(telling)+len(q.Phrases))
	for _, t := range terms {
		if t.Index < len(rows) {
			rows[t.Index] = t.Rows
		}
	}
	texts := append(q.FTSQueries(telling), q.FTSQueries(q.Phrases)...)
	indexes, rare := []int{}, []int{}
	for index, n := range rows {
		switch {
		case n == 0:
			indexes = append(indexes, index)
		case n < fewSections || f.Namespace != "" && !f.Confined: // n counts the whole index
			rare = append(rare, index)
		}
	}
	if len(rare) > 0 {
		doubtful := make([]string, len(rare))
		for i, index := range rare {
			doubtful[i] = texts[index]
		}
		unreadable, err := findMissing(ctx, r, doubtful, f)
		if err != nil {
			return nil, nil, err
		}
		for _, i := range unreadable {
			indexes = append(indexes, rare[i])
		}
		slices.Sort(indexes)
	}
	for _, index := range indexes {
		if index < len(telling) {
			words = append(words, telling[index])
		} else {
			phrases = append(phrases, q.Phrases[index-len(telling)])
		}
	}
	return words, phrases, nil
}
