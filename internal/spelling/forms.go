package spelling

import "strings"

// endings are what the stemmer of the index (Porter, An algorithm for suffix
// stripping, 1980) takes off English words, alone and together, and the e that it
// takes off or not.
var endings = runesOf(`
e s es ed ing ings er ers or ors y ly
al als ally ial ional ionally ical ically ic ics able ably ible ibly ability ibility
ance ances ence ences ancy ancies ency encies ant ants antly ent ents ently ment ments ement ements
ion ions ation ations ational ition itions ator ators
ate ates ated ating ative atively ify ism isms ity ities ality ivity icity
ive ives ively iveness ous ously ousness ful fully fulness ness nesses
ize izes ized izing izer izers ization izations
alize alized alizing alization alizations icate icated`)

// LongestEnding is the length of the longest ending.
const LongestEnding = 10

// afterDouble are what a last letter is doubled before: stop, stopping.
var afterDouble = runesOf(`ed ing ings er ers y ate ates ated ating ation ations ator ators`)

// inPlaceOf are what stood where the stemmer leaves a letter: happi of happy and
// happiness, write of writing, possibl of possibility.
var inPlaceOf = map[rune][][]rune{
	'i': runesOf(`y ies ied ier iest iness ily ying yed yer yers`),
	'e': endings,
	'l': runesOf(`ility ilities`),
}

func runesOf(list string) (all [][]rune) {
	for _, one := range strings.Fields(list) {
		all = append(all, []rune(one))
	}
	return all
}

// OfStem counts the mistakes between the word and the nearest of the words that a
// stem of the index may stand for: the stem itself, or with an ending. It is allowed+1
// if there are more than that.
func (r *Ruler) OfStem(stem []rune, allowed int) int {
	root, last := stem[:len(stem)-1], stem[len(stem)-1]
	r.Cut(0)
	r.Push(root...)
	if r.Least() > allowed {
		return allowed + 1
	}
	least := r.withEnding(inPlaceOf[last], allowed)
	r.Push(last)
	if r.Least() > allowed {
		return least
	}
	least = min(least, r.Mistakes(), r.withEnding(endings, allowed))
	r.Push(last)
	return min(least, r.withEnding(afterDouble, allowed))
}

// withEnding counts the mistakes between the word and what was read with the nearest of
// some endings; allowed+1 if there are more than allowed.
func (r *Ruler) withEnding(all [][]rune, allowed int) int {
	least, length := allowed+1, len(r.read)
	for _, ending := range all {
		if longer := length + len(ending) - len(r.word); -allowed <= longer && longer <= allowed {
			r.Push(ending...)
			least = min(least, r.Mistakes())
			r.Cut(length)
		}
	}
	return least
}
