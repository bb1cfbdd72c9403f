package question

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"hence/internal/db"
)

// AnyTermQuery returns an FTS5 query for any of the terms, and the weights of its phrases.
func AnyTermQuery(terms []Term) (match, idfs string) {
	var texts, weights []string
	for _, t := range terms {
		for _, f := range t.Forms {
			texts, weights = append(texts, f.Text), append(weights, f.IDF)
		}
	}
	return JoinOr(texts), strings.Join(weights, " ")
}

// MaxClueRows is how many sections may have a term that is a clue. A more common term says
// little, and takes long to look up in each candidate.
const MaxClueRows = 2000

const (
	maxLookedUpTerms = 200   // words of a question that are looked up
	MaxWords         = 32    // words that are searched, the rarest of them
	maxCountedRows   = 10000 // sections of a word that are counted; more are estimated
)

// Term is a word or a phrase of a question, with its rarity.
type Term struct {
	Forms        []Form // texts that are searched for it
	Rows         int    // about how many sections have it: the sum over its forms
	Weight       float64
	SmoothWeight float64 // see smoothRarity
	Index        int     // in query.wantedForms
}

// Form is one of the texts of a term.
type Form struct {
	Text   string // an FTS5 query
	rows   int
	IDF    string  // weight, formatted for bm25_of
	weight float64 // see rarity
	Factor float64 // smoothWeight of the term, divided by weight
}

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

// ReadTerms returns the terms of a question that the index has, at most maxWords, the rarest
// first. For a long text it counts the sections of each word only as far as needed to find
// the rare words.
func ReadTerms(ctx context.Context, r *db.Reader, q Query, p Part) ([]Term, error) {
	wanted, limit := q.wantedForms(), maxCountedRows
	if len(wanted) > MaxWords {
		limit, p.frequent = MaxClueRows, nil
	}
	wanted = wanted[:min(len(wanted), maxLookedUpTerms)]
	rows, err := p.countRows(ctx, r, slices.Concat(wanted...), limit)
	if err != nil {
		return nil, err
	}
	terms := []Term{}
	for index, texts := range wanted {
		t := Term{Index: index}
		for _, text := range texts {
			if n := rows[text]; n > 0 {
				t.Rows, t.Forms = t.Rows+n, append(t.Forms, Form{Text: text, rows: n})
			}
		}
		if t.Rows > 0 {
			terms = append(terms, t)
		}
	}
	rarestFirst := func(a, b Term) int { return cmp.Compare(a.Rows, b.Rows) }
	slices.SortStableFunc(terms, rarestFirst)
	terms = terms[:min(len(terms), MaxWords)]
	for i := range terms {
		if err := terms[i].weigh(ctx, r, p, limit); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(terms, rarestFirst)
	return terms, nil
}

// weigh computes the weights of a term and of its forms, whose rows were counted up to counted.
// It estimates the rows of a form that has more.
func (t *Term) weigh(ctx context.Context, r *db.Reader, p Part, counted int) (err error) {
	t.Rows = 0
	sectionTotal := sectionCount(p.sections)
	for i := range t.Forms {
		f := &t.Forms[i]
		if f.rows >= counted {
			rows, isKept := p.frequent.find(p.totals, f.Text)
			if !isKept {
				if rows, err = p.estimateRows(ctx, r, f.Text, counted, rowSample); err != nil {
					return err
				}
			}
			f.rows = rows
		}
		if f.rows >= MaxClueRows {
			p.frequent.keep(p.totals, f.Text, f.rows)
		}
		f.weight = sectionTotal.rarity(f.rows)
		f.IDF = FormatWeight(f.weight)
		t.Rows += f.rows
	}
	t.Weight, t.SmoothWeight = sectionTotal.rarity(t.Rows), sectionTotal.smoothRarity(t.Rows)
	for i, f := range t.Forms {
		t.Forms[i].Factor = t.SmoothWeight / f.weight
	}
	return nil
}

// FormatWeight returns a weight in the format of bm25_of.
func FormatWeight(idf float64) string { return strconv.FormatFloat(idf, 'g', -1, 64) }

// countRows returns the number of sections that match each of several FTS5 queries, up to limit.
// It takes numbers from the cache if they are there.
func (p Part) countRows(ctx context.Context, r *db.Reader, texts []string, limit int) (map[string]int, error) {
	slices.Sort(texts)
	rows := map[string]int{}
	texts = slices.DeleteFunc(slices.Compact(texts), func(text string) bool {
		n, isKept := p.frequent.find(p.totals, text)
		if isKept {
			rows[text] = min(n, limit)
		}
		return isKept
	})
	return rows, db.Fill(ctx, r, rows, `
select
  t.value,
  (select count(*) from (select 1 `+SectionsIn("?3", "t.value")+` limit ?2))
from json_each(?1) t`, db.List(texts), limit, db.List(p.countedRanges))
}

// rowSample is the sample by which rows are estimated. Among 200,000 sections, 32 places of 256
// sections and 8 places of 2,048 took longer, and their estimates were no better.
var rowSample = sample{places: 16, size: 512}

// estimateRows returns about how many sections have a common word, at least counted. Reading all
// of them takes longer than the rest of a search. It counts them in a sample from all over the
// index, because a word may be common at one time and rare at another.
func (p Part) estimateRows(ctx context.Context, r *db.Reader, text string, counted int, s sample) (int, error) {
	ranges := p.countedRanges
	if withCode := slices.Contains(ranges, everything); withCode || slices.Contains(ranges, EveryText) {
		var err error
		if ranges, err = RangesOf(ctx, r, "", withCode); err != nil {
			return 0, err
		}
	}
	windows, factor := s.windows(ranges)
	n, _, err := db.One[int](ctx, r, `select count(*)`+SectionsIn("?2", "?1"), text, db.List(windows))
	return max(counted, int(float64(n)*factor)), err
}
