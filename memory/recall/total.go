package recall

import (
	"context"
	"slices"
	"strconv"

	"hence/internal/db"
	"hence/memory"
)

// total is how many memories match a question, or a lower bound.
type total struct {
	count int
	exact bool
}

const (
	// counted is how many memories are counted whatever the question: finding the
	// memory of a section takes longer than finding the section.
	counted = 1000
	// fewRows is how many sections may have the words of a question so that all
	// matching memories are counted.
	fewRows = 10_000
	// mostCounted is how many of the memories that were read must pass to be the lower
	// bound by themselves.
	mostCounted = counted * 9 / 10
)

// countAll returns how many memories match: those that have any of the words, of
// which the pool may hold only the best, and the results by meaning or by an edge.
func countAll(ctx context.Context, r *db.Reader, all []term, f filter, byWords total, results []*candidate) (total, error) {
	others := []int64{}
	for _, c := range results {
		if c.keywordRank == 0 {
			others = append(others, c.memory)
		}
	}
	rows, most := 0, counted // rows: about the most sections that match, as far as their words were counted
	for _, t := range all {
		rows += t.rows
	}
	if rows <= fewRows {
		most = fewRows
	}
	disjoint := len(others) == 0 || byWords.count <= depth // the pool holds all that match by words
	if disjoint && byWords.exact {
		return total{byWords.count + len(others), len(all) < maxWords}, nil
	}
	if most == counted && byWords.count >= mostCounted {
		return total{byWords.count, false}, nil
	}
	match, _ := textsOf(all)
	if most == fewRows && f.namespace == "" && f.status == memory.Current && f.passesAll() {
		matching, err := countOpen(ctx, r, match, f, others)
		return total{matching + len(others), len(all) < maxWords}, err
	}
	matching, _, err := db.One[int](ctx, r, countMatching, f.bind(match, db.List(others), most+1, giveRanges(f.part.ranges))...)
	if err != nil {
		return total{}, err
	}
	return total{min(matching, most) + len(others), matching <= most && len(all) < maxWords}, nil
}

// countMatching counts up to ?11 memories that pass and have any of the words ?1,
// except the memories ?10. Each memory is read once.
var countMatching = `
select count(*)
from (
  select 1
  from (
    select distinct s.memory as key
` + sectionsIn("?12", "?1") + `
    cross join sections s on s.key = section_search.rowid
  ) h
  cross join memories m on m.key = h.key
  where m.key not in (select value from json_each(?10))
    and ` + passes + `
  limit ?11
)`

// passesAll reports whether all memories of the namespace and status pass, but those that
// are over.
func (f filter) passesAll() bool {
	return len(f.kinds)+len(f.tags)+len(f.paths)+len(f.properties) == 0 && f.unwanted == "" &&
		!f.times.IsAsked() && f.times.Since == "" && f.times.Until == ""
}

// countOpen counts the memories that pass an open filter and have any of the words that
// match, except others. It reads no memory, unless some are over.
func countOpen(ctx context.Context, r *db.Reader, match string, f filter, others []int64) (int, error) {
	packed, _, err := db.One[[]byte](ctx, r, selectOpen, match, f.times.Over)
	keys := make([]int64, 0, db.Packed(packed).Len(1))
	for row := range db.Packed(packed).Rows(1) {
		keys = append(keys, row[0])
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, other := range others {
		if at, ok := slices.BinarySearch(keys, other); ok {
			keys = slices.Delete(keys, at, at+1)
		}
	}
	return len(keys), err
}

// selectOpen packs the current memory of each section that matches.
var selectOpen = `
select pack(s.memory)
from section_search
cross join sections s on s.key = section_search.rowid
where section_search match ?1
  and section_search.rowid >= ` + strconv.Itoa(firstOfText) + `
  and not exists (
    select 1
    from memories gone indexed by memories_gone
    where gone.key = s.memory
      and gone.status <> 'current'
  )
  and (
    not exists (
      select 1
      from memories over indexed by memories_ending
      where over.valid_to <= ?2
    )
    or (select coalesce(m.valid_to, '~') > ?2 from memories m where m.key = s.memory)
  )`
