package lexicon

import (
	_ "embed"
	"slices"
	"strings"

	"hence/internal/prose"
)

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
func IsOrdinary(word string) bool { return ordinaryWords[word] || Stopwords[word] }

// SameWord maps each form of an irregular English verb or noun to all its forms, which the stemmer
// does not unify: a question may ask "what did she buy" where the text says "bought". The regular
// endings of the base form, such as buys and buying, are keys too. The list has one word with its
// forms per line. Words whose forms are stopwords (be, have, do) are left out, and so are words
// with a form that is better known as another word (rose, wound, ground).
var SameWord = func() map[string][]string {
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
}()
