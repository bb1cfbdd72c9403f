package question

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hence/internal/prose"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
)

// Question is a parsed question: what is searched, and what its operators demand.
type Question struct {
	Text   string   // of the whole question
	Name   string   // the question without operators: it may be a title
	Terms  []*Term  // what is searched, in the order of the question
	Rarest []*Term  // the terms that the index has, at most maxTerms, the rarest first: see Read
	Tags   []string // tag:x, all of them
	Kinds  []string // kind:x, any of them
	Paths  []string // path:prefix, any of them
	Exclusions

	words   []string // wanted, any of them
	phrases []string // wanted, any of them, their words in a row
}

// Parse parses a question. Every text is valid: tokens that are not operators are words, and a
// quotation mark without its partner is ignored.
func Parse(text string) Question {
	rest := strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), " ")
	q := Question{Text: strings.TrimSpace(rest)}
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			q.addTerms()
			return q
		}
		var token string
		token, rest = cutToken(rest)
		q.add(token)
	}
}

// OfText returns the question for memories with words of a text.
func OfText(text string) (q Question) {
	q.words = strings.Fields(strings.ToValidUTF8(text, " "))
	q.addWords(lexicon.Tokens, map[string][]string{})
	return q
}

// cutToken splits a text after its first token: at the next white space, or at the closing
// quotation mark if the token, or the text after its operator, starts with one.
func cutToken(text string) (token, rest string) {
	start := 0
	for _, operator := range append(operators, "") {
		for _, sign := range []string{"", "-"} {
			if hasPrefixFold(text, sign+operator+`"`) {
				start = len(sign + operator)
			}
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

// operators precede the texts of filters.
var operators = []string{"tag:", "path:", "kind:"}

// cutOperator appends the text behind an operator to a list, without quotation marks and without
// trimmed characters at its ends, and reports whether there is one.
func cutOperator(token, operator, trimmed string, list *[]string) bool {
	if !hasPrefixFold(token, operator) {
		return false
	}
	value := strings.Trim(strings.Trim(token[len(operator):], `"`), trimmed)
	if value != "" {
		*list = append(*list, value)
	}
	return value != ""
}

// hasPrefixFold reports whether a text begins with an operator, ignoring case.
func hasPrefixFold(text, operator string) bool {
	return len(text) >= len(operator) && strings.EqualFold(text[:len(operator)], operator)
}

// add adds a token to the field that it belongs to.
func (q *Question) add(token string) {
	text := strings.Trim(token, `"`)
	switch {
	case q.exclude(token), cutOperator(token, "tag:", "#/ ", &q.Tags), cutOperator(token, "kind:", "", &q.Kinds), cutOperator(token, "path:", "", &q.Paths):
		return
	case strings.HasPrefix(token, `"`) && hasWord(text) && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || script.IsSpaceless(r) }):
		q.phrases = append(q.phrases, text)
	case hasWord(text):
		q.words = append(q.words, text)
	case strings.ContainsFunc(text, script.IsSign): // no word, but punctuation distinguishes titles
		q.phrases = append(q.phrases, text)
	}
	q.Name = strings.TrimSpace(q.Name + " " + text)
}

// hasFilters reports whether the question has filters. If so, its whole text may be a title.
func (q Question) hasFilters() bool {
	return len(q.Tokens)+len(q.Tags)+len(q.Kinds)+len(q.Paths) > 0
}

// IsEmpty reports whether the question has neither words nor filters: it is blank,
// or punctuation alone.
func (q Question) IsEmpty() bool { return len(q.Terms) == 0 && !q.hasFilters() }

// Meaning returns the text of which the vector is compared.
func (q Question) Meaning() string { return strings.Join(slices.Concat(q.words, q.phrases), " ") }

// IsVerbatim reports whether the question asks for a text as it stands, whatever it means: phrases alone, or one
// identifier such as getUserByID.
func (q Question) IsVerbatim() bool {
	if len(q.words) == 1 && len(q.phrases) == 0 {
		return len(script.Humps(q.words[0])) > 0 || strings.ContainsAny(q.words[0], "_./:")
	}
	return len(q.words) == 0 && len(q.phrases) > 0
}

// Unexcluded returns the question without its Exclusions. If nothing is left of it, their words
// are searched. ok is false if there are no Exclusions, or nothing else to search.
func (q Question) Unexcluded() (without Question, ok bool) {
	without = q
	without.Exclusions = Exclusions{}
	if without.IsEmpty() {
		without.words, without.phrases = q.Exclusions.words, q.Exclusions.phrases
		without.addTerms()
	}
	return without, len(q.Exclusions.Tokens) > 0 && !without.IsEmpty()
}

// hasWord reports whether the tokenizer finds a word in a text.
func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	})
}

