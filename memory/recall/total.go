package recall

import (
	"context"

	"hence/internal/db"
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
	most := counted
	if f.namespace == "" && rowsOf(all) <= fewRows {
		most = fewRows
	}
	disjoint := len(others) == 0 || byWords.count <= depth // the pool holds all that match by words
	if disjoint && byWords.exact && (f.namespace == "" || byWords.count <= counted) {
		return total{byWords.count + len(others), len(all) < maxWords}, nil
	}
	if f.namespace == "" && most == counted && byWords.count >= mostCounted {
		return total{byWords.count, false}, nil
	}
	match, _ := textsOf(all)
	matching, _, err := db.One[int](ctx, r, countMatching, f.bind(match, db.List(others), most+1)...)
	if err != nil {
		return total{}, err
	}
	return total{min(matching, most) + len(others), matching <= most && len(all) < maxWords}, nil
}

// rowsOf returns an upper bound of the sections that match a question, as far as their
// words were counted: about.
func rowsOf(all []term) (rows int) {
	for _, t := range all {
		rows += t.rows
	}
	return rows
}

// countMatching counts up to ?11 memories that pass and have any of the words ?1,
// except the memories ?10. Each memory is read once.
var countMatching = `
select count(*)
from (
  select 1
  from (
    select distinct s.memory as key
    from section_search
    cross join sections s on s.key = section_search.rowid
    where section_search match ?1
  ) h
  cross join memories m on m.key = h.key
  where m.key not in (select value from json_each(?10))
    and ` + passes + `
  limit ?11
)`
