// Package script makes text of every script findable in a full-text index that parts
// words at spaces and folds Latin letters: it cuts text of scripts that put no spaces
// between words, and leaves out accents. It also folds names.
//
// A run of such characters becomes its overlapping pairs: 数据库 is cut into "数据
// 据库". A part of two characters or more is then a phrase of pairs. A run ends where
// another script begins, so that Postgres is a word in はPostgresに. Full-width and
// half-width forms, and composed and decomposed kana and Hangul, become one
// (Unicode's NFKC).
//
// Other letters lose the marks that people leave out, unless the tokenizer drops them by
// itself, as it does for Latin: accents, the vowels of Arabic and Hebrew, the nukta.
//
// Two runs are not told from one where the second begins with the last character
// of the first: 数据。据库 has the phrase of 数据库. That is rare, and a sign between
// the runs would cost a tenth of the index.
package script

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsSpaceless says whether a character belongs to a script that puts no spaces
// between words, or whose words are found by their parts: Han, kana, Hangul, Thai,
// Lao, Khmer, Myanmar. Their punctuation does not belong to them.
func IsSpaceless(r rune) bool {
	switch {
	case r < 0x0e00, 0x109f < r && r < 0x1100, 0x11ff < r && r < 0x1780: // before Thai, and between
		return false
	case r == 'ー', r == 'ｰ': // the long mark of kana has no script of its own
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
		(unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
}

// isCut says whether Cut may change a text.
func isCut(text string) bool {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf && !mayBeMarked(text[i+1:]) {
			i++
			continue
		}
		_, size, changes := first(text[i:])
		if changes {
			return true
		}
		i += size
	}
	return false
}

// first returns the character that a text begins with, with its marks, as the index is
// to have it, and its size in the text. changes is false if it is left as it is.
func first(text string) (as string, size int, changes bool) {
	r, size := utf8.DecodeRuneInString(text)
	if IsSpaceless(r) || isForm(r) {
		size = norm.NFKC.NextBoundaryInString(text, true)
		var b strings.Builder
		for rest := norm.NFKC.String(text[:size]); rest != ""; {
			n := norm.NFC.NextBoundaryInString(rest, true)
			if one, _ := utf8.DecodeRuneInString(rest); IsSpaceless(one) {
				b.WriteString(rest[:n])
			} else {
				b.WriteString(indexForm(rest[:n]))
			}
			rest = rest[n:]
		}
		return b.String(), size, true
	}
	if mayBeMarked(text[size:]) {
		size = norm.NFC.NextBoundaryInString(text, true)
		if run := strings.IndexFunc(text[:size], IsSpaceless); run > 0 {
			size = run
		}
	}
	char := text[:size]
	if !isWord(r) {
		return char, size, false
	}
	as = indexForm(char)
	return as, size, as != tokenizerForm(char)
}

// mayBeMarked says whether what follows a character may be marks of it.
func mayBeMarked(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r >= firstMark && !unicode.IsLetter(r)
}

// isForm says whether a character is another in a form of its own: full or half width,
// joined in the way of Arabic, a ligature.
func isForm(r rune) bool {
	return 0xfb00 <= r && r <= 0xfdff || 0xfe70 <= r && r <= 0xfefc || 0xff01 <= r && r <= 0xffee
}

// Cut returns a text as it is to be indexed and looked for. A text in which the
// tokenizer finds the same words without it is returned as it is.
func Cut(text string) string {
	if !isCut(text) {
		return text
	}
	var b strings.Builder
	b.Grow(2 * len(text))
	cut(text, func(part string, _, _ int) { b.WriteString(part) })
	return b.String()
}

// CutName is Cut for a short text that is found by any single character too: the
// last character of each run, with which no pair begins, stands at the end.
func CutName(text string) string {
	if !isCut(text) {
		return text
	}
	var last []string
	for run := range Runs(norm.NFKC.String(text)) {
		if first, _ := utf8.DecodeRuneInString(run); IsSpaceless(first) && utf8.RuneCountInString(run) > 1 {
			_, size := utf8.DecodeLastRuneInString(run)
			last = append(last, run[len(run)-size:])
		}
	}
	return strings.Join(append([]string{strings.TrimSpace(Cut(text))}, last...), " ")
}

// Phrase returns the words in a row that the Cut of every text has which holds a
// given part. Where isPrefix is true, the last of them may be the beginning of a
// longer word: the part ends in a run of one character, and the run may go on.
func Phrase(part string) (words string, isPrefix bool) {
	last, size := utf8.DecodeLastRuneInString(part)
	before, _ := utf8.DecodeLastRuneInString(part[:len(part)-size])
	return Cut(part), IsSpaceless(last) && !IsSpaceless(before)
}

// Query returns the Phrase of a part as a string of FTS5, in which nothing is an
// operator.
func Query(part string) (query string, isPrefix bool) {
	words, isPrefix := Phrase(part)
	return `"` + strings.ReplaceAll(words, `"`, `""`) + `"`, isPrefix
}

// Runs parts a text into words: runs of scripts without spaces, and the words
// between them. Signs belong to none. The forms are those of the text.
func Runs(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWord(r) }) {
			for rest := word; rest != ""; {
				first, _ := utf8.DecodeRuneInString(rest)
				end := strings.IndexFunc(rest, func(r rune) bool { return IsSpaceless(r) != IsSpaceless(first) })
				if end < 0 {
					end = len(rest)
				}
				if !yield(rest[:end]) {
					return
				}
				rest = rest[end:]
			}
		}
	}
}

