package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// tokenizer cuts a text into tokens as BERT does: characters are cleaned and folded,
// words end at white space and punctuation, and each word is split from its start
// into the longest pieces of the vocabulary (WordPiece; Devlin et al., BERT, 2019).
// Words that cannot be split are left out, as in Model2Vec.
type tokenizer struct {
	ids          map[string]int // token ids by piece
	prefix       string         // of pieces that do not start a word
	maxWord      int            // characters; longer words are left out
	lowerCase    bool           // convert to lower case
	stripAccents bool           // remove accents
	splitChinese bool           // treat each Chinese character as a word
}

// readTokenizer reads the file tokenizer.json. It fails if the tokenizer is not one of BERT.
func readTokenizer(path string) (*tokenizer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Normalizer *struct {
			Type  string `json:"type"`
			CJK   bool   `json:"handle_chinese_chars"`
			Strip *bool  `json:"strip_accents"`
			Lower bool   `json:"lowercase"`
		} `json:"normalizer"`
		PreTokenizer *struct {
			Type string `json:"type"`
		} `json:"pre_tokenizer"`
		Model struct {
			Type    string          `json:"type"`
			Prefix  *string         `json:"continuing_subword_prefix"`
			Longest int             `json:"max_input_chars_per_word"`
			IDs     json.RawMessage `json:"vocab"` // other types of model have another shape
		} `json:"model"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	switch {
	case file.Model.Type != "WordPiece":
		return nil, fmt.Errorf("its tokenizer is of type %q, and only WordPiece is supported", file.Model.Type)
	case file.Normalizer == nil || file.Normalizer.Type != "BertNormalizer":
		return nil, errors.New("its tokenizer does not fold characters as BERT does")
	case file.PreTokenizer == nil || file.PreTokenizer.Type != "BertPreTokenizer":
		return nil, errors.New("its tokenizer does not find words as BERT does")
	}
	t := &tokenizer{prefix: "##", maxWord: 100, lowerCase: file.Normalizer.Lower, stripAccents: file.Normalizer.Lower, splitChinese: file.Normalizer.CJK}
	if file.Model.Prefix != nil {
		t.prefix = *file.Model.Prefix
	}
	if file.Model.Longest > 0 {
		t.maxWord = file.Model.Longest
	}
	if file.Normalizer.Strip != nil {
		t.stripAccents = *file.Normalizer.Strip
	}
	if err := json.Unmarshal(file.Model.IDs, &t.ids); err != nil {
		return nil, fmt.Errorf("tokenizer.json: the vocabulary: %w", err)
	}
	for piece, id := range t.ids {
		if id < 0 {
			return nil, fmt.Errorf("tokenizer.json: the token %q has the negative id %d", piece, id)
		}
	}
	return t, nil
}

// tokens returns the ids of the first tokens of a text, at most limit of them.
func (t *tokenizer) tokens(text string, limit int) []int {
	tokens := []int{}
	for _, word := range words(t.fold(text)) {
		tokens = append(tokens, t.pieces(word)...)
		if len(tokens) >= limit {
			return tokens[:limit]
		}
	}
	return tokens
}

// fold removes control characters, turns white space into spaces, puts spaces around
// Chinese characters, removes accents and converts to lower case, as the tokenizer demands.
func (t *tokenizer) fold(text string) string {
	var clean strings.Builder
	for _, r := range text {
		switch {
		case r == 0 || r == unicode.ReplacementChar:
		case unicode.IsSpace(r):
			clean.WriteByte(' ')
		case unicode.Is(unicode.C, r):
		case t.splitChinese && isChinese(r):
			clean.WriteString(" " + string(r) + " ")
		default:
			clean.WriteRune(r)
		}
	}
	folded := clean.String()
	if t.stripAccents {
		folded = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(folded))
	}
	if t.lowerCase {
		folded = strings.ToLower(folded)
	}
	return folded
}

// isChinese reports whether a character is in the blocks that BERT calls Chinese.
func isChinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B820 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

// words splits a text at white space; each punctuation mark is a word.
func words(text string) []string {
	all := []string{}
	for _, field := range strings.Fields(text) {
		start := 0
		for i, r := range field {
			if !isPunctuation(r) {
				continue
			}
			if start < i {
				all = append(all, field[start:i])
			}
			start = i + len(string(r))
			all = append(all, field[i:start])
		}
		if start < len(field) {
			all = append(all, field[start:])
		}
	}
	return all
}

// isPunctuation reports whether BERT treats a character as punctuation, which includes all
// printable ASCII characters except letters and digits.
func isPunctuation(r rune) bool {
	if r < unicode.MaxASCII {
		return r > ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}

// pieces returns the ids of a word's pieces, none if a part of it is not in the vocabulary.
func (t *tokenizer) pieces(word string) []int {
	runes := []rune(word)
	if len(runes) > t.maxWord {
		return nil
	}
	pieces := []int{}
	for start := 0; start < len(runes); {
		end, id, ok := len(runes), 0, false
		for ; end > start; end-- {
			piece := string(runes[start:end])
			if start > 0 {
				piece = t.prefix + piece
			}
			if id, ok = t.ids[piece]; ok {
				break
			}
		}
		if !ok {
			return nil
		}
		pieces = append(pieces, id)
		start = end
	}
	return pieces
}
