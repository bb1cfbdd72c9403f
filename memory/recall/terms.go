package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"hence/internal/db"
)

const (
	maxLookedUpTerms = 200   // words of a question that are looked up
	maxWords         = 32    // words that are searched, the rarest of them
	maxCountedRows   = 10000 // sections of a word that are counted; more are estimated
)

// term is a word or a phrase of a question, with its rarity.
type term struct {
	forms        []form // texts that are searched for it
	rows         int    // about how many sections have it: the sum over its forms
	weight       float64
	smoothWeight float64 // see smoothRarity
	index        int     // in query.wantedForms
}

// form is one of the texts of a term.
type form struct {
	text   string // an FTS5 query
	rows   int
	idf    string  // weight, formatted for bm25_of
	weight float64 // see rarity
	factor float64 // smoothWeight of the term, divided by weight
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

// readTerms returns the terms of a question that the index has, at most maxWords, the rarest
// first. For a long text it counts the sections of each word only as far as needed to find
// the rare words.
func readTerms(ctx context.Context, r *db.Reader, q query, p part) ([]term, error) {
	wanted, limit := q.wantedForms(), maxCountedRows
	if len(wanted) > maxWords {
		limit, p.frequent = maxClueRows, nil
	}
	wanted = wanted[:min(len(wanted), maxLookedUpTerms)]
	rows, err := p.countRows(ctx, r, slices.Concat(wanted...), limit)
	if err != nil {
		return nil, err
	}
	terms := []term{}
	for index, texts := range wanted {
		t := term{index: index}
		for _, text := range texts {
			if n := rows[text]; n > 0 {
				t.rows, t.forms = t.rows+n, append(t.forms, form{text: text, rows: n})
			}
		}
		if t.rows > 0 {
			terms = append(terms, t)
		}
	}
	rarestFirst := func(a, b term) int { return cmp.Compare(a.rows, b.rows) }
	slices.SortStableFunc(terms, rarestFirst)
	terms = terms[:min(len(terms), maxWords)]
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
func (t *term) weigh(ctx context.Context, r *db.Reader, p part, counted int) (err error) {
	t.rows = 0
	sectionTotal := sectionCount(p.sections)
	for i := range t.forms {
		f := &t.forms[i]
		if f.rows >= counted {
			rows, isKept := p.frequent.find(p.totals, f.text)
			if !isKept {
				if rows, err = p.estimateRows(ctx, r, f.text, counted, rowSample); err != nil {
					return err
				}
			}
			f.rows = rows
		}
		if f.rows >= maxClueRows {
			p.frequent.keep(p.totals, f.text, f.rows)
		}
		f.weight = sectionTotal.rarity(f.rows)
		f.idf = formatWeight(f.weight)
		t.rows += f.rows
	}
	t.weight, t.smoothWeight = sectionTotal.rarity(t.rows), sectionTotal.smoothRarity(t.rows)
	for i, f := range t.forms {
		t.forms[i].factor = t.smoothWeight / f.weight
	}
	return nil
}

// formatWeight returns a weight in the format of bm25_of.
func formatWeight(idf float64) string { return strconv.FormatFloat(idf, 'g', -1, 64) }

// countRows returns the number of sections that match each of several FTS5 queries, up to limit.
// It takes numbers from the cache if they are there.
func (p part) countRows(ctx context.Context, r *db.Reader, texts []string, limit int) (map[string]int, error) {
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
  (select count(*) from (select 1 `+sectionsIn("?3", "t.value")+` limit ?2))
from json_each(?1) t`, db.List(texts), limit, db.List(p.countedRanges))
}

// rowSample is the sample by which rows are estimated. Among 200,000 sections, 32 places of 256
// sections and 8 places of 2,048 took longer, and their estimates were no better.
var rowSample = sample{places: 16, size: 512}

// estimateRows returns about how many sections have a common word, at least counted. Reading all
// of them takes longer than the rest of a search. It counts them in a sample from all over the
// index, because a word may be common at one time and rare at another.
func (p part) estimateRows(ctx context.Context, r *db.Reader, text string, counted int, s sample) (int, error) {
	ranges := p.countedRanges
	if withCode := slices.Contains(ranges, everything); withCode || slices.Contains(ranges, everyText) {
		var err error
		if ranges, err = rangesOf(ctx, r, "", withCode); err != nil {
			return 0, err
		}
	}
	windows, factor := s.windows(ranges)
	n, _, err := db.One[int](ctx, r, `select count(*)`+sectionsIn("?2", "?1"), text, db.List(windows))
	return max(counted, int(float64(n)*factor)), err
}
