// Package spelling compares words as people misspell them: a letter too few, too
// many, wrong, or two in the wrong order. Four of five misspellings are one such
// mistake (Damerau, A technique for computer detection and correction of spelling
// errors, 1964), and the first letter is hardly ever wrong (Yannakoudakis and
// Fawthrop, The rules of spelling errors, 1983).
package spelling

import (
	"unicode"
	"unicode/utf8"
)

const (
	shortestWord = 4 // characters: in shorter words a single letter changes too much
	longWord     = 8 // characters from which two mistakes are allowed, not one
)

// MaxMistakes is how many mistakes a word may have and still be recognised: none if it is
// short, or is hardly letters.
func MaxMistakes(word string) int {
	letters := 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	switch n := utf8.RuneCountInString(word); {
	case letters < shortestWord:
		return 0
	case n < longWord:
		return 1
	}
	return 2
}

// Ruler counts the mistakes between a word and others that are read letter by letter
// (the distance of Damerau, each place changed once).
type Ruler struct {
	word []rune
	read []rune
	rows [][]int // rows[i][j]: the mistakes between the first i letters read and the first j of the word
	part bool    // the letters read may have others before
}

// NewRuler returns a ruler for a folded word.
func NewRuler(word string) *Ruler {
	r := &Ruler{word: []rune(word)}
	first := make([]int, len(r.word)+1)
	for j := range first {
		first[j] = j
	}
	r.rows = [][]int{first}
	return r
}

// Push reads the next letters.
func (r *Ruler) Push(letters ...rune) {
	for _, letter := range letters {
		i := len(r.read) + 1
		if i == len(r.rows) {
			r.rows = append(r.rows, make([]int, len(r.word)+1))
		}
		row, above := r.rows[i], r.rows[i-1]
		if row[0] = i; r.part {
			row[0] = 0
		}
		for j := 1; j <= len(r.word); j++ {
			other := above[j-1]
			if letter != r.word[j-1] {
				other++
			}
			row[j] = min(other, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && letter == r.word[j-2] && r.read[i-2] == r.word[j-1] {
				row[j] = min(row[j], r.rows[i-2][j-2]+1)
			}
		}
		r.read = append(r.read, letter)
	}
}

// Cut leaves the first letters that were read.
func (r *Ruler) Cut(letters int) { r.read = r.read[:letters] }

// Mistakes counts the mistakes between the word and the letters read.
func (r *Ruler) Mistakes() int { return r.rows[len(r.read)][len(r.word)] }

// Least is how many mistakes remain at least, whatever is read next.
func (r *Ruler) Least() int {
	least := len(r.word)
	for _, mistakes := range r.rows[len(r.read)] {
		least = min(least, mistakes)
	}
	return least
}

// Distance counts the mistakes between the word and another folded word.
func (r *Ruler) Distance(other []rune) int {
	r.Cut(0)
	r.Push(other...)
	return r.Mistakes()
}

// DistanceWithin counts the mistakes between the word and the nearest part of a folded text.
func (r *Ruler) DistanceWithin(text []rune) int {
	r.part = true
	defer func() { r.part = false }()
	r.Cut(0)
	least := len(r.word)
	for _, letter := range text {
		r.Push(letter)
		least = min(least, r.Mistakes())
	}
	return least
}

// Start says how alike the beginnings of two words are.
type Start int

// The beginnings of two words, the likeliest first: the same first letter, and at most
// one mistake in the second; the first two letters in the wrong order; a first letter
// that is wrong, missing or too many, before the right ones; those of other words.
const (
	SameStart Start = iota
	SwappedStart
	WrongStart
	OtherStart
)

// Begins compares the beginning of a word, of three letters or more, with that of
// another.
func Begins(word, other []rune) Start {
	if len(other) < 3 {
		return OtherStart
	}
	first, second, third := word[0], word[1], word[2]
	switch {
	case other[0] == first && (other[1] == second || other[1] == third || other[2] == second || other[2] == third):
		return SameStart
	case other[0] == second && other[1] == first:
		return SwappedStart
	case other[1] == second && other[2] == third, other[1] == first && other[2] == second, other[0] == second && other[1] == third:
		return WrongStart
	}
	return OtherStart
}
