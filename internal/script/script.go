// Package script prepares text of every script for a full-text index whose tokenizer splits
// words at spaces and folds Latin letters: it cuts text of scripts that put no spaces between
// words, and removes accents. It also folds names.
//
// A run of characters of such a script becomes its overlapping pairs: 数据库 is cut into "数据
// 据库". A part of two characters or more is then a phrase of pairs. A run ends where another
// script begins, so that Postgres is a word in はPostgresに. Full-width and half-width forms,
// and composed and decomposed kana and Hangul, are normalized (NFKC).
//
// Other letters lose the marks that people often omit (accents, the vowels of Arabic and
// Hebrew, the nukta), unless the tokenizer removes them itself, as it does for Latin.
//
// Two runs look like one if the second begins with the last character of the first: 数据。据库
// has the phrase of 数据库. That is rare, and a separator between the runs would make the index
// a tenth larger.
package script

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsSpaceless reports whether a character belongs to a script that puts no spaces between
// words, or whose words are searched by their parts: Han, kana, Hangul, Thai, Lao, Khmer,
// Myanmar. It is false for their punctuation.
func IsSpaceless(r rune) bool {
	switch {
	case r < 0x0e00, 0x109f < r && r < 0x1100, 0x11ff < r && r < 0x1780: // before Thai, and the ranges between the scripts below
		return false
	case r == 'ー', r == 'ｰ': // the long mark of kana has no script of its own
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
		(unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
}

// MixesScripts reports whether a text has both words of scripts without spaces and other words.
func MixesScripts(text string) bool {
	return strings.ContainsFunc(text, IsSpaceless) && strings.ContainsFunc(text, func(r rune) bool { return IsWord(r) && !IsSpaceless(r) })
}

// isCut reports whether Cut may change a text.
func isCut(text string) bool {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf && !mayStartWithMark(text[i+1:]) {
			i++
			continue
		}
		_, size, changes := firstIndexed(text[i:])
		if changes {
			return true
		}
		i += size
	}
	return false
}

// firstIndexed returns the first character of a text, with its marks, in the form in which it
// is indexed, and its size in the text in bytes. changes is false if the character needs no
// change.
func firstIndexed(text string) (indexed string, size int, changes bool) {
	r, size := utf8.DecodeRuneInString(text)
	if IsSpaceless(r) || isForm(r) {
		size = norm.NFKC.NextBoundaryInString(text, true)
		var b strings.Builder
		for rest := norm.NFKC.String(text[:size]); rest != ""; {
			n := norm.NFC.NextBoundaryInString(rest, true)
			if char, _ := utf8.DecodeRuneInString(rest); IsSpaceless(char) {
				b.WriteString(rest[:n])
			} else {
				b.WriteString(indexForm(rest[:n]))
			}
			rest = rest[n:]
		}
		return b.String(), size, true
	}
	if mayStartWithMark(text[size:]) {
		size = norm.NFC.NextBoundaryInString(text, true)
		if run := strings.IndexFunc(text[:size], IsSpaceless); run > 0 {
			size = run
		}
	}
	char := text[:size]
	if !IsWord(r) {
		return char, size, false
	}
	indexed = indexForm(char)
	return indexed, size, indexed != tokenizerForm(char)
}

// mayStartWithMark reports whether the text after a character may begin with combining marks,
// which belong to that character.
func mayStartWithMark(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r >= firstMark && !unicode.IsLetter(r)
}

// isForm reports whether a character is a compatibility form of others: of full or half width,
// a contextual form of an Arabic letter, or a ligature.
func isForm(r rune) bool {
	return 0xfb00 <= r && r <= 0xfdff || 0xfe70 <= r && r <= 0xfefc || 0xff01 <= r && r <= 0xffee
}

// Cut returns a text in the form in which it is indexed and searched. It returns a text
// unchanged if the tokenizer finds the same words in it anyway.
func Cut(text string) string {
	if !isCut(text) {
		return text
	}
	var b strings.Builder
	b.Grow(2 * len(text))
	cut(text, func(part string, _, _ int) { b.WriteString(part) })
	return b.String()
}

// CutName is Cut for a short text that can also be found by any single character. A search for
// one character finds the pairs that begin with it, so CutName appends the last character of
// each run, with which no pair begins.
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

// Phrase returns the consecutive words that the Cut of every text with a given part contains.
// If isPrefix is true, the last of them may be the beginning of a longer word: the part ends in
// a run of one character, and the run may continue in the text.
func Phrase(part string) (words string, isPrefix bool) {
	last, size := utf8.DecodeLastRuneInString(part)
	previous, _ := utf8.DecodeLastRuneInString(part[:len(part)-size])
	return Cut(part), IsSpaceless(last) && !IsSpaceless(previous)
}

// Query returns the Phrase of a part as a quoted FTS5 string, in which nothing is an operator.
func Query(part string) (query string, isPrefix bool) {
	words, isPrefix := Phrase(part)
	if !strings.ContainsFunc(part, IsWord) { // signs alone, which are indexed as words
		words = Further(part)
	}
	return `"` + strings.ReplaceAll(words, `"`, `""`) + `"`, isPrefix
}

// Runs yields the words of a text, unchanged: the runs of characters for which IsSpaceless is
// true, and the words of other scripts. Characters such as punctuation belong to no word.
func Runs(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !IsWord(r) }) {
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

// Span is a part of a text, by byte offsets.
type Span struct{ Start, End int }

// Origins returns the parts of a text from which parts of its Cut were made. Parts are in order and do not overlap. Offsets
// after the end of the Cut mean its end.
func Origins(text string, parts []Span) []Span {
	origins := make([]Span, len(parts))
	if !isCut(text) {
		for i, p := range parts {
			origins[i] = Span{min(p.Start, len(text)), min(p.End, len(text))}
		}
		return origins
	}
	for i := range origins {
		origins[i] = Span{len(text), len(text)}
	}
	offset, begun, ended := 0, 0, 0 // how many parts began and ended
	cut(text, func(token string, low, high int) {
		next := offset + len(token)
		verbatim := high-low == len(token) && text[low:high] == token
		for ; begun < len(parts) && parts[begun].Start < next; begun++ {
			if origins[begun].Start = low; verbatim {
				origins[begun].Start += parts[begun].Start - offset
			}
		}
		for ; ended < len(parts) && parts[ended].End <= next; ended++ {
			if end := parts[ended].End; end > offset && verbatim {
				origins[ended].End = low + end - offset
			} else if end > offset {
				origins[ended].End = high
			}
		}
		offset = next
	})
	for i := range origins {
		origins[i].End = max(origins[i].Start, origins[i].End)
	}
	return origins
}

// cut calls yield for each part of the Cut of a text in turn, with the offsets of the bytes of
// the text from which it was made. A part that is a space replaces punctuation beside a run, or
// separates a run from a word, and is then made from no bytes.
func cut(text string, yield func(part string, start, end int)) {
	previous := ' ' // the last character of the previous part
	emit := func(part string, start, end int) {
		if !strings.ContainsFunc(part, IsWord) {
			if previous != ' ' {
				yield(" ", start, end)
			}
			previous = ' '
			return
		}
		next, _ := utf8.DecodeRuneInString(part)
		if IsWord(previous) && IsWord(next) && (IsSpaceless(previous) || IsSpaceless(next)) {
			yield(" ", start, start)
		}
		yield(part, start, end)
		previous, _ = utf8.DecodeLastRuneInString(part)
	}
	var last struct { // the last character of a run
		char       string
		start, end int
		isPaired   bool
	}
	endRun := func() {
		if last.char != "" && !last.isPaired {
			emit(last.char, last.start, last.end)
		}
		last.char, last.isPaired = "", false
	}
	unchanged := 0 // offset of the current stretch of unchanged text
	for offset := 0; offset < len(text); {
		indexed, size, changes := firstIndexed(text[offset:])
		end := offset + size
		if !changes {
			offset = end
			continue
		}
		if unchanged < offset {
			endRun()
			emit(text[unchanged:offset], unchanged, offset)
		}
		for _, r := range indexed {
			char := string(r)
			if !IsSpaceless(r) {
				endRun()
				emit(char, offset, end)
				continue
			}
			if last.isPaired = last.char != ""; last.isPaired {
				emit(last.char+char, last.start, end)
			}
			last.char, last.start, last.end = char, offset, end
		}
		offset, unchanged = end, end
	}
	endRun()
	if unchanged < len(text) {
		emit(text[unchanged:], unchanged, len(text))
	}
}

// IsWord reports whether the index treats a character as part of a word.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf { // most text, and several times as fast
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co)
}
