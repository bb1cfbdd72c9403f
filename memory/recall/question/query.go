package question

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"hence/internal/script"
	"hence/memory/recall/lexicon"
)

// SearchedWords returns the first maxRespelt words that are searched for a question and its
// phrases.
func (q Query) SearchedWords() (words []string) {
	for _, text := range slices.Concat(q.TellingWords(), q.Phrases) {
		searched := q.respelled[text]
		if searched == nil {
			searched = []string{text}
		}
		for word := range lexicon.Words(strings.Join(searched, " ")) {
			if !lexicon.Stopwords[word] && !lexicon.IsRun(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words[:min(len(words), maxRespelt)]
}

// Query is a parsed question.
type Query struct {
	Text    string   // of the whole question
	Name    string   // the question without operators: it may be a title
	Words   []string // wanted, any of them
	Phrases []string // wanted, any of them, their words in a row
	Tags    []string // tag:x, all of them
	Kinds   []string // kind:x, any of them
	Paths   []string // path:prefix, any of them
	Exclusions

	otherSpellings  map[string][]string // by word: the compounds with its neighbours, the words of an identifier, signs
	respelled       map[string][]string // by word or phrase: the spellings that replace it
	IsText          bool                // a memory's text, not a question: all runs are searched by pairs
	searchedByPairs map[string]bool     // runs that are searched by pairs alone
}

// Parse parses a question. Every text is valid: tokens that are not operators are words, and a
// quotation mark without its partner is ignored.
func Parse(text string) Query {
	rest := strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), " ")
	q := Query{Text: strings.TrimSpace(rest)}
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			q.addOtherSpellings()
			return q
		}
		var token string
		token, rest = cutToken(rest)
		q.add(token)
	}
}

// addOtherSpellings adds compounds, the words of identifiers, and words without letters that Unicode does
// not part: see script.Further.
func (q *Query) addOtherSpellings() {
	q.otherSpellings = compounds(q.Words)
	for _, text := range q.Words {
		for written := range script.Runs(text) {
			word := strings.ToLower(written)
			for _, other := range []string{strings.ToLower(strings.Join(script.Humps(written), " ")), script.Typed(written)} {
				if other != "" && !slices.Contains(q.otherSpellings[word], other) {
					q.otherSpellings[word] = append(q.otherSpellings[word], other)
				}
			}
		}
	}
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
func (q *Query) add(token string) {
	text := strings.Trim(token, `"`)
	switch {
	case q.exclude(token), cutOperator(token, "tag:", "#/ ", &q.Tags), cutOperator(token, "kind:", "", &q.Kinds), cutOperator(token, "path:", "", &q.Paths):
	case strings.HasPrefix(token, `"`) && hasWord(text) && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || script.IsSpaceless(r) }):
		q.Phrases, q.Name = append(q.Phrases, text), strings.TrimSpace(q.Name+" "+text)
	case hasWord(text):
		q.Words, q.Name = append(q.Words, text), strings.TrimSpace(q.Name+" "+text)
	default: // no word, but punctuation distinguishes titles
		if strings.ContainsFunc(text, script.IsSign) {
			q.Phrases = append(q.Phrases, text)
		}
		q.Name = strings.TrimSpace(q.Name + " " + text)
	}
}

// hasFilters reports whether the question has filters. If so, its whole text may be a title.
func (q Query) hasFilters() bool {
	return len(q.Tokens)+len(q.Tags)+len(q.Kinds)+len(q.Paths) > 0
}

// IsEmpty reports whether the question has neither words nor filters: it is blank,
// or punctuation alone.
func (q Query) IsEmpty() bool {
	return len(q.Words)+len(q.Phrases) == 0 && !q.hasFilters()
}

// hasWord reports whether the tokenizer finds a word in a text.
func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	})
}

// TellingWords returns the words of the question without stopwords, each once, as the tokenizer
// splits them. It returns the stopwords if there are no other words and no phrases.
func (q Query) TellingWords() []string {
	seen, all, telling := map[string]bool{}, []string{}, []string{}
	for _, text := range q.Words {
		for word := range q.wordsOf(text) {
			if seen[word] {
				continue
			}
			seen[word], all = true, append(all, word)
			if !lexicon.Stopwords[word] {
				telling = append(telling, word)
			}
		}
		if len(telling) >= maxLookedUpTerms { // a long text
			break
		}
	}
	if len(telling) == 0 && len(q.Phrases) == 0 {
		return all
	}
	return telling
}

// wordsOf yields the words of a part of the question, and the pairs of characters of runs that
// are searched by pairs. For a run as long as a sentence it yields both the run and its pairs:
// otherwise a memory that quotes the question would hide the memory that answers it.
func (q Query) wordsOf(text string) iter.Seq[string] {
	if q.IsText {
		return lexicon.Tokens(text)
	}
	return func(yield func(string) bool) {
		for word := range wordsAndDates(text) {
			parts := []string{word}
			switch {
			case q.searchedByPairs[word]:
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

// wordsAndDates yields the words of a text. It yields a date such as 2026-03-11 as one word,
// because many texts have one of its numbers.
func wordsAndDates(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			date := isoDate.FindStringIndex(text)
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

// Match returns an FTS5 query for any of the wanted words and phrases, each in quotation marks
// so that no part of it is an operator; "" if there are none.
func (q Query) Match() string { return JoinOr(slices.Concat(q.wantedForms()...)) }

// ftsQueries returns for each word an FTS5 query for any of its forms.
func (q Query) FTSQueries(words []string) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = JoinOr(lexicon.Quote(q.forms(word)))
	}
	return texts
}

// wantedForms returns FTS5 queries: for the forms of each telling word, for those of each phrase,
// and, if the question is short, for all its words as one phrase.
func (q Query) wantedForms() [][]string {
	wanted := [][]string{}
	for _, word := range q.TellingWords() {
		wanted = append(wanted, lexicon.Quote(q.forms(word)))
	}
	for _, phrase := range q.Phrases {
		wanted = append(wanted, lexicon.Quote(q.forms(phrase)))
	}
	if phrase, ok := q.WholePhrase(); ok {
		// The empty entry keeps cluesOf from treating it as a neighbour of the last word.
		wanted = append(wanted, []string{}, []string{phrase})
	}
	return wanted
}

// WholePhrase returns the FTS5 query for all words of the question as a phrase. ok reports
// whether the question is short enough for it to be searched.
func (q Query) WholePhrase() (phrase string, ok bool) {
	n := len(q.Words)
	ok = n >= 2 && n <= maxPhraseWords || n == 1 && lexicon.MixesScripts(q.Words[0])
	return lexicon.Quote([]string{strings.Join(q.Words, " ")})[0], ok
}

// maxPhraseWords is the most words of a question that is also searched as a phrase: a short one
// is often a passage that somebody remembers.
const maxPhraseWords = 4

// forms returns the words that are searched for a word: the spellings that replace it if it was
// corrected, else its irregular forms or itself, and its other spellings.
func (q Query) forms(word string) []string {
	if spellings := q.respelled[word]; len(spellings) > 0 {
		return spellings
	}
	forms := lexicon.SameWord[word]
	if forms == nil {
		forms = []string{word}
	}
	return slices.Concat(forms, q.otherSpellings[word])
}

// respell returns the query with spellings in place of a word or phrase.
func (q Query) respell(word string, spellings []string) Query {
	all := map[string][]string{word: spellings}
	maps.Copy(all, q.respelled)
	q.respelled = all
	return q
}

// JoinOr returns the FTS5 query for any of several terms.
func JoinOr(terms []string) string { return strings.Join(terms, " OR ") }
