package question

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
)

// Scope is what of the full-text index a question searches, with the totals by which
// words are rare and texts long. The totals are those of the whole index, but that a word is not
// common because code has it, unless the question asks for code. For a caller who is confined
// to a namespace they are those of the namespace, so that a score reveals nothing about other
// texts: neither how often a word occurs in them nor how long they are.
type Scope struct {
	Ranges        []KeyRange // searched
	countedRanges []KeyRange // in which the sections with a word are counted
	totals        []float64  // sections, then tokens by column; nil if there are none
	sections      float64    // number of sections in countedRanges
	memories      float64    // number of memories with sections in countedRanges
	frequent      *Frequent  // nil for code, and for a namespace alone: no cheap totals tell when it changes
	LengthPrefix  string     // before weights for bm25_of: average length if not that of the index
}

// KeyRange is a range of section keys: the first and the last key.
type KeyRange [2]int64

func (r KeyRange) Keys() int64 { return r[1] - r[0] + 1 }

// everything is the range of all sections, EveryText that of sections that are not source code.
var (
	everything = KeyRange{math.MinInt64, math.MaxInt64}
	EveryText  = KeyRange{FirstOfText, math.MaxInt64}
)

// FirstOfText is the least key of a section that is not source code.
const FirstOfText = -1 << 40

// ReadScope returns the scope of a question with a filter. cache is for
// the numbers of the whole index; it may be nil.
func ReadScope(ctx context.Context, r *db.Reader, f Filter, cache *Frequent) (s Scope, err error) {
	withCode := slices.ContainsFunc(f.Kinds, func(kind string) bool { return strings.EqualFold(kind, "code") || strings.EqualFold(kind, "file") })
	switch {
	case f.Namespace != "":
		s.Ranges, err = RangesOf(ctx, r, f.Namespace, withCode)
	case withCode:
		s.Ranges = []KeyRange{everything}
	default:
		s.Ranges = []KeyRange{EveryText}
	}
	if err != nil {
		return s, err
	}
	namespace := ""
	if f.Confined {
		namespace, s.countedRanges = f.Namespace, s.Ranges
		if s.totals, err = estimateTotals(ctx, r, s.Ranges); err == nil && len(s.totals) > 0 {
			tokens := 0.0
			for _, n := range s.totals[1:columns] { // words do not lengthen a section
				tokens += n
			}
			s.LengthPrefix = "@" + FormatWeight(tokens/s.totals[0]) + " "
		}
	} else {
		s.countedRanges = []KeyRange{everything}
		if !withCode {
			s.countedRanges, s.frequent = []KeyRange{EveryText}, cache
		}
		s.totals, err = indexTotals(ctx, r)
	}
	if err != nil {
		return s, err
	}
	var ofCode float64
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&s.memories, &ofCode) }, `
select
  coalesce(sum(number), 0),
  coalesce(sum(iif(origin = 'code', number, 0)), 0)
from memory_counts
where ?1 in ('', namespace)`, namespace)
	if len(s.totals) > 0 {
		s.sections = s.totals[0]
	}
	switch {
	case f.Confined && !withCode:
		s.memories -= ofCode
	case !withCode:
		s.sections = max(1, s.sections-ofCode) // a memory of code has one section
	}
	return s, err
}

// OfCode returns the ranges of source code that are searched.
func (s Scope) OfCode() (ranges []KeyRange) {
	for _, k := range s.Ranges {
		if k[0] < FirstOfText {
			ranges = append(ranges, KeyRange{k[0], min(k[1], FirstOfText-1)})
		}
	}
	return ranges
}

// AverageLength returns the average number of tokens of a memory, 0 if there are no memories. It
// counts titles, aliases and tags, which the index repeats for each section, once.
func (s Scope) AverageLength() float64 {
	if len(s.totals) == 0 || s.totals[0] == 0 || s.memories == 0 {
		return 0
	}
	return (s.totals[1]+s.totals[3]+s.totals[4])/s.totals[0] + (s.totals[2]+s.totals[5])/s.memories
}

// RangesOf returns the key ranges of the sections of a namespace, of all namespaces if it is "",
// in ascending order.
func RangesOf(ctx context.Context, r *db.Reader, namespace string, withCode bool) ([]KeyRange, error) {
	return db.Select(ctx, r, db.Fields(func(s *KeyRange) []any { return []any{&s[0], &s[1]} }), `
select
  first,
  next - 1
from section_ranges
where ?1 in ('', namespace)
  and is_code <= ?2
  and next > first
order by first`, namespace, withCode)
}

// RangesIn returns the SQL table of the ranges in an argument, with the columns first and last. The
// limit makes SQLite read each range once, not once for every row that is compared with it.
func RangesIn(ranges string) string {
	return `(select value ->> 0 as first, value ->> 1 as last from json_each(` + ranges + `) limit -1)`
}

// SectionsIn returns the SQL from clause for the sections that match an FTS5 query in ranges of
// keys. Both arguments are SQL expressions.
func SectionsIn(ranges, match string) string {
	return `
from ` + RangesIn(ranges) + ` keys` + JoinMatches(match)
}

