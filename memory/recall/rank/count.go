package rank

import (
	"context"
	"slices"
	"strconv"

	"hence/internal/db"
	"hence/memory"
	"hence/memory/recall/question"
)

// Total is the number of memories that match a question, or a lower bound if it is not exact.
type Total struct {
	Count int
	Exact bool
}

const (
	// alwaysCounted is how many memories are counted for every question. It is limited because
	// finding the memory of a section takes longer than finding the section.
	alwaysCounted = 1000
	// fewRows is the most sections with the words of a question for which all matching
	// memories are counted.
	fewRows = 10_000
	// enoughCounted is the least number of candidates that is used as the lower bound without
	// counting more.
	enoughCounted = alwaysCounted * 9 / 10
)

// countAll returns how many memories match: those that have any of the words, of which the pool
// may hold only the best, plus the results that were found by meaning or along an edge.
func countAll(ctx context.Context, r *db.Reader, q question.Question, f question.Filter, byWords Total, results []*Candidate) (Total, error) {
	notByWords := []int64{}
	for _, c := range results {
		if c.KeywordRank == 0 {
			notByWords = append(notByWords, c.Memory)
		}
	}
	limit := alwaysCounted
	if question.CountRows(q.Rarest) <= fewRows {
		limit = fewRows
	}
	disjoint := len(notByWords) == 0 || byWords.Count <= depth // else some may also match by words, beyond the pool
	if disjoint && byWords.Exact {
		return Total{byWords.Count + len(notByWords), !q.IsLong()}, nil
	}
	if limit == alwaysCounted && byWords.Count >= enoughCounted {
		return Total{byWords.Count, false}, nil
	}
	match, _ := question.AnyOf(q.Rarest)
	if limit == fewRows && f.Namespace == "" && f.Status == memory.Current && f.PassesAll() {
		matching, err := countOpen(ctx, r, match, f, notByWords)
		return Total{matching + len(notByWords), !q.IsLong()}, err
	}
	matching, err := countUpTo(ctx, r, match, f, limit, notByWords, f.Scope.Ranges)
	return Total{matching.Count + len(notByWords), matching.Exact && !q.IsLong()}, err
}

// CountCode returns how much source code passes a filter and has a term of a question.
func CountCode(ctx context.Context, r *db.Reader, q question.Question, f question.Filter) (Total, error) {
	match, _ := question.AnyOf(q.Terms)
	return countUpTo(ctx, r, match, f, alwaysCounted, nil, f.Scope.OfCode())
}

// countUpTo counts up to limit memories that pass a filter and match an FTS5 query, except others.
// It reads each memory once.
func countUpTo(ctx context.Context, r *db.Reader, match string, f question.Filter, limit int, others []int64, ranges []question.KeyRange) (Total, error) {
	n, _, err := db.One[int](ctx, r, countMatching, f.Bind(match, db.List(others), limit+1, db.List(ranges))...)
	return Total{min(n, limit), n <= limit}, err
}

// countMatching counts up to ?11 memories that pass the filter and match the FTS5 query ?1, except
// the memories ?10, in the ranges ?12.
var countMatching = `
select count(*)
from (
  select 1
  from (
    select distinct s.memory as key
` + question.SectionsIn("?12", "?1") + `
    cross join sections s on s.key = section_search.rowid
  ) h
  cross join memories m on m.key = h.key
  where m.key not in (select value from json_each(?10))
    and ` + question.Passes + `
  limit ?11
)`

// countOpen returns the number of current memories in all namespaces that match an FTS5 query,
// except others. It reads no row of a memory, unless some are over.
func countOpen(ctx context.Context, r *db.Reader, match string, f question.Filter, others []int64) (int, error) {
	keys, err := db.Keys(ctx, r, selectOpen, match, f.Times.Over)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, other := range others {
		if index, ok := slices.BinarySearch(keys, other); ok {
			keys = slices.Delete(keys, index, index+1)
		}
	}
	return len(keys), err
}

// selectOpen packs the key of the memory of each section that matches the FTS5 query ?1, if the
// memory is current and not over at the time ?2.
var selectOpen = `
select pack(s.memory)
from section_search
cross join sections s on s.key = section_search.rowid
where section_search match ?1
  and section_search.rowid >= ` + strconv.Itoa(question.FirstOfText) + `
  and (
    not exists (select 1 from memory_counts where status <> 'current' and number > 0)
    or not exists (
      select 1
      from memories gone indexed by memories_gone
      where gone.key = s.memory
        and gone.status <> 'current'
    )
  )
  and (
    not exists (
      select 1
      from memories over indexed by memories_ending
      where over.valid_to <= ?2
    )
    or (select coalesce(m.valid_to, '~') > ?2 from memories m where m.key = s.memory)
  )`
