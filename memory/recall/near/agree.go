package near

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/db"
	"hence/memory/recall/lexicon"
)

// A memory is near a text if its title stands in the text, if it states the same attribute of
// the same subject, or if it agrees with the text in two rare words, more for a long text. A
// word is rare if few memories have it, and no word of time, number or order is.
const (
	rareShared    = 0.01 // a word is rare if at most this share of the memories has it,
	rareAnyway    = 3    // or at most this many memories;
	namedOften    = 3    // a name, if at most this many times as many
	agreement     = 2    // rare words in which a near memory agrees,
	noteWorth     = 1.75 // most that a name or number counts in a note of a vault,
	wordsForOne   = 20   // one more for this many words of the text
	longer        = 1.5  // more for a section that is longer, by the logarithm of how many times
	leastLetters  = 4    // of a word that counts by itself
	maxConsidered = 12   // memories of which it is asked whether they are near
)

// worth returns how much the agreement in a word says, where a word of a subject counts 1. A
// number such as a port says as much as two words, a small one little. A pair of characters is
// about half a word.
func worth(word string) float64 {
	letters := utf8.RuneCountInString(word)
	isNumber := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
	switch {
	case lexicon.IsOrdinary(word):
		return 0
	case isNumber && letters > 2 && !strings.HasSuffix(word, "00") && !(letters == 4 && (word[:2] == "19" || word[:2] == "20")):
		return 2
	case isNumber, lexicon.IsRun(word):
		return 0.5
	case letters < leastLetters && !strings.ContainsFunc(word, unicode.IsDigit):
		return 0
	}
	return 1
}

// worth returns the worth of a word or a pair. A pair of words that are adjacent in the text is
// a name, and counts two.
func (w lookedWord) worth() float64 {
	switch {
	case w.word != "":
		return worth(w.word)
	case lexicon.IsOrdinary(w.pair[0]) || lexicon.IsOrdinary(w.pair[1]) || lexicon.IsRun(w.pair[0]) || lexicon.IsRun(w.pair[1]):
		return 0
	case w.adjacent:
		return 2
	}
	return 1
}

// agreeing selects the memories that are near a text, of those that share words with it.
type agreeing struct {
	text     string // folded, with spaces around its words
	words    []lookedWord
	rareness float64 // memories that may have a rare word
	needed   float64
	stating  int64        // the memory that states the same attribute of the same subject, 0 if none
	rare     map[int]bool // by the index of a word
}

func newAgreeing(text string, words []lookedWord, memories float64) agreeing {
	telling := 0.0
	for _, word := range tellingFirst(text) {
		telling += min(1, worth(word))
	}
	return agreeing{
		text: lexicon.Spaced(text), words: words, rareness: max(rareAnyway, rareShared*memories),
		needed: agreement + float64(int(telling)/wordsForOne), rare: map[int]bool{},
	}
}

// names reports whether the words of a title stand in the text in a row, and one of them says
// something.
func (a agreeing) names(title string) bool {
	spaced := lexicon.Spaced(title)
	return strings.Contains(a.text, spaced) && strings.Count(spaced, " ") > 1 &&
		slices.ContainsFunc(strings.Fields(spaced), func(word string) bool { return worth(word) >= 1 || lexicon.IsRun(word) })
}

// agrees reports whether a memory agrees with the text in enough rare words. In a note of a vault
// one name is not enough: a vault about software has mobile apps, pull requests and a search index.
func (a agreeing) agrees(ctx context.Context, r *db.Reader, s sharer) (bool, error) {
	sum, enough := 0.0, a.needed+longer*math.Log(max(1, s.lengthRatio))
	for _, index := range s.words {
		worth := a.words[index].worth()
		if s.isNote {
			worth = min(worth, noteWorth)
		}
		if worth == 0 || sum >= enough { // whether a word is rare takes a query
			continue
		}
		isRare, ok := a.rare[index]
		if !ok {
			var err error
			if isRare, err = a.isRare(ctx, r, a.words[index]); err != nil {
				return false, err
			}
			a.rare[index] = isRare
		}
		if isRare {
			sum += worth
		}
	}
	return sum >= enough, nil
}

// isRare reports whether few memories have a word. All sections of a note have its title, so
// that more sections than memories may have it.
func (a agreeing) isRare(ctx context.Context, r *db.Reader, w lookedWord) (bool, error) {
	most := a.rareness
	if w.adjacent {
		most *= namedOften
	}
	if w.estimate <= most || len(w.sections) >= maxSectionsPerWord {
		return w.estimate <= most, nil
	}
	// Most sections are those of one memory each, so that a few more than may be show it.
	for _, sections := range [][]int64{w.sections[:min(len(w.sections), int(most)+1)], w.sections} {
		memories, _, err := db.One[float64](ctx, r, `
select count(distinct s.memory)
from json_each(?) j
cross join sections s on s.key = j.value`, db.List(sections))
		if err != nil || memories > most {
			return false, err
		}
	}
	return true, nil
}