// Origin returns the part of a text that a part of its Cut was made from, both
// as byte offsets. Offsets beyond the cut's end mean its end.
func Origin(text string, start, end int) (from, to int) {
	if !isCut(text) {
		return min(start, len(text)), min(end, len(text))
	}
	at, begun := 0, false
	from, to = len(text), len(text)
	cut(text, func(token string, low, high int) {
		next := at + len(token)
		verbatim := high-low == len(token) && text[low:high] == token
		if !begun && start < next {
			if from, begun = low, true; verbatim {
				from += start - at
			}
		}
		if at < end && end <= next {
			if to = high; verbatim {
				to = low + end - at
			}
		}
		at = next
	})
	return from, max(from, to)
}

// cut calls yield for each part of a cut text in turn, with the bytes of the
// text that it was made from. A space stands for signs beside a run, and is made
// from no bytes where there are none.
func cut(text string, yield func(part string, start, end int)) {
	before := ' ' // the last character of the part before
	put := func(part string, start, end int) {
		if !strings.ContainsFunc(part, isWord) {
			if before != ' ' {
				yield(" ", start, end)
			}
			before = ' '
			return
		}
		after, _ := utf8.DecodeRuneInString(part)
		if isWord(before) && isWord(after) && (IsSpaceless(before) || IsSpaceless(after)) {
			yield(" ", start, start)
		}
		yield(part, start, end)
		before, _ = utf8.DecodeLastRuneInString(part)
	}
	var last struct { // the last character of a run
		char       string
		start, end int
		isPaired   bool
	}
	endRun := func() {
		if last.char != "" && !last.isPaired {
			put(last.char, last.start, last.end)
		}
		last.char, last.isPaired = "", false
	}
	plain := 0 // where text that stays as it is began
	for at := 0; at < len(text); {
		as, size, changes := first(text[at:])
		end := at + size
		if !changes {
			at = end
			continue
		}
		if plain < at {
			endRun()
			put(text[plain:at], plain, at)
		}
		for _, r := range as {
			char := string(r)
			if !IsSpaceless(r) {
				endRun()
				put(char, at, end)
				continue
			}
			if last.isPaired = last.char != ""; last.isPaired {
				put(last.char+char, last.start, end)
			}
			last.char, last.start, last.end = char, at, end
		}
		at, plain = end, end
	}
	endRun()
	if plain < len(text) {
		put(text[plain:], plain, len(text))
	}
}

// isWord says whether the index takes a character as a part of a word.
func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) }
