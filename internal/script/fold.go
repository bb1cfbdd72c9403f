package script

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in lower case and without accents, in NFC, for comparing names and
// spellings. Compatibility forms, such as full-width letters, become ordinary ones.
func Fold(text string) string {
	if IsASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(Key(norm.NFKC.String(text)))
}

// FoldCase returns a text with its case folded, in NFC.
func FoldCase(text string) string {
	if IsASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(text)))
}

// Cases returns a letter in all of its cases, itself first.
func Cases(r rune) (all []rune) {
	all = []rune{r}
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		all = append(all, c)
	}
	return all
}

// Glob returns a pattern for SQLite's GLOB that fits a text in upper or lower case.
func Glob(text string) string {
	var b strings.Builder
	for _, r := range text {
		all := string(Cases(r))
		if all != string(r) || strings.ContainsRune("*?[", r) {
			all = "[" + all + "]"
		}
		b.WriteString(all)
	}
	return b.String()
}

// Forms returns a text as given, and in NFC and NFD where these differ.
func Forms(text string) []string {
	return slices.Compact([]string{text, norm.NFC.String(text), norm.NFD.String(text)})
}

// Key returns a text folded character by character: see the table folded_titles of schema.sql.
// Texts with the same Fold have the same Key.
func Key(text string) string {
	if IsASCII(text) {
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

// keyOf returns the Key of one character.
func keyOf(r rune) string {
	parts := string(r)
	switch {
	case unicode.Is(unicode.Han, r), unicode.IsSpace(r): // some decompose into another character that looks the same
	case 0xff01 <= r && r <= 0xffdc: // full or half width
		parts = norm.NFKD.String(parts)
	default:
		parts = norm.NFD.String(parts)
	}
	if parts = withoutAccents(parts); IsASCII(parts) {
		return strings.ToLower(parts)
	}
	return typed.Replace(cases.Fold().String(parts))
}

// typed replaces letters that Unicode does not decompose by the way to type them without
// accents.
var typed = strings.NewReplacer("đ", "d", "ħ", "h", "ł", "l", "ø", "o", "ŧ", "t", "ı", "i", "æ", "ae", "œ", "oe", "ð", "d", "þ", "th", tatweel, "")

// tatweel only stretches an Arabic word, but Unicode classifies it as a letter.
const tatweel = "\u0640"

// mayBeAccents are the blocks whose marks may be accents: the alphabets before Thai, and the
// blocks of marks for any letter.
var mayBeAccents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: firstMark, Hi: 0x0dff, Stride: 1}, {Lo: 0x1ab0, Hi: 0x1aff, Stride: 1}, {Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
	{Lo: 0x20d0, Hi: 0x20ff, Stride: 1}, {Lo: 0xfb1e, Hi: 0xfb1e, Stride: 1}, {Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
}}

// Combining classes of accents: see the Unicode Standard, 4.3.
const (
	overlay     = 1
	nukta       = 7
	firstPoint  = 10 // points of Hebrew, Arabic and Syriac
	lastPoint   = 36
	firstPlaced = 200 // marks above, below or beside a letter
)

// firstMark is the first of the marks that combine with letters.
const firstMark = '\u0300'

// withoutAccents removes the marks that people often omit because they only show how a letter
// sounds or is stressed: accents of Latin, Greek and Cyrillic letters, the vowels of Hebrew and
// Arabic, the nukta of Hindi. It keeps the marks that act as letters of their own: the vowels
// of India and Thailand, the sound marks of kana.
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

// indexForm returns a character with its marks in the form in which it is indexed: without
// accents. It keeps the case.
func indexForm(char string) string {
	composed := norm.NFC.String(char)
	first, size := utf8.DecodeRuneInString(composed)
	if unicode.Is(unicode.Cyrillic, first) && !strings.ContainsRune(stressed, first) { // й is another letter than и
		return composed[:size] + withoutAccents(composed[size:])
	}
	return indexedAs.Replace(norm.NFC.String(withoutAccents(norm.NFD.String(composed))))
}

// indexedAs replaces letters by the ones under which they are indexed: ß by its capitals SS, đ
// because Vietnamese is often typed without any marks. It does not have the other letters of
// typed, because that would index the text of whole languages twice; a search corrects them
// like misspelt words.
var indexedAs = strings.NewReplacer("ß", "ss", "ẞ", "ss", "đ", "d", "Đ", "D", tatweel, "")

// Word returns a word in the form in which it is indexed, before its ending is stemmed.
func Word(word string) string {
	if IsASCII(word) {
		return strings.ToLower(word)
	}
	var b strings.Builder
	for rest := word; rest != ""; {
		indexed, size, _ := firstIndexed(rest)
		b.WriteString(tokenizerForm(indexed))
		rest = rest[size:]
	}
	return strings.ToLower(b.String())
}

// stressed are the Cyrillic letters whose mark people often omit.
const stressed = "ёЁѐЀѝЍ"

// tokenizerForm returns a character with its marks as the tokenizer of the index folds it. It
// keeps the case.
func tokenizerForm(char string) string {
	var b strings.Builder
	for _, r := range char {
		switch {
		case strings.ContainsRune(droppedMarks, r):
		case unicode.Is(unicode.Latin, r) && !strings.ContainsRune(notFolded, r):
			b.WriteString(withoutAccents(norm.NFD.String(string(r))))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

const (
	// droppedMarks are the marks that the tokenizer, unicode61 of FTS5, removes.
	droppedMarks = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u031b" +
		"\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"
	// notFolded are the Latin letters whose accents it does not remove.
	notFolded = "ǠǡǢǣǮǯǼǽǾǿ"
)

// IsASCII reports whether a text is all ASCII.
func IsASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
