package lexicon

import (
	"iter"
	"strconv"
	"strings"
)

// cardinals are the values of the English words for numbers up to twenty, for the tens, and
// of hundred and thousand.
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

// numberWords are the words for each number in digits, "twenty five" for 25.
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

// Figures yields the tokens of a text with numbers up to 100, and 1000, in digits:
// "twenty-five attempts" yields 25, attempts.
func Figures(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		tens := 0 // from the previous word: a unit may follow it; 0 if it was not a multiple of ten
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

// InAnySpelling returns the FTS5 query for a word that Figures yielded: a number is searched
// both in digits and in words.
func InAnySpelling(word string) string {
	if words, ok := numberWords[word]; ok {
		return strings.Join(Quote([]string{word, words}), " OR ")
	}
	return Quote([]string{word})[0]
}
