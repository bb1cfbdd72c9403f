package recall

import (
	"cmp"
	"context"
	"database/sql"
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

// indexed is the number of sections.
type indexed float64

// sectionsOf returns the number of sections of an index with some totals.
func sectionsOf(totals []float64) indexed {
	if len(totals) == 0 {
		return 0
	}
	return indexed(totals[0])
}

// rarity is the weight that BM25 of FTS5 gives to a word that this many sections
// have: nearly zero if most have it.
func (all indexed) rarity(rows int) float64 {
	return max(1e-6, math.Log((float64(all)-float64(rows)+0.5)/(float64(rows)+0.5)))
}

// tells is the same without that floor: of few and long texts most have most
// words, and such a word still distinguishes those that have it (the probabilistic
// weight plus one, as in Lucene).
func (all indexed) tells(rows int) float64 {
	return math.Log1p(max(0, float64(all)-float64(rows)+0.5) / (float64(rows) + 0.5))
}

// terms looks up a question's words, the rarest first. The rows of the words of a
// long text are counted only as far as needed to find the rare words. kept may be nil.
func terms(ctx context.Context, r *db.Reader, q query, kept *frequent) ([]term, error) {
	wanted, most := q.wanted(), enough
	if len(wanted) > maxWords {
		most, kept = telling, nil
	}
	wanted = wanted[:min(len(wanted), maxCounted)]
	totals, err := indexTotals(ctx, r)
	if err != nil {
		return nil, err
	}
	rows, err := countRows(ctx, r, slices.Concat(wanted...), most, totals, kept)
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
		if err := terms[i].weigh(ctx, r, totals, most, kept); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(terms, rarestFirst)
	return terms, nil
}

// weigh computes the weights of a term and of its forms, whose rows were counted up to
// a number.
func (t *term) weigh(ctx context.Context, r *db.Reader, totals []float64, counted int, kept *frequent) (err error) {
	t.rows = 0
	all := sectionsOf(totals)
	for i := range t.forms {
		f := &t.forms[i]
		if f.rows >= counted {
			rows, isKept := kept.find(totals, f.text)
			if !isKept {
				if rows, err = all.estimateRows(ctx, r, f.text, counted, sampling); err != nil {
					return err
				}
			}
			f.rows = rows
		}
		if f.rows >= telling {
			kept.keep(totals, f.text, f.rows)
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
func countRows(ctx context.Context, r *db.Reader, texts []string, most int, totals []float64, kept *frequent) (map[string]int, error) {
	slices.Sort(texts)
	rows := map[string]int{}
	texts = slices.DeleteFunc(slices.Compact(texts), func(text string) bool {
		n, isKept := kept.find(totals, text)
		if isKept {
			rows[text] = min(n, most)
		}
		return isKept
	})
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var text string
		var n int
		err := row.Scan(&text, &n)
		rows[text] = n
		return err
	}, `
select
  t.value,
  (select count(*) from (select 1 from section_search where section_search match t.value limit ?2))
from json_each(?1) t`, db.List(texts), most)
	return rows, err
}

// sample is where a common word is counted: at some places of the index, in a number of
// sections at each.
type sample struct{ places, size int }

// Among 200,000 sections 32 places of 256, or 8 of 2,048, estimate no better and take
// longer.
var sampling = sample{places: 16, size: 512}

// estimateRows returns about how many sections have a common word, which has at least
// counted: reading all of them takes longer than the rest of a search. It counts those
// among sections from all over the index, because a word may be common at one time and
// rare at another.
func (all indexed) estimateRows(ctx context.Context, r *db.Reader, text string, counted int, at sample) (int, error) {
	starts, size := []int64{1}, int64(all)
	if int(all) > 2*at.places*at.size {
		starts, size = nil, int64(at.size)
		for i := range at.places {
			starts = append(starts, 1+int64(float64(i)*float64(all)/float64(at.places)))
		}
	}
	n, _, err := db.One[int](ctx, r, `
select count(*)
from json_each(?2) s
cross join section_search on section_search match ?1
where section_search.rowid between s.value and s.value + ?3 - 1`, text, db.List(starts), size)
	return max(counted, int(float64(n)*float64(all)/float64(int64(len(starts))*size))), err
}
