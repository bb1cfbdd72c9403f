// Package lexicon splits texts into words as the full-text index does. It also holds the
// English stopwords, the forms of irregular words, and the words for numbers.
package lexicon

import (
	"cmp"
	_ "embed"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"hence/internal/prose"
	"hence/internal/script"
)

// Words yields the words of a text in lower case, as the tokenizer of the index splits it. A
// run of characters of a script without spaces, such as Chinese, is one word.
func Words(text string) iter.Seq[string] { return script.Runs(strings.ToLower(text)) }

// Spaced returns the words of a text in lower case, with a space around each.
func Spaced(text string) string { return " " + strings.Join(slices.Collect(Words(text)), " ") + " " }

// Tokens yields the words of a text, with the pairs of its characters in place of each run of
// a script without spaces. A run of a single character has no pair and is left out.
func Tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range Words(text) {
			if !IsRun(word) {
				if !yield(word) {
					return
				}
				continue
			}
			for _, pair := range Pairs(word) {
				if !yield(pair) {
					return
				}
			}
		}
	}
}

// IsRun reports whether a word is a run of a script without spaces, by its first character.
func IsRun(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return script.IsSpaceless(first)
}

// Characters returns the number of characters of a run as the index counts them; 0 for a word
// that is not a run.
func Characters(word string) int {
	if !IsRun(word) {
		return 0
	}
	return len(Pairs(word)) + 1
}

// IsSentence reports whether a run is as long as several words, so that it may be a whole
// question. Thai, Lao, Khmer and Myanmar need twice the length, because their vowels are
// separate characters.
func IsSentence(word string) bool {
	const minLetters, minSyllables = 14, 7
	if first, _ := utf8.DecodeRuneInString(word); first < '\u1100' || '\u1780' <= first && first <= '\u17ff' {
		return Characters(word) >= minLetters
	}
	return Characters(word) >= minSyllables
}

// Pairs returns the pairs of neighbouring characters by which a run is indexed, none for a
// single character.
func Pairs(run string) []string {
	if phrase, isPrefix := script.Phrase(run); !isPrefix {
		return strings.Fields(phrase)
	}
	return nil
}

// Quote returns the FTS5 query for a text. A single character of a script without spaces is
// searched only in titles, aliases and tags.
func Quote(text string) string {
	query, isPrefix := script.Query(text)
	if isPrefix {
		query += " *"
	}
	if isPrefix && utf8.RuneCountInString(text) == 1 {
		query = InNames + query
	}
	return query
}

// InNames is the prefix that limits an FTS5 query to titles, aliases and tags.
const InNames = "{title aliases tags} : "

//go:embed stopwords.txt
var stopwords string

//go:embed ordinary.txt
var ordinary string

//go:embed irregular.txt
var irregular string

// Stopwords are the English words that do not say what a question is about, as the tokenizer
// splits them, without apostrophes: articles, pronouns, auxiliaries, question words and
// conjunctions. Words of time, place and number (after, over, both) are not among them.
var Stopwords = prose.Words(stopwords)

// ordinaryWords are words by which two texts agree without being about one thing: words of time,
// number and order, the commonest verbs, and the small words of other languages.
var ordinaryWords = prose.Words(ordinary)

// IsOrdinary reports whether a word in lower case says little about the thing that a text is
// about.
func IsOrdinary(word string) bool { return ordinaryWords(word) || Stopwords(word) }

// SameWord maps each form of an irregular English verb or noun to all its forms, which the stemmer
// does not unify: a question may ask "what did she buy" where the text says "bought". The regular
// endings of the base form, such as buys and buying, are keys too. The list has one word with its
// forms per line. Words whose forms are stopwords (be, have, do) are left out, and so are words
// with a form that is better known as another word (rose, wound, ground).
var SameWord = sync.OnceValue(func() map[string][]string {
	same := map[string][]string{}
	for line := range strings.Lines(irregular) {
		forms := strings.Fields(line)
		base := forms[0]
		endings := []string{base + "s", base + "es", base + "ing", strings.TrimSuffix(base, "e") + "ing", base + base[len(base)-1:] + "ing"}
		for _, form := range slices.Concat(endings, forms) {
			same[form] = forms
		}
	}
	return same
})

// numberWords are the English words for the numbers up to 100, and 1000, by their digits: "twenty five"
// for 25, and the digits by the words.
var numberWords = sync.OnceValues(func() (words, figures map[string]string) {
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
})

// Figures returns the tokens of a text with numbers up to 100, and 1000, in digits:
// "twenty-five attempts" has 25, attempts.
func Figures(text string) (all []string) {
	words := slices.Collect(Tokens(text))
	_, figures := numberWords()
	for i := 0; i < len(words); i++ {
		word := cmp.Or(figures[words[i]], words[i])
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
	written, _ := numberWords()
	if words, ok := written[word]; ok {
		return Quote(word) + " OR " + Quote(words)
	}
	return Quote(word)
}
