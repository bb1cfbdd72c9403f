package lexicon

import (
	"iter"
	"strconv"
	"strings"
)

// cardinals are the English words for numbers up to twenty, and for the tens.
var cardinals = func() map[string]int {
	set := map[string]int{}
	for n, word := range strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen") {
		set[word] = n
	}
	for n, word := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety hundred") {
		set[word] = 10 * (n + 2)
	}
	set["thousand"] = 1000
	return set
}()

// numberWords are the words for each number of a text, "twenty five" for 25.
var numberWords = func() map[string]string {
	words := map[string]string{}
	for word, n := range cardinals {
		words[strconv.Itoa(n)] = word
		for unit, one := range cardinals {
			if n >= 20 && n < 100 && one > 0 && one < 10 {
				words[strconv.Itoa(n+one)] = word + " " + unit
			}
		}
	}
	return words
}()

// Figures yields the words of a text, with numbers in figures: "twenty-five attempts"
// is 25, attempts.
func Figures(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		tens := 0 // of the word before, which a unit may follow
		for word := range Tokens(text) {
			n, isNumeral := cardinals[word]
			if tens > 0 {
				isUnit := isNumeral && n > 0 && n < 10
				if isUnit {
					tens += n
				}
				if !yield(strconv.Itoa(tens)) {
					return
				}
				tens = 0
				if isUnit {
					continue
				}
			}
			switch {
			case isNumeral && n >= 20 && n < 100:
				tens = n
			case isNumeral:
				if !yield(strconv.Itoa(n)) {
					return
				}
			case !yield(word):
				return
			}
		}
		if tens > 0 {
			yield(strconv.Itoa(tens))
		}
	}
}

// InAnySpelling returns the query of FTS5 for a word of figures: a number is searched in
// Figures and in words.
func InAnySpelling(word string) string {
	if words, ok := numberWords[word]; ok {
		return strings.Join(Quote([]string{word, words}), " OR ")
	}
	return Quote([]string{word})[0]
}
