package recall

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"hence/internal/db"
)

// part is the part of the full-text index that a question is asked of, and what the words
// and lengths of its texts are compared with: the whole index, or for a caller who is
// confined to a namespace the sections of that alone. Then a score says nothing of what
// others wrote: neither how often they use a word nor how long their texts are.
type part struct {
	ranges   []keyRange // of keys, which are searched
	counted  []keyRange // in which it is counted how many have a word
	totals   []float64  // of these, as the index keeps them: its rows, and the tokens in each column; nothing if it is empty
	memories float64
	frequent *frequent // nil: of the part alone nothing is kept, because nothing tells when it changes
	usual    string    // before the weights of bm25_of: how many tokens a section has; "" as in the whole index
}

// keyRange is keys of sections, the first and the last.
type keyRange [2]int64

func (s keyRange) keys() int64 { return s[1] - s[0] + 1 }

// everything are the keys of all sections, everyText of those that are not of source code.
var (
	everything = keyRange{math.MinInt64, math.MaxInt64}
	everyText  = keyRange{firstOfText, math.MaxInt64}
)

// firstOfText is the least key of sections that are not of source code.
const firstOfText = -1 << 40

// readPart reads which part of the index a filter leaves.
func readPart(ctx context.Context, r *db.Reader, f filter, kept *frequent) (p part, err error) {
	withCode := slices.ContainsFunc(f.kinds, func(kind string) bool { return strings.EqualFold(kind, "code") || strings.EqualFold(kind, "file") })
	switch {
	case f.namespace != "":
		p.ranges, err = rangesOf(ctx, r, f.namespace, withCode)
	case withCode:
		p.ranges = []keyRange{everything}
	default:
		p.ranges = []keyRange{everyText}
	}
	if err != nil {
		return p, err
	}
	of := ""
	if f.confined {
		of, p.counted = f.namespace, p.ranges
		if p.totals, err = estimateTotals(ctx, r, p.ranges); err == nil && len(p.totals) > 0 {
			tokens := 0.0
			for _, n := range p.totals[1:] {
				tokens += n
			}
			p.usual = "@" + weightOf(tokens/p.totals[0]) + " "
		}
	} else {
		p.counted, p.frequent = []keyRange{everything}, kept
		p.totals, err = indexTotals(ctx, r)
	}
	if err != nil {
		return p, err
	}
	p.memories, _, err = db.One[float64](ctx, r, `select coalesce(sum(number), 0) from memory_counts where ?1 in ('', namespace)`, of)
	return p, err
}

// averageLength returns how many tokens a memory has, with those that name it once.
func (p part) averageLength() float64 {
	if len(p.totals) == 0 || p.totals[0] == 0 || p.memories == 0 {
		return 0
	}
	return (p.totals[1]+p.totals[3]+p.totals[4])/p.totals[0] + (p.totals[2]+p.totals[5])/p.memories
}

// rangesOf returns the keys of the sections of a namespace, of all if it is "", in
// ascending order.
func rangesOf(ctx context.Context, r *db.Reader, namespace string, withCode bool) ([]keyRange, error) {
	return db.Select(ctx, r, db.Fields(func(s *keyRange) []any { return []any{&s[0], &s[1]} }), `
select
  first,
  used
from (
  select
    r.first,
    (select max(s.key) from sections s where s.key between r.first and r.last) as used
  from section_ranges r
  where ?1 in ('', r.namespace)
  union all
  select
    r.first_code,
    (select max(s.key) from sections s where s.key between r.first_code and r.last_code)
  from section_ranges r
  where ?1 in ('', r.namespace)
    and ?2
)
where used is not null
order by first`, namespace, withCode)
}

// giveRanges are ranges as an argument of sectionsIn. Of json_each, they would be read again
// for every row.
func giveRanges(ranges []keyRange) []byte {
	list := db.NewGiven(0)
	for _, one := range ranges {
		list.Row(one[0], one[1])
	}
	return list.Arg()
}

// sectionsIn is the end of a query: the sections in the ranges of one argument that match
// the query of FTS5 in another.
func sectionsIn(ranges, match string) string {
	return `
from given(` + ranges + `) keys` + matching(match)
}

// matching joins the sections in the ranges of the table keys.
func matching(match string) string {
	return `
cross join section_search on section_search match ` + match + `
  and section_search.rowid between keys.c1 and keys.c2`
}

// sample is where something common is counted: at some places of the index, in a number of
// sections at each.
type sample struct{ places, size int64 }

// windows returns the keys of a sample of ranges, all if there are not twice as many, and
// how many times as many keys the ranges have.
func (at sample) windows(ranges []keyRange) (windows []keyRange, times float64) {
	all := int64(0)
	for _, s := range ranges {
		all += s.keys()
	}
	if all <= 2*at.places*at.size {
		return ranges, 1
	}
	for place := range at.places {
		from, rest := place*(all/at.places), at.size
		for _, s := range ranges {
			if from >= s.keys() {
				from -= s.keys()
				continue
			}
			w := keyRange{s[0] + from, min(s[0]+from+rest-1, s[1])}
			windows = append(windows, w)
			if from, rest = 0, rest-w.keys(); rest == 0 {
				break
			}
		}
	}
	sampled := int64(0)
	for _, w := range windows {
		sampled += w.keys()
	}
	return windows, float64(all) / float64(sampled)
}

// measuring is a sample of the lengths of sections.
var measuring = sample{places: 16, size: 64}

// estimateTotals returns about what the index would keep of some ranges by themselves.
func estimateTotals(ctx context.Context, r *db.Reader, ranges []keyRange) ([]float64, error) {
	windows, times := measuring.windows(ranges)
	totals := make([]float64, 1+columns)
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		return row.Scan(&totals[0], &totals[1], &totals[2], &totals[3], &totals[4], &totals[5])
	}, `
select
  count(*),
  coalesce(sum(number_of(z.sz, 0)), 0),
  coalesce(sum(number_of(z.sz, 1)), 0),
  coalesce(sum(number_of(z.sz, 2)), 0),
  coalesce(sum(number_of(z.sz, 3)), 0),
  coalesce(sum(number_of(z.sz, 4)), 0)
from given(?) w
cross join section_search_docsize z on z.id between w.c1 and w.c2`, giveRanges(windows))
	if err != nil || totals[0] == 0 {
		return nil, err
	}
	for i := range totals {
		totals[i] *= times
	}
	return totals, nil
}
