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
	maxWords   = 32    // the rarest of them, that it is answered by
	enough     = 30000 // rows of a word that are counted: more make it no more common
)

// term is a word or a phrase of a question, with the number of sections that
// have it.
type term struct {
	forms  []form // of a word; a phrase has one
	rows   int    // sections that have it, about: those of its forms
	weight float64
	tells  float64 // weight, without a floor
	place  int     // in the question
}

// form is one of the texts that a term stands for.
type form struct {
	text   string // in the language of FTS5
	rows   int
	idf    string  // its weight as bm25_of takes it; ? where not all rows were counted
	weight float64 // log of its rarity, as BM25 of FTS5 has it
	factor float64 // from that to what its term tells
}

// indexed is how many sections there are.
type indexed float64

// sections counts the sections, and above a number of them estimates.
func sections(ctx context.Context, r *db.Reader) (indexed, error) {
	n, _, err := db.One[float64](ctx, r, `
select
  case
    when counted < ?1 then counted
    else (select max(key) from sections)
  end
from (select count(*) as counted from (select 1 from sections limit ?1))`, 5*telling)
	return indexed(n), err
}

// rarity is the weight that BM25 of FTS5 gives what so many sections have: it
// says nothing of what most have.
func (all indexed) rarity(rows int) float64 {
	return max(1e-6, math.Log((float64(all)-float64(rows)+0.5)/(float64(rows)+0.5)))
}

// tells is the same without that floor: among few and long texts most have
// most words, and such a word still tells those that have it from the rest
// (the probabilistic weight with one added, as Lucene has it).
func (all indexed) tells(rows int) float64 {
	return math.Log1p(max(0, float64(all)-float64(rows)+0.5) / (float64(rows) + 0.5))
}

// terms looks a question's words up, the rarest first. The words of a long
// text are counted only as far as tells the rare ones from the rest.
func terms(ctx context.Context, r *db.Reader, q query) ([]term, error) {
	wanted, most := q.wanted(), enough
	if len(wanted) > maxWords {
		most = telling
	}
	wanted = wanted[:min(len(wanted), maxCounted)]
	all, err := sections(ctx, r)
	if err != nil {
		return nil, err
	}
	rows, err := countRows(ctx, r, slices.Concat(wanted...), most)
	found := []term{}
	for place, texts := range wanted {
		t := term{place: place}
		for _, text := range texts {
			if f := (form{text: text, rows: rows[text], idf: "?"}); f.rows > 0 {
				if f.weight = all.rarity(f.rows); f.rows < most {
					f.idf = weightOf(f.weight)
				}
				t.rows, t.forms = t.rows+f.rows, append(t.forms, f)
			}
		}
		t.weight, t.tells = all.rarity(t.rows), all.tells(t.rows)
		for i, f := range t.forms {
			t.forms[i].factor = t.tells / f.weight
		}
		if t.rows > 0 {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b term) int { return cmp.Compare(a.rows, b.rows) })
	return found[:min(len(found), maxWords)], err
}

// weightOf writes a weight as bm25_of takes it.
func weightOf(idf float64) string { return strconv.FormatFloat(idf, 'g', -1, 64) }

// countRows counts the sections that have each of some texts of FTS5, up to so
// many.
func countRows(ctx context.Context, r *db.Reader, texts []string, most int) (map[string]int, error) {
	slices.Sort(texts)
	rows := map[string]int{}
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
from json_each(?1) t`, db.List(slices.Compact(texts)), most)
	return rows, err
}