// JoinMatches returns the SQL join for the sections that match an FTS5 query in the ranges of
// the table keys.
func JoinMatches(match string) string {
	return `
cross join section_search on section_search match ` + match + `
  and section_search.rowid between keys.first and keys.last`
}

// sample says how to sample sections: at how many evenly spaced places of their keys, and how
// many keys from each place on.
type sample struct{ places, size int64 }

// windows returns the sampled parts of ranges, and by how much to multiply what is counted in
// them. It returns the ranges themselves unless they have more than twice as many keys.
func (s sample) windows(ranges []KeyRange) (windows []KeyRange, factor float64) {
	total := lists.Sum(ranges, KeyRange.Keys)
	if total <= 2*s.places*s.size {
		return ranges, 1
	}
	for i := range s.places {
		offset, remaining := i*(total/s.places), s.size
		for _, r := range ranges {
			if offset >= r.Keys() {
				offset -= r.Keys()
				continue
			}
			w := KeyRange{r[0] + offset, min(r[0]+offset+remaining-1, r[1])}
			windows = append(windows, w)
			if offset, remaining = 0, remaining-w.Keys(); remaining == 0 {
				break
			}
		}
	}
	return windows, float64(total) / float64(lists.Sum(windows, KeyRange.Keys))
}

// countRows returns the number of sections that match each of several FTS5 queries, up to limit.
// It takes numbers from the cache if they are there.
func (s Scope) countRows(ctx context.Context, r *db.Reader, texts []string, limit int) (map[string]int, error) {
	slices.Sort(texts)
	rows := map[string]int{}
	texts = slices.DeleteFunc(slices.Compact(texts), func(text string) bool {
		n, isKept := s.frequent.find(s.totals, text)
		if isKept {
			rows[text] = min(n, limit)
		}
		return isKept
	})
	return rows, db.Fill(ctx, r, rows, `
select
  t.value,
  (select count(*) from (select 1 `+SectionsIn("?3", "t.value")+` limit ?2))
from json_each(?1) t`, db.List(texts), limit, db.List(s.countedRanges))
}

// rowSample is the sample by which rows are estimated. Among 200,000 sections, 32 places of 256
// sections and 8 places of 2,048 took longer, and their estimates were no better.
var rowSample = sample{places: 16, size: 512}

// estimateRows returns about how many sections have a common word, at least counted. Reading all
// of them takes longer than the rest of a search. It counts them in a sample from all over the
// index, because a word may be common at one time and rare at another.
func (s Scope) estimateRows(ctx context.Context, r *db.Reader, text string, counted int, at sample) (int, error) {
	ranges := s.countedRanges
	if withCode := slices.Contains(ranges, everything); withCode || slices.Contains(ranges, EveryText) {
		var err error
		if ranges, err = RangesOf(ctx, r, "", withCode); err != nil {
			return 0, err
		}
	}
	windows, factor := at.windows(ranges)
	n, _, err := db.One[int](ctx, r, `select count(*)`+SectionsIn("?2", "?1"), text, db.List(windows))
	return max(counted, int(float64(n)*factor)), err
}

// lengthSample is the sample by which estimateTotals measures the lengths of sections.
var lengthSample = sample{places: 16, size: 64}

// estimateTotals returns estimates of the totals that an index of the ranges alone would have:
// its sections and the tokens in each column; nil if there are none.
func estimateTotals(ctx context.Context, r *db.Reader, ranges []KeyRange) ([]float64, error) {
	windows, factor := lengthSample.windows(ranges)
	totals := make([]float64, 1+columns)
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		return row.Scan(&totals[0], &totals[1], &totals[2], &totals[3], &totals[4], &totals[5], &totals[6])
	}, `
select
  count(*),
  coalesce(sum(number_of(z.sz, 0)), 0),
  coalesce(sum(number_of(z.sz, 1)), 0),
  coalesce(sum(number_of(z.sz, 2)), 0),
  coalesce(sum(number_of(z.sz, 3)), 0),
  coalesce(sum(number_of(z.sz, 4)), 0),
  coalesce(sum(number_of(z.sz, 5)), 0)
from `+RangesIn("?")+` w
cross join section_search_docsize z on z.id between w.first and w.last`, db.List(windows))
	if err != nil || totals[0] == 0 {
		return nil, err
	}
	for i := range totals {
		totals[i] *= factor
	}
	return totals, nil
}

const columns = 6 // of the index: title, heading, aliases, tags, body, words

// indexTotals returns the totals that FTS5 keeps of the index: its rows, then the tokens in each
// column; nil if it is empty.
func indexTotals(ctx context.Context, r *db.Reader) ([]float64, error) {
	record, _, err := db.One[[]byte](ctx, r, `select block from section_search_data where id = 1`)
	totals, n := []float64{}, 0
	for _, b := range record { // numbers of seven bits a byte, the highest first
		n = n<<7 | int(b&0x7f)
		if b < 0x80 {
			totals, n = append(totals, float64(n)), 0
		}
	}
	if len(totals) != 1+columns {
		return nil, err
	}
	return totals, err
}