// maxPassageWords is the most words of a question that is also searched as a phrase, stopwords
// included: a short one is often a passage that somebody remembers.
const maxPassageWords = 4

// addTerms sets the terms of the question: its words, its phrases, and all its words as one phrase.
func (q *Question) addTerms() {
	q.addWords(wordsOf, q.otherSpellings())
	for _, phrase := range q.phrases {
		q.Terms = append(q.Terms, newTerm(ofPhrase, phrase, phrase))
	}
	if n := len(q.words); n >= 2 && n <= maxPassageWords || n == 1 && script.MixesScripts(q.words[0]) {
		passage := strings.Join(q.words, " ")
		q.Terms = append(q.Terms, newTerm(ofPassage, passage, passage))
	}
}

// addWords adds the words of the question without stopwords, each once, as split cuts them. It adds
// the stopwords if there are no other words and no phrases.
func (q *Question) addWords(split func(string) iter.Seq[string], others map[string][]string) {
	seen, all := map[string]bool{}, []*Term{}
	for _, text := range q.words {
		for word := range split(text) {
			if seen[word] {
				continue
			}
			seen[word] = true
			forms := lexicon.SameWord()[word]
			if forms == nil {
				forms = []string{word}
			}
			t := newTerm(ofWord, word, slices.Concat(forms, others[word])...)
			if all = append(all, t); !lexicon.Stopwords(word) {
				q.Terms = append(q.Terms, t)
			}
		}
		if len(q.Terms) >= maxLookedUpTerms { // a long text
			break
		}
	}
	if len(q.Terms) == 0 && len(q.phrases) == 0 {
		q.Terms = all
	}
}

// wordsOf yields the words of a part of a question. It yields a date such as 2026-03-11 as one
// word, because many texts have one of its numbers. For a run of characters as long as a sentence it
// yields the run and its pairs: otherwise a memory that quotes the question would hide the memory
// that answers it.
func wordsOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			date := isoDate().FindStringIndex(text)
			if date == nil {
				date = []int{len(text), len(text)}
			}
			for word := range lexicon.Words(text[:date[0]]) {
				words := []string{word}
				if lexicon.IsSentence(word) {
					words = append(words, lexicon.Pairs(word)...)
				}
				if slices.ContainsFunc(words, func(word string) bool { return !yield(word) }) {
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

// otherSpellings returns the spellings that are searched beside words of the question: the compounds
// of a word with its neighbours, the words of an identifier, and words as people type them who lack
// a letter (see script.Typed). No compound begins with a stopword (in to, on going).
func (q Question) otherSpellings() map[string][]string {
	others, previous := map[string][]string{}, ""
	add := func(word, other string) {
		if other != "" && !slices.Contains(others[word], other) {
			others[word] = append(others[word], other)
		}
	}
	for _, text := range q.words {
		for written := range script.Runs(text) {
			word := strings.ToLower(written)
			if previous != "" && !isRemainder(word) && !lexicon.IsRun(previous) && !lexicon.IsRun(word) && !lexicon.Stopwords(previous) && !lexicon.Stopwords(previous+word) {
				add(previous, previous+word)
				add(word, previous+word)
			}
			previous = word
		}
	}
	for _, text := range q.words {
		for written := range script.Runs(text) {
			word := strings.ToLower(written)
			add(word, strings.ToLower(strings.Join(script.Humps(written), " ")))
			add(word, script.Typed(written))
		}
	}
	return others
}

// isRemainder reports whether a word is the letter after an apostrophe.
func isRemainder(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && !unicode.IsNumber(r)
}

// splitRuns puts the pairs of characters of runs in place of these, each once.
func (q *Question) splitRuns(runs map[*Term]bool) {
	all := q.Terms
	q.Terms = nil
	add := func(t *Term) {
		if t.kind != ofWord || !slices.ContainsFunc(q.Terms, func(other *Term) bool { return other.kind == ofWord && other.Text == t.Text }) {
			q.Terms = append(q.Terms, t)
		}
	}
	for _, t := range all {
		if !runs[t] {
			add(t)
			continue
		}
		for _, pair := range lexicon.Pairs(t.Text) {
			add(newTerm(ofWord, pair, pair))
		}
	}
}

// PlainName returns a name in Unicode normalization form NFKC, with single spaces.
func PlainName(name string) string { return prose.OneLine(norm.NFKC.String(name)) }
