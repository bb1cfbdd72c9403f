package lexicon

import (
	"slices"
	"strconv"
	"strings"
)

// numberWords are the English words for the numbers up to 100, and 1000, by their digits: "twenty five"
// for 25. figures are the digits by the words.
var numberWords, figures = func() (words, figures map[string]string) {
	words = map[string]string{"1000": "thousand"}
	units := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	for n, word := range units {
		words[strconv.Itoa(n)] = word
	}
	for n, tens := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety hundred") {
		words[strconv.Itoa(10*(n+2))] = tens
		for unit := 1; unit < 10 && tens != "hundred"; unit++ {
			words[strconv.Itoa(10*(n+2)+unit)] = tens + " " + units[unit]
		}
	}
	figures = map[string]string{}
	for digits, word := range words {
		figures[word] = digits
	}
	return words, figures
}()

// Figures returns the tokens of a text with numbers up to 100, and 1000, in digits:
// "twenty-five attempts" has 25, attempts.
func Figures(text string) (all []string) {
	words := slices.Collect(Tokens(text))
	for i := 0; i < len(words); i++ {
		word := words[i]
		if n, ok := figures[word]; ok {
			word = n
		}
		if i+1 < len(words) {
			if n, ok := figures[words[i]+" "+words[i+1]]; ok {
				word = n
				i++
			}
		}
		all = append(all, word)
	}
	return all
}

// InAnySpelling returns the FTS5 query for a word of Figures: a number is searched
// both in digits and in words.
func InAnySpelling(word string) string {
	if words, ok := numberWords[word]; ok {
		return strings.Join(Quote([]string{word, words}), " OR ")
	}
	return Quote([]string{word})[0]
}
