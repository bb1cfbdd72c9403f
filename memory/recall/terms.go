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
	maxCounted = 200   // words of a question that are looked up
	maxWords   = 32    // the rarest of them, which are searched
	enough     = 10000 // rows of a word that are counted
)

// term is a word or a phrase of a question, with the number of sections that
// have it.
type term struct {
	forms  []form // of a word; a phrase has one
	rows   int    // sections that have it, about: the sum over its forms
	weight float64
	tells  float64 // weight without a floor
	place  int     // in the question
}

// form is one of the texts of a term.
type form struct {
	text   string // as a query of FTS5
	rows   int
	idf    string  // its weight as bm25_of takes it
	weight float64 // log of its rarity, as in BM25 of FTS5
	factor float64 // weight times factor is what its term tells
}

// sectionCount is a number of sections.
type sectionCount float64

// rarity is the weight that BM25 of FTS5 gives to a word that this many sections
// have: nearly zero if most have it.
func (all sectionCount) rarity(rows int) float64 {
	return max(1e-6, math.Log((float64(all)-float64(rows)+0.5)/(float64(rows)+0.5)))
}

// tells is the same without that floor: of few and long texts most have most
// words, and such a word still distinguishes those that have it (the probabilistic
// weight plus one, as in Lucene).
func (all sectionCount) tells(rows int) float64 {
	return math.Log1p(max(0, float64(all)-float64(rows)+0.5) / (float64(rows) + 0.5))
}

// terms looks up a question's words, the rarest first. The rows of the words of a
// long text are counted only as far as needed to find the rare words.
func terms(ctx context.Context, r *db.Reader, q query, p part) ([]term, error) {
	wanted, most := q.wantedForms(), enough
	if len(wanted) > maxWords {
		most, p.frequent = telling, nil
	}
	wanted = wanted[:min(len(wanted), maxCounted)]
	rows, err := p.countRows(ctx, r, slices.Concat(wanted...), most)
	if err != nil {
		return nil, err
	}
	terms := []term{}
	for place, texts := range wanted {
		t := term{place: place}
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
		if err := terms[i].weigh(ctx, r, p, most); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(terms, rarestFirst)
	return terms, nil
}

// weigh computes the weights of a term and of its forms, whose rows were counted up to
// a number.
func (t *term) weigh(ctx context.Context, r *db.Reader, p part, counted int) (err error) {
	t.rows = 0
	all := sectionCount(0) // the sections among which words are rare or common
	if len(p.totals) > 0 {
		all = sectionCount(p.totals[0])
	}
	for i := range t.forms {
		f := &t.forms[i]
		if f.rows >= counted {
			rows, isKept := p.frequent.find(p.totals, f.text)
			if !isKept {
				if rows, err = p.estimateRows(ctx, r, f.text, counted, sampling); err != nil {
					return err
				}
			}
			f.rows = rows
		}
		if f.rows >= telling {
			p.frequent.keep(p.totals, f.text, f.rows)
		}
		f.weight = all.rarity(f.rows)
		f.idf = weightOf(f.weight)
		t.rows += f.rows
	}
	t.weight, t.tells = all.rarity(t.rows), all.tells(t.rows)
	for i, f := range t.forms {
		t.forms[i].factor = t.tells / f.weight
	}
	return nil
}

// weightOf writes a weight as bm25_of takes it.
func weightOf(idf float64) string { return strconv.FormatFloat(idf, 'g', -1, 64) }

// countRows counts the sections that match each of some queries of FTS5, up to a
// number; those that are kept it does not count.
func (p part) countRows(ctx context.Context, r *db.Reader, texts []string, most int) (map[string]int, error) {
	slices.Sort(texts)
	rows := map[string]int{}
	texts = slices.DeleteFunc(slices.Compact(texts), func(text string) bool {
		n, isKept := p.frequent.find(p.totals, text)
		if isKept {
			rows[text] = min(n, most)
		}
		return isKept
	})
	return rows, db.Fill(ctx, r, rows, `
select
  t.value,
  (select count(*) from (select 1 `+sectionsIn("?3", "t.value")+` limit ?2))
from json_each(?1) t`, db.List(texts), most, giveRanges(p.counted))
}

// Among 200,000 sections 32 places of 256, or 8 of 2,048, estimate no better and take
// longer.
var sampling = sample{places: 16, size: 512}

// estimateRows returns about how many sections have a common word, which has at least
// counted: reading all of them takes longer than the rest of a search. It counts those
// among sections from all over the index, because a word may be common at one time and
// rare at another.
func (p part) estimateRows(ctx context.Context, r *db.Reader, text string, counted int, at sample) (int, error) {
	ranges := p.counted
	if slices.Contains(ranges, everything) {
		var err error
		if ranges, err = rangesOf(ctx, r, "", false); err != nil {
			return 0, err
		}
	}
	windows, times := at.windows(ranges)
	n, _, err := db.One[int](ctx, r, `select count(*)`+sectionsIn("?2", "?1"), text, giveRanges(windows))
	return max(counted, int(float64(n)*times)), err
}
