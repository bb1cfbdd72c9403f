package recall

import (
	"context"
	"slices"

	"hence/memory/recall/lexicon"

	"hence/internal/db"
)

// lookUp returns the terms of a question. Unless the search is by meaning alone, words
// that no memory has are corrected, and the notes say which; a run of a script without
// spaces that no memory has is searched by its pairs, because it may be a whole
// question. A memory that is over has a word too, so that the hints can say so.
func lookUp(ctx context.Context, r *db.Reader, q query, mode string, f filter) (query, []term, []string, error) {
	notes := []string{}
	if q.match() == "" {
		return q, nil, notes, nil
	}
	all, err := terms(ctx, r, q, f.part)
	if err != nil || mode == "semantic" {
		return q, all, notes, err
	}
	ever := f.withEnded()
	unknown, phrases, err := withoutTerms(ctx, r, q, all, ever)
	if err != nil {
		return q, nil, nil, err
	}
	isNowhere := len(unknown)+len(phrases) == len(q.tellingWords())+len(q.phrases)
	q.inPairs = map[string]bool{}
	for _, word := range unknown {
		switch characters := lexicon.Characters(word); {
		case characters > 2 && !lexicon.IsSentence(word):
			q.inPairs[word] = true
		case characters == 1 && !f.plain:
			notes = append(notes, "no title, alias or tag has "+word+"; a single character is searched in these alone")
		}
	}
	if f.plain {
		unknown, phrases = nil, nil
	}
	unknown = slices.DeleteFunc(unknown, lexicon.IsRun)
	q, ofWords, err := mend(ctx, r, q, unknown, ever, split, spellings)
	if err != nil {
		return q, nil, nil, err
	}
	ofPhrases := []string{}
	for _, phrase := range phrases {
		ways, said, err := mendPhrase(ctx, r, phrase, ever)
		if err != nil {
			return q, nil, nil, err
		}
		if len(said) > 0 {
			q, ofPhrases = q.respell(phrase, ways), append(ofPhrases, said...)
		}
	}
	if isNowhere && len(q.inPairs)+len(q.respelled) == 0 {
		if q, ofWords, err = mend(ctx, r, q, unknown, ever, otherStarts); err != nil {
			return q, nil, nil, err
		}
	}
	if len(q.inPairs)+len(q.respelled) > 0 {
		all, err = terms(ctx, r, q, f.part)
	}
	return q, all, slices.Concat(notes, ofWords, ofPhrases), err
}

// fewSections is how many sections may have a word for it to be looked whether the
// caller may read any of them. A more frequent one is hardly in forgotten memories
// alone.
const fewSections = 10

// withoutTerms returns the words and phrases of a question that no memory has which the
// caller may read.
func withoutTerms(ctx context.Context, r *db.Reader, q query, all []term, f filter) (words, phrases []string, err error) {
	if len(q.wantedForms()) > maxWords {
		return nil, nil, nil
	}
	telling := q.tellingWords()
	rows := make([]int, len(telling)+len(q.phrases))
	for _, t := range all {
		if t.place < len(rows) {
			rows[t.place] = t.rows
		}
	}
	texts := append(q.texts(telling), q.texts(q.phrases)...)
	places, rare := []int{}, []int{}
	for place, n := range rows {
		switch {
		case n == 0:
			places = append(places, place)
		case n < fewSections || f.namespace != "" && !f.confined: // n is of the whole index
			rare = append(rare, place)
		}
	}
	if len(rare) > 0 {
		doubtful := make([]string, len(rare))
		for i, place := range rare {
			doubtful[i] = texts[place]
		}
		unreadable, err := findMissing(ctx, r, doubtful, f)
		if err != nil {
			return nil, nil, err
		}
		for _, i := range unreadable {
			places = append(places, rare[i])
		}
		slices.Sort(places)
	}
	for _, place := range places {
		if place < len(telling) {
			words = append(words, telling[place])
		} else {
			phrases = append(phrases, q.phrases[place-len(telling)])
		}
	}
	return words, phrases, nil
}
