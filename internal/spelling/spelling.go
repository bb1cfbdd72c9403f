// Package spelling counts the spelling mistakes between two words: a missing letter, an extra
// letter, a wrong letter, or two letters in the wrong order. Four of five misspellings are one
// such mistake (Damerau, A technique for computer detection and correction of spelling errors,
// 1964), and the first letter is rarely wrong (Yannakoudakis and Fawthrop, The rules of
// spelling errors, 1983).
package spelling

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	minLetters = 4 // letters of the shortest word with mistakes: in a shorter one each letter matters
	longWord   = 8 // characters of the shortest word with two mistakes, not one
)

// MaxMistakes returns the number of mistakes with which a word is still recognised: 0 to 2,
// and 0 for a word with few letters.
func MaxMistakes(word string) int {
	letters := 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	switch n := utf8.RuneCountInString(word); {
	case letters < minLetters:
		return 0
	case n < longWord:
		return 1
	}
	return 2
}

// Ruler counts the mistakes between a word and another one that is read letter by letter: the
// optimal string alignment distance, which is Damerau's distance without a second change at
// the same place.
type Ruler struct {
	word []rune
	read []rune
	rows [][]int // rows[i][j]: number of mistakes between the first i letters read and the first j of the word
	part bool    // compare with any end of the letters read, not with all
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

// Cut forgets all letters that were read except the given number of first ones.
func (r *Ruler) Cut(letters int) { r.read = r.read[:letters] }

// Mistakes returns the number of mistakes between the word and the letters read.
func (r *Ruler) Mistakes() int { return r.rows[len(r.read)][len(r.word)] }

// Least returns a lower bound of Mistakes, whatever letters are read next.
func (r *Ruler) Least() int {
	least := len(r.word)
	for _, mistakes := range r.rows[len(r.read)] {
		least = min(least, mistakes)
	}
	return least
}

// Distance returns the number of mistakes between the word and another folded word.
func (r *Ruler) Distance(other []rune) int {
	r.Cut(0)
	r.Push(other...)
	return r.Mistakes()
}

// DistanceWithin returns the number of mistakes between the word and the most similar part of
// a folded text.
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

// Nearest returns those of the words that are a few mistakes away from a word, the least first:
// at most as many mistakes as MaxMistakes allows.
func Nearest(word string, words []string) []string {
	ruler, allowed := NewRuler(word), MaxMistakes(word)
	near := slices.DeleteFunc(slices.Clone(words), func(other string) bool { return ruler.Distance([]rune(other)) > allowed })
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(ruler.Distance([]rune(a)), ruler.Distance([]rune(b))) })
	return near
}

// Begins reports whether a word of three letters or more may begin as another one does: with the
// same first letter and at most one mistake in the second, or with the first two in the wrong
// order.
func Begins(word, other []rune) (begins, isSwapped bool) {
	if len(other) < 3 {
		return false, false
	}
	first, second, third := word[0], word[1], word[2]
	if other[0] == first {
		return other[1] == second || other[1] == third || other[2] == second || other[2] == third, false
	}
	isSwapped = other[0] == second && other[1] == first
	return isSwapped, isSwapped
}
