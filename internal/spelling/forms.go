package spelling

import "strings"

// endings are the endings, and combinations of endings, that the stemmer of the index (Porter,
// An algorithm for suffix stripping, 1980) removes from English words, and the e that it
// sometimes removes.
var endings = runesOf(`
e s es ed ing ings er ers or ors y ly
al als ally ial ional ionally ical ically ic ics able ably ible ibly ability ibility
ance ances ence ences ancy ancies ency encies ant ants antly ent ents ently ment ments ement ements
ion ions ation ations ational ition itions ator ators
ate ates ated ating ative atively ify ism isms ity ities ality ivity icity
ive ives ively iveness ous ously ousness ful fully fulness ness nesses
ize izes ized izing izer izers ization izations
alize alized alizing alization alizations icate icated`)

// LongestEnding is the length of the longest ending in characters.
const LongestEnding = 10

// doublingEndings are the endings before which the last letter of a word may be doubled: stop,
// stopping.
var doublingEndings = runesOf(`ed ing ings er ers y ate ates ated ating ation ations ator ators`)

// replacedEndings are, by the last letter of a stem, the endings that the stemmer may have
// replaced by that letter: happy and happiness become happi, writing becomes write, and
// possibility becomes possibl.
var replacedEndings = map[rune][][]rune{
	'i': runesOf(`y ies ied ier iest iness ily ying yed yer yers`),
	'e': endings,
	'l': runesOf(`ility ilities`),
}

// runesOf returns the words of a list as runes.
func runesOf(list string) (words [][]rune) {
	for _, word := range strings.Fields(list) {
		words = append(words, []rune(word))
	}
	return words
}

// OfStem returns the number of mistakes between the word and the most similar word that has a
// stem in the index: the stem itself, or the stem with an ending. It returns allowed+1 if there
// are more than allowed.
func (r *Ruler) OfStem(stem []rune, allowed int) int {
	root, last := stem[:len(stem)-1], stem[len(stem)-1]
	r.Cut(0)
	r.Push(root...)
	if r.Least() > allowed {
		return allowed + 1
	}
	least := r.withEnding(replacedEndings[last], allowed)
	r.Push(last)
	if r.Least() > allowed {
		return least
	}
	least = min(least, r.Mistakes(), r.withEnding(endings, allowed))
	r.Push(last)
	return min(least, r.withEnding(doublingEndings, allowed))
}

// withEnding returns the number of mistakes between the word and the letters read so far with
// the best of the endings, allowed+1 if there are more than allowed.
func (r *Ruler) withEnding(endings [][]rune, allowed int) int {
	least, length := allowed+1, len(r.read)
	for _, ending := range endings {
		if excess := length + len(ending) - len(r.word); -allowed <= excess && excess <= allowed {
			r.Push(ending...)
			least = min(least, r.Mistakes())
			r.Cut(length)
		}
	}
	return least
}
