package script

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns a text as somebody types it who has small letters without accents: for
// comparing names and spellings, whichever way their characters are written.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(Key(norm.NFKC.String(text)))
}

// FoldCase returns a text without the difference of upper and lower case, in one of the
// ways to write its characters.
func FoldCase(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(text)))
}

// Key folds a text letter by letter, so that the store can do the same: see the view
// title_folding of schema.sql. Texts with one Fold have one Key.
func Key(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(unicode.ToLower(r))
		} else {
			b.WriteString(keyOf(r))
		}
	}
	return b.String()
}

func keyOf(r rune) string {
	parts := string(r)
	switch {
	case unicode.Is(unicode.Han, r), unicode.IsSpace(r): // some are others of the same look
	case 0xff01 <= r && r <= 0xffdc: // in full or half width
		parts = norm.NFKD.String(parts)
	default:
		parts = norm.NFD.String(parts)
	}
	if parts = withoutAccents(parts); isASCII(parts) {
		return strings.ToLower(parts)
	}
	return typed.Replace(cases.Fold().String(parts))
}

// typed are the letters that Unicode does not part into one without accents, as those
// type them who do not have them.
var typed = strings.NewReplacer("đ", "d", "ħ", "h", "ł", "l", "ø", "o", "ŧ", "t", "ı", "i", "æ", "ae", "œ", "oe", "ð", "d", "þ", "th", tatweel, "")

// tatweel makes an Arabic word longer, and is a letter to Unicode.
const tatweel = "\u0640"

// mayBeAccents are the alphabets before Thai, and the blocks of marks for any letter.
var mayBeAccents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: firstMark, Hi: 0x0dff, Stride: 1}, {Lo: 0x1ab0, Hi: 0x1aff, Stride: 1}, {Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
	{Lo: 0x20d0, Hi: 0x20ff, Stride: 1}, {Lo: 0xfb1e, Hi: 0xfb1e, Stride: 1}, {Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
}}

// Combining classes of accents: see the Unicode Standard, 4.3.
const (
	overlay     = 1
	nukta       = 7
	firstPoint  = 10 // of Hebrew, Arabic, Syriac
	lastPoint   = 36
	firstPlaced = 200 // above, below or beside a letter
)

// firstMark is the first of the marks that combine with letters.
const firstMark = '\u0300'

// withoutAccents leaves out the marks that tell how a letter sounds or is stressed, so that
// people leave them out: accents of Latin, Greek and Cyrillic letters, the vowels of Hebrew
// and Arabic, the nukta of Hindi. The other marks are letters to those who write them: the
// vowels of India and Thailand, the sound marks of kana.
func withoutAccents(text string) string {
	return strings.Map(func(r rune) rune {
		if r < firstMark || !unicode.Is(mayBeAccents, r) {
			return r
		}
		class := norm.NFD.PropertiesString(string(r)).CCC()
		if class == overlay || class == nukta || firstPoint <= class && class <= lastPoint || class >= firstPlaced {
			return -1
		}
		return r
	}, text)
}

// indexForm returns a character with its marks as the index is to have it, but for its
// case: without accents.
func indexForm(char string) string {
	composed := norm.NFC.String(char)
	first, size := utf8.DecodeRuneInString(composed)
	if unicode.Is(unicode.Cyrillic, first) && !strings.ContainsRune(stressed, first) { // й is another letter than и
		return composed[:size] + withoutAccents(composed[size:])
	}
	return equal.Replace(norm.NFC.String(withoutAccents(norm.NFD.String(composed))))
}

// equal are the letters beside typed that are one with others in the index: ß by its
// capitals SS, đ because Vietnamese is typed without all of its marks. The others would
// double the text of whole languages, and are corrected like misspelt words.
var equal = strings.NewReplacer("ß", "ss", "ẞ", "ss", "đ", "d", "Đ", "D", tatweel, "")

// Word returns a word as the index has it, but for its ending.
func Word(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	var b strings.Builder
	for rest := word; rest != ""; {
		as, size, _ := first(rest)
		b.WriteString(tokenizerForm(as))
		rest = rest[size:]
	}
	return strings.ToLower(b.String())
}

// stressed are the Cyrillic letters whose mark is often left out.
const stressed = "ёЁѐЀѝЍ"

// tokenizerForm returns a character with its marks as the tokenizer of the index folds it,
// but for its case.
func tokenizerForm(char string) string {
	var b strings.Builder
	for _, r := range char {
		switch {
		case strings.ContainsRune(left, r):
		case unicode.Is(unicode.Latin, r) && !strings.ContainsRune(unknown, r):
			b.WriteString(withoutAccents(norm.NFD.String(string(r))))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

const (
	// left are the marks that the tokenizer, unicode61 of FTS5, leaves out.
	left = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u031b" +
		"\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"
	// unknown are the Latin letters whose accents it does not know.
	unknown = "ǠǡǢǣǮǯǼǽǾǿ"
)

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
