package question

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
)

const (
	maxLookedUpTerms = 200   // terms of a question that are looked up
	maxTerms         = 32    // terms that are searched, the rarest of them
	maxCountedRows   = 10000 // sections of a term that are counted; more are estimated
)

// MaxScoredRows is how many sections may have a term that is looked up in each candidate. A more
// common term says little, and takes long to look up.
const MaxScoredRows = 2000

// Term is a word or a phrase of a question, with the texts that are searched for it and its rarity.
type Term struct {
	Text   string // as the question has it
	Forms  []Form // what is searched for it; only those that the index has, once they are counted
	Rows   int    // about how many sections have it: the sum over its forms
	Weight float64
	Rarity float64 // a weight that falls more slowly: see smoothRarity

	kind      termKind
	spellings []string // searched in place of it, if it was corrected
	isCounted bool
}

// termKind says what of a question a term is.
type termKind int

const (
	ofWord termKind = iota
	ofPhrase
	ofPassage // all words of the question as a phrase
)

// Form is one of the texts of a term.
type Form struct {
	Match  string // an FTS5 query
	Rows   int
	Weight float64 // see rarity
}

// newTerm returns a term for which texts are searched.
func newTerm(kind termKind, text string, searched ...string) *Term {
	t := &Term{Text: text, kind: kind}
	t.search(searched)
	return t
}

// search sets the texts that are searched for the term.
func (t *Term) search(texts []string) {
	t.Forms, t.isCounted = lists.Map(texts, func(text string) Form { return Form{Match: lexicon.Quote(text)} }), false
}

// replace puts spellings in place of a term that no memory has.
func (t *Term) replace(spellings []string) {
	t.search(spellings)
	t.spellings = spellings
}

// match returns the FTS5 query for any of the forms of the term.
func (t *Term) match() string {
	return lists.Join(t.Forms, " OR ", func(f Form) string { return f.Match })
}

// IsWhole reports whether a term is all words of the question as one phrase.
func (t *Term) IsWhole() bool { return t.kind == ofPassage }

