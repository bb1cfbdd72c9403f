package script

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxHumps      = 12 // of a word that is an identifier; with more it is encoded data
	maxIdentifier = 80 // bytes
)

// Further returns the words that texts are found by beside their own, each once: the words of
// identifiers (get User By ID), words without the letters that Unicode does not part (lodz for
// Łódź), and signs (see SignWord). It returns "" for most texts.
func Further(texts ...string) string {
	words, seen := []string{}, map[string]bool{}
	add := func(word string) {
		if word != "" && !seen[word] {
			seen[word], words = true, append(words, word)
		}
	}
	for _, text := range texts {
		if isPlain(text) {
			continue
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !IsWord(r) }) {
			add(strings.Join(Humps(word), " "))
			add(Typed(word))
		}
		for _, r := range text {
			if IsSign(r) {
				add(SignWord(r))
			}
		}
	}
	return strings.Join(words, " ")
}

// isPlain reports whether a text has nothing for Further: it is ASCII, no capital stands within a word, and
// it has no sign. Most texts are so, and a look at each byte is cheaper than at each word.
func isPlain(text string) bool {
	before := ' '
	for i := range len(text) {
		c := rune(text[i])
		if c >= utf8.RuneSelf || c == '$' || 'A' <= c && c <= 'Z' && IsWord(before) {
			return false
		}
		before = c
	}
	return true
}

// Humps returns the words of an identifier such as getUserByID or HTTPServer, nil for another
// word. A plural such as IDs is one word.
func Humps(word string) (humps []string) {
	if len(word) > maxIdentifier {
		return nil
	}
	runes, start := []rune(word), 0
	for i := 1; i < len(runes); i++ {
		isLast := i+1 == len(runes)
		startsWord := unicode.IsUpper(runes[i]) && (unicode.IsLower(runes[i-1]) ||
			!isLast && unicode.IsLower(runes[i+1]) && !unicode.IsLower(runes[i-1]) && !(i+2 == len(runes) && runes[i+1] == 's'))
		if startsWord {
			humps, start = append(humps, string(runes[start:i])), i
		}
	}
	if humps = append(humps, string(runes[start:])); len(humps) == 1 || len(humps) > maxHumps {
		return nil
	}
	return humps
}

// Typed returns a word as people who lack some of its letters type it, "" if it has none of
// those that Unicode does not part.
func Typed(word string) string {
	if IsASCII(word) || typed.Replace(strings.ToLower(word)) == strings.ToLower(word) {
		return ""
	}
	return Key(word)
}

// IsSign reports whether a character is a picture or the sign of a currency.
func IsSign(r rune) bool {
	return r == '$' || r >= utf8.RuneSelf && (unicode.Is(unicode.Sc, r) || r >= 0x2190 && !(0x2500 <= r && r <= 0x259f) && unicode.Is(unicode.So, r))
}

// SignWord returns the word by which a sign is indexed, such as u1f680.
func SignWord(r rune) string { return "u" + strconv.FormatInt(int64(r), 16) }
