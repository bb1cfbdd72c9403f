package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/script"
)

const (
	quotation = 6      // words in a row, or twice as many characters of a script without spaces
	maxQuoted = 40_000 // bytes of a text that are compared
)

// quotations is a text that is compared with many others by its runs of words.
type quotations struct {
	wording
	runs map[int]map[string]bool // by their number of words
}

// repeats reports whether the text has a part of another one, word for word: a run of
// quotation words, or all of the other text if that is shorter but has at least three words.
func (q *quotations) repeats(other string) bool {
	others := readWording(other)
	size := min(quotation, others.count())
	if others.isSpaceless() {
		size = min(2*quotation, others.count())
	}
	if size < quotation/2 || q.count() < size {
		return false
	}
	runs, ok := q.runs[size]
	if !ok {
		runs = map[string]bool{}
		for at := range q.count() - size + 1 {
			runs[q.run(at, size)] = true
		}
		if q.runs == nil {
			q.runs = map[int]map[string]bool{}
		}
		q.runs[size] = runs
	}
	for at := range others.count() - size + 1 {
		if runs[others.run(at, size)] {
			return true
		}
	}
	return false
}

// wording is the words of a text, in lower case and with a space behind each.
type wording struct {
	text   string
	starts []int // of each word, and the end of the text
}

func (w wording) count() int { return len(w.starts) - 1 }

// run returns some words in a row.
func (w wording) run(at, size int) string { return w.text[w.starts[at]:w.starts[at+size]] }

// isSpaceless reports whether most words are characters of a script without spaces.
func (w wording) isSpaceless() bool {
	characters := 0
	for at := range w.count() {
		if first, _ := utf8.DecodeRuneInString(w.text[w.starts[at]:]); script.IsSpaceless(first) {
			characters++
		}
	}
	return 2*characters > w.count()
}

// readWording returns the words of the beginning of a text; a character of a script
// without spaces is one.
func readWording(text string) wording {
	w, words, inWord := wording{}, strings.Builder{}, false
	begin := func() {
		if !inWord {
			w.starts, inWord = append(w.starts, words.Len()), true
		}
	}
	end := func() {
		if inWord {
			words.WriteByte(' ')
			inWord = false
		}
	}
	for _, c := range strings.ToLower(text[:min(len(text), maxQuoted)]) {
		switch {
		case script.IsSpaceless(c):
			end()
			begin()
			words.WriteRune(c)
			end()
		case unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c):
			begin()
			words.WriteRune(c)
		case unicode.Is(unicode.Cf, c): // invisible characters hide no word
		default:
			end()
		}
	}
	end()
	w.text, w.starts = words.String(), append(w.starts, words.Len())
	return w
}
