package recall

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"hence/memory/recall/lexicon"
	"hence/memory/recall/spoken"

	"hence/internal/script"
)

// query is a parsed question.
type query struct {
	text    string   // as it stands
	name    string   // what is wanted: perhaps a title
	words   []string // wanted, any of them
	phrases []string // wanted, any of them, their words in a row
	without []string // not wanted
	tags    []string // tag:x, all of them
	kinds   []string // kind:x, any of them
	paths   []string // path:prefix, any of them
	ignored []string // -tag:x and the like: only words are left out

	compounds map[string][]string // what a word makes with its neighbours
	respelled map[string][]string // what replaces a word
	isText    bool                // a text that others are compared with: runs are searched by their pairs
	inPairs   map[string]bool     // runs that are searched by their pairs alone
}

// parse parses a question. No text is an error: what is not an operator is words,
// and a quotation mark without its partner is ignored.
func parse(text string) query {
	rest := strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), " ")
	q := query{text: strings.TrimSpace(rest)}
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			q.compounds = compounds(q.words)
			return q
		}
		var token string
		token, rest = cutToken(rest)
		q.add(token)
	}
}

// cutToken cuts off the first token: up to white space, or to the closing quotation
// mark if it, or the text after its operator, starts with one.
func cutToken(text string) (token, rest string) {
	start := 0
	for _, operator := range []string{"-", "tag:", "path:", "kind:"} {
		if begins(text, operator+`"`) {
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

// begins reports whether a text begins with an operator, in upper or lower case.
func begins(text, operator string) bool {
	return len(text) >= len(operator) && strings.EqualFold(text[:len(operator)], operator)
}

func (q *query) add(token string) {
	bare := func(prefix string) string { return strings.Trim(token[len(prefix):], `"`) }
	switch {
	case begins(token, "-tag:") || begins(token, "-kind:") || begins(token, "-path:"):
		q.ignored = append(q.ignored, token)
	case strings.HasPrefix(token, "-") && searchable(bare("-")):
		q.without = append(q.without, bare("-"))
	case begins(token, "tag:") && strings.Trim(bare("tag:"), "#/ ") != "":
		q.tags = append(q.tags, strings.Trim(bare("tag:"), "#/ "))
	case begins(token, "kind:") && bare("kind:") != "":
		q.kinds = append(q.kinds, bare("kind:"))
	case begins(token, "path:") && bare("path:") != "":
		q.paths = append(q.paths, bare("path:"))
	case strings.HasPrefix(token, `"`) && searchable(bare("")) && strings.ContainsFunc(bare(""), func(r rune) bool { return unicode.IsSpace(r) || script.IsSpaceless(r) }):
		q.phrases, q.name = append(q.phrases, bare("")), strings.TrimSpace(q.name+" "+bare(""))
	case searchable(bare("")):
		q.words, q.name = append(q.words, bare("")), strings.TrimSpace(q.name+" "+bare(""))
	default: // signs tell names apart
		q.name = strings.TrimSpace(q.name + " " + bare(""))
	}
}

// filters reports whether the question has filters. Then it may be a name as it stands.
func (q query) filters() bool {
	return len(q.without)+len(q.tags)+len(q.kinds)+len(q.paths) > 0
}

// isEmpty reports whether the question has neither words nor filters: it is blank,
// or punctuation alone.
func (q query) isEmpty() bool {
	return len(q.words)+len(q.phrases) == 0 && !q.filters()
}

// searchable reports whether the tokenizer finds a word in the text.
func searchable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	})
}

// tellingWords returns the words that say what the question is about, each once and as
// the tokenizer cuts them: without stopwords, unless there are no others.
func (q query) tellingWords() []string {
	seen, all, kept := map[string]bool{}, []string{}, []string{}
	for _, text := range q.words {
		for word := range q.wordsOf(text) {
			if seen[word] {
				continue
			}
			seen[word], all = true, append(all, word)
			if !lexicon.Stopwords[word] {
				kept = append(kept, word)
			}
		}
		if len(kept) >= maxCounted { // a long text
			break
		}
	}
	if len(kept) == 0 && len(q.phrases) == 0 {
		return all
	}
	return kept
}

// wordsOf parts a text of the question into words, and the runs that are searched by
// their pairs into these. A run that is long enough for a sentence is searched by both:
// a memory that quotes it would hide what answers it.
func (q query) wordsOf(text string) iter.Seq[string] {
	if q.isText {
		return lexicon.Tokens(text)
	}
	return func(yield func(string) bool) {
		for word := range wordsAndDates(text) {
			parts := []string{word}
			switch {
			case q.inPairs[word]:
				parts = lexicon.Pairs(word)
			case lexicon.IsSentence(word):
				parts = append(parts, lexicon.Pairs(word)...)
			}
			if slices.ContainsFunc(parts, func(part string) bool { return !yield(part) }) {
				return
			}
		}
	}
}

// wordsAndDates parts a text into words, and leaves a date such as 2026-03-11 whole: many
// texts have one of its numbers.
func wordsAndDates(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			date := spoken.ISODate.FindStringIndex(text)
			if date == nil {
				date = []int{len(text), len(text)}
			}
			for word := range lexicon.Words(text[:date[0]]) {
				if !yield(word) {
					return
				}
			}
			if date[0] < date[1] && !yield(text[date[0]:date[1]]) {
				return
			}
			text = text[date[1]:]
		}
	}
}

// match returns a query of FTS5 for any of the wanted texts, each in quotation
// marks so that none of it is an operator; "" if no text is wanted.
func (q query) match() string { return anyOf(slices.Concat(q.wantedForms()...)) }

// texts returns for each word a query of FTS5 for any of its forms.
func (q query) texts(words []string) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = anyOf(lexicon.Quote(q.forms(word)))
	}
	return texts
}

// wantedForms returns the telling words, each with its forms, the phrases, and all words
// of a short question as a phrase, quoted for FTS5.
func (q query) wantedForms() [][]string {
	wanted := [][]string{}
	for _, word := range q.tellingWords() {
		wanted = append(wanted, lexicon.Quote(q.forms(word)))
	}
	for _, phrase := range q.phrases {
		wanted = append(wanted, lexicon.Quote(q.forms(phrase)))
	}
	if phrase, ok := q.inARow(); ok {
		// The empty entry separates it from the last word: it has no neighbour.
		wanted = append(wanted, []string{}, []string{phrase})
	}
	return wanted
}

// inARow returns all words of a short question as a phrase, quoted for FTS5, and whether
// it is searched.
func (q query) inARow() (phrase string, ok bool) {
	n := len(q.words)
	ok = n >= 2 && n <= fewWords || n == 1 && lexicon.MixesScripts(q.words[0])
	return lexicon.Quote([]string{strings.Join(q.words, " ")})[0], ok
}

// fewWords is how many words a question may have that is likely to be a passage as
// somebody remembers it.
const fewWords = 4

// forms returns the words that find a word.
func (q query) forms(word string) []string {
	if spellings := q.respelled[word]; len(spellings) > 0 {
		return spellings
	}
	forms := lexicon.SameWord[word]
	if forms == nil {
		forms = []string{word}
	}
	return slices.Concat(forms, q.compounds[word])
}

// respell returns the query with other spellings in place of a word.
func (q query) respell(word string, spellings []string) query {
	all := map[string][]string{word: spellings}
	maps.Copy(all, q.respelled)
	q.respelled = all
	return q
}

// unwantedMatch returns a query of FTS5 for any of the unwanted texts.
func (q query) unwantedMatch() string { return anyOf(lexicon.Quote(q.without)) }

func anyOf(terms []string) string { return strings.Join(terms, " OR ") }