// Word returns the term if it is one word of letters that is searched in no other spelling, else "".
func (t *Term) Word() string {
	if t.kind != ofWord || len(t.Forms) != 1 || t.Forms[0].Match != `"`+t.Text+`"` || strings.ContainsFunc(t.Text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	return script.Word(t.Text)
}

// AnyOf returns an FTS5 query for any of the terms, and the weights of its phrases for bm25_of.
func AnyOf(terms []*Term) (match, weights string) {
	var matches, numbers []string
	for _, t := range terms {
		for _, f := range t.Forms {
			matches, numbers = append(matches, f.Match), append(numbers, FormatWeight(f.Weight))
		}
	}
	return strings.Join(matches, " OR "), strings.Join(numbers, " ")
}

// CountRows returns about the most sections that terms can match.
func CountRows(terms []*Term) int { return lists.Sum(terms, func(t *Term) int { return t.Rows }) }

// FormatWeight returns a weight in the format of bm25_of.
func FormatWeight(weight float64) string { return strconv.FormatFloat(weight, 'g', -1, 64) }

// sectionCount is the number of all sections, among which a word is rare or common.
type sectionCount float64

// rarity returns the weight that the BM25 of FTS5 gives to a word in rows sections: nearly zero
// if most sections have it.
func (total sectionCount) rarity(rows int) float64 {
	return max(1e-6, math.Log((float64(total)-float64(rows)+0.5)/(float64(rows)+0.5)))
}

// smoothRarity returns a weight that falls more slowly towards zero, the logarithm of one plus
// the odds, as in Lucene. Where there are few and long texts, most words are in most of them,
// and such a word still distinguishes the texts that have it.
func (total sectionCount) smoothRarity(rows int) float64 {
	return math.Log1p(max(0, float64(total)-float64(rows)+0.5) / (float64(rows) + 0.5))
}

// Read counts the sections of the terms that are not counted yet, and chooses the rarest. For a long
// text it counts only as far as needed to find the rare terms.
func (q *Question) Read(ctx context.Context, r *db.Reader, s Scope) error {
	limit, matches := maxCountedRows, []string{}
	if len(q.Terms) > maxTerms {
		limit, s.frequent = MaxScoredRows, nil
	}
	q.Terms = q.Terms[:min(len(q.Terms), maxLookedUpTerms)]
	for _, t := range q.Terms {
		for _, f := range t.Forms {
			if !t.isCounted {
				matches = append(matches, f.Match)
			}
		}
	}
	rows, err := s.countRows(ctx, r, matches, limit)
	if err != nil {
		return err
	}
	q.Rarest = []*Term{}
	for _, t := range q.Terms {
		if !t.isCounted {
			t.setRows(rows)
		}
		if t.Rows > 0 {
			q.Rarest = append(q.Rarest, t)
		} else {
			t.Rarity = sectionCount(s.sections).smoothRarity(0)
		}
	}
	rarestFirst := func(a, b *Term) int { return cmp.Compare(a.Rows, b.Rows) }
	slices.SortStableFunc(q.Rarest, rarestFirst)
	q.Rarest = q.Rarest[:min(len(q.Rarest), maxTerms)]
	for _, t := range q.Rarest {
		if err := t.weigh(ctx, r, s, limit); err != nil {
			return err
		}
	}
	slices.SortStableFunc(q.Rarest, rarestFirst)
	return nil
}

// setRows sets the rows of the forms, and leaves out the forms without any, unless all are.
func (t *Term) setRows(rows map[string]int) {
	counted := []Form{}
	t.Rows = 0
	for _, f := range t.Forms {
		if f.Rows = rows[f.Match]; f.Rows > 0 {
			t.Rows, counted = t.Rows+f.Rows, append(counted, f)
		}
	}
	if len(counted) > 0 {
		t.Forms = counted
	}
}

// weigh computes the weights of a term and of its forms, whose rows were counted up to counted.
// It estimates the rows of a form that has more.
func (t *Term) weigh(ctx context.Context, r *db.Reader, s Scope, counted int) (err error) {
	if t.isCounted {
		return nil
	}
	t.Rows, t.isCounted = 0, true
	total := sectionCount(s.sections)
	for i := range t.Forms {
		f := &t.Forms[i]
		if f.Rows >= counted {
			rows, isKept := s.frequent.find(s.totals, f.Match)
			if !isKept {
				if rows, err = s.estimateRows(ctx, r, f.Match, counted, rowSample); err != nil {
					return err
				}
			}
			f.Rows = rows
		}
		if f.Rows >= MaxScoredRows {
			s.frequent.keep(s.totals, f.Match, f.Rows)
		}
		f.Weight = total.rarity(f.Rows)
		t.Rows += f.Rows
	}
	t.Weight, t.Rarity = total.rarity(t.Rows), total.smoothRarity(t.Rows)
	return nil
}

// MayBeName reports whether a title may have the words of the question. It may not if they were
// searched as a phrase and no section has it.
func (q Question) MayBeName() bool {
	return q.IsLong() || len(q.phrases) > 0 || !slices.ContainsFunc(q.Terms, func(t *Term) bool { return t.IsWhole() && t.Rows == 0 })
}

// IsLong reports whether the question has more terms than are searched.
func (q Question) IsLong() bool { return len(q.Rarest) >= maxTerms }

// words returns the words that are searched for a term.
func (t *Term) words() (words []string) {
	texts := t.spellings
	if texts == nil {
		texts = []string{t.Text}
	}
	return slices.Collect(lexicon.Words(strings.Join(texts, " ")))
}

// SearchedWords returns the first maxRespelt words that are searched for the question and its
// phrases, with their FTS5 queries.
func (q Question) SearchedWords() (words, matches []string) {
	for _, t := range q.Terms {
		for _, word := range t.words() {
			if len(words) == maxRespelt || t.IsWhole() || lexicon.Stopwords(word) || lexicon.IsRun(word) || slices.Contains(words, word) {
				continue
			}
			match := t.match()
			if word != t.Text || t.spellings != nil {
				match = lexicon.Quote(word)
			}
			words, matches = append(words, word), append(matches, match)
		}
	}
	return words, matches
}

// Frequent caches how many sections have each of the frequent words of questions, because
// counting and estimating these numbers took a quarter of the search for seven words among
// 200,000 memories. The cache is valid as long as the totals of the index stay the same.
// They also do if a text replaces another with as many words. Then a number is wrong by one.
type Frequent struct {
	mu     sync.Mutex
	totals []float64      // of the index for which rows is valid
	rows   map[string]int // by FTS5 query
}

// maxKept is the most words in the cache.
const maxKept = 10_000

// find returns the cached number of sections with a word, if the index has the given totals.
func (f *Frequent) find(totals []float64, text string) (rows int, ok bool) {
	if f == nil {
		return 0, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Equal(f.totals, totals) {
		rows, ok = f.rows[text]
	}
	return rows, ok
}

// keep caches the number of sections with a word. It clears the cache if it is full or of an
// index with other totals.
func (f *Frequent) keep(totals []float64, text string, rows int) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.totals, totals) || len(f.rows) >= maxKept {
		f.totals, f.rows = totals, map[string]int{}
	}
	f.rows[text] = rows
}
