package recall

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// query is what a question asks for, taken apart.
type query struct {
	words   []string // wanted, any of them
	phrases []string // wanted, any of them, their words in a row
	without []string // not wanted
	tags    []string // tag:x, all of them
	kinds   []string // kind:x, any of them
	paths   []string // path:prefix, any of them

	compounds map[string][]string // what a word makes with the one beside it
	respelt   map[string][]string // what is looked for in place of a word
}

// parse takes a question apart. No text is an error: what is no operator is
// words, and a quotation mark without its partner is none.
func parse(text string) query {
	var q query
	rest := strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), " ")
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			q.compounds = compounds(q.words)
			return q
		}
		var token string
		token, rest = next(rest)
		q.add(token)
	}
}

// next splits the first token off: up to white space, or to the second of two
// quotation marks that stand at its start or right after its operator.
func next(text string) (token, rest string) {
	start := 0
	for _, operator := range []string{"-", "tag:", "path:", "kind:"} {
		if strings.HasPrefix(text, operator+`"`) {
			start = len(operator)
		}
	}
	if text[start] == '"' {
		if end := strings.IndexByte(text[start+1:], '"'); end >= 0 {
			end += start + 2
			return text[:end], text[end:]
		}
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

func (q *query) add(token string) {
	bare := func(prefix string) string { return strings.Trim(token[len(prefix):], `"`) }
	switch {
	case strings.HasPrefix(token, "-") && searchable(bare("-")):
		q.without = append(q.without, bare("-"))
	case strings.HasPrefix(token, "tag:") && strings.Trim(bare("tag:"), "#/ ") != "":
		q.tags = append(q.tags, strings.Trim(bare("tag:"), "#/ "))
	case strings.HasPrefix(token, "kind:") && bare("kind:") != "":
		q.kinds = append(q.kinds, bare("kind:"))
	case strings.HasPrefix(token, "path:") && bare("path:") != "":
		q.paths = append(q.paths, bare("path:"))
	case strings.HasPrefix(token, `"`) && searchable(bare("")) && strings.ContainsFunc(bare(""), unicode.IsSpace):
		q.phrases = append(q.phrases, bare(""))
	case searchable(bare("")):
		q.words = append(q.words, bare(""))
	}
}

// isEmpty reports whether the question names nothing to look for and nothing
// to filter by: it is blank, or punctuation alone.
func (q query) isEmpty() bool {
	return len(q.words)+len(q.phrases)+len(q.without)+len(q.tags)+len(q.kinds)+len(q.paths) == 0
}

// searchable reports whether the tokenizer finds a word in the text: it takes
// letters, numbers and marks, and leaves the rest out.
func searchable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	})
}

// telling returns the words that say what the question is about, each once
// and as the tokenizer cuts them: without stopwords, unless nothing is left.
func (q query) telling() []string {
	seen, all, kept := map[string]bool{}, []string{}, []string{}
	for _, text := range q.words {
		for word := range tokens(text) {
			if seen[word] {
				continue
			}
			seen[word], all = true, append(all, word)
			if !stopwords[word] {
				kept = append(kept, word)
			}
		}
		if len(kept) >= maxCounted { // a text in place of a question
			break
		}
	}
	if len(kept) == 0 && len(q.phrases) == 0 {
		return all
	}
	return kept
}

// tokens cuts a text as the tokenizer does.
func tokens(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !isWord(r) })
}

// isWord reports whether the tokenizer takes a character for part of a word.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// match returns what is wanted in the language of FTS5: every text in
// quotation marks, so that none of it is an operator. It is "" when no text
// is wanted.
func (q query) match() string {
	all := []string{}
	for _, forms := range q.wanted() {
		all = append(all, forms...)
	}
	return anyOf(all)
}

// texts returns for each of some words any of its forms, as texts of FTS5.
func (q query) texts(words []string) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = anyOf(quote(q.forms(word)))
	}
	return texts
}

// wanted returns the telling words, each with its irregular forms, the phrases
// and what stands verbatim, as texts of FTS5.
func (q query) wanted() [][]string {
	wanted := [][]string{}
	for _, word := range q.telling() {
		wanted = append(wanted, quote(q.forms(word)))
	}
	for _, phrase := range q.phrases {
		wanted = append(wanted, quote([]string{phrase}))
	}
	if verbatim := q.verbatim(); verbatim != "" {
		// The empty one keeps it from being looked for near the last word.
		wanted = append(wanted, []string{}, quote([]string{verbatim}))
	}
	return wanted
}

// fewWords are so few that they may be a passage as one remembers it, and not
// a question in one's own words.
const fewWords = 4

// verbatim returns all words of a short question in a row, stopwords too, or
// "": where they stand so, that is one more thing that tells.
func (q query) verbatim() string {
	if len(q.words) < 2 || len(q.words) > fewWords {
		return ""
	}
	return strings.Join(q.words, " ")
}

// forms are what a word is found by.
func (q query) forms(word string) []string {
	if spellings := q.respelt[word]; len(spellings) > 0 {
		return spellings
	}
	return slices.Concat(formsOf(word), q.compounds[word])
}

// respell looks for other spellings in place of a word.
func (q query) respell(word string, spellings []string) query {
	all := map[string][]string{word: spellings}
	maps.Copy(all, q.respelt)
	q.respelt = all
	return q
}

// unwanted is match for what is not wanted.
func (q query) unwanted() string { return anyOf(quote(q.without)) }

func quote(texts []string) []string {
	quotes := make([]string, len(texts))
	for i, text := range texts {
		quotes[i] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return quotes
}

func anyOf(terms []string) string { return strings.Join(terms, " OR ") }
