// Package rank finds the memories that a question is about and puts them in order: words, names,
// meaning and edges propose candidates, and the features (features.go) score them.
package rank

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strconv"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/question"
	"hence/memory/recall/vectors"
)

// Asked is what is to be ranked.
type Asked struct {
	Text     string            // of the question, as it was asked
	Question question.Question // looked up
	Filter   question.Filter
	Caller   ref.Caller
	Limit    int  // more candidates are returned if there are more
	Edges    bool // rank by edges too

	// Meaning returns the question's vector, nil if there is none. It is asked only where words do not answer the
	// question, because a model may be far away. nil: rank by words alone.
	Meaning func(context.Context) (*vectors.Question, error)
}

// Rank returns the candidates of a question, the best first, and how many memories match.
func Rank(ctx context.Context, r *db.Reader, a Asked) ([]*Candidate, Total, error) {
	p := newPool(a)
	matching, err := p.collect(ctx, r)
	if err != nil || len(p.all) == 0 && p.Meaning == nil {
		return nil, matching, err
	}
	if err := p.readWords(ctx, r); err != nil {
		return nil, matching, err
	}
	for id, f := range features {
		if f.when == nil || f.when(p) {
			if err := f.apply(ctx, r, p, change{featureID(id), f.share}); err != nil {
				return nil, matching, err
			}
		}
	}
	results := p.results()
	slices.SortFunc(results, bestFirst)
	putProjectFirst(results)
	if a.Filter.Plain {
		return results, matching, nil
	}
	matching, err = countAll(ctx, r, a.Question, a.Filter, matching, results)
	return results, matching, err
}

// bestFirst compares candidates by their score, the best first.
func bestFirst(a, b *Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.place, b.place), cmp.Compare(a.ID, b.ID))
}

// collect adds the candidates: by words, by name and along edges. It returns how many memories match
// by words.
func (p *pool) collect(ctx context.Context, r *db.Reader) (matching Total, err error) {
	matching.Exact = true
	if len(p.Question.Rarest) > 0 {
		var found []*Candidate
		if found, matching, err = p.propose(ctx, r); err != nil {
			return matching, err
		}
		for _, c := range found {
			p.add(c)
		}
	}
	if err := p.addNamed(ctx, r); err != nil {
		return matching, err
	}
	if len(p.all) == 0 {
		return matching, nil
	}
	if p.peopleSpeak, err = peopleSpeak(ctx, r, p.Filter.Namespace); err == nil && p.Edges {
		err = p.addAlongEdges(ctx, r)
	}
	return matching, err
}

// Listed is the place of a memory in a list by time.
type Listed struct {
	Group int
	At    string // when it was changed
	Key   int64
}

// Latest returns the memories that pass the filter of a question, and their number: first
// those whose title is the question's text, then those of the caller's project, the last changed
// first. It starts behind the place after.
func Latest(ctx context.Context, r *db.Reader, a Asked, after Listed) (all []*Candidate, matching Total, err error) {
	namesakes, err := findNamesakes(ctx, r, a)
	if err != nil {
		return nil, Total{}, err
	}
	names := map[int64]int{}
	for _, c := range namesakes {
		names[c.Memory] = c.Name
	}
	matching.Exact = true
	all, err = db.Select(ctx, r, func(row *sql.Rows) (*Candidate, error) {
		c := &Candidate{}
		err := row.Scan(append(c.fields(), &c.Listed.Group, &c.Listed.At, &matching.Count)...)
		c.Name, c.Listed.Key = names[c.Memory], c.Memory
		return c, err
	}, selectByTime, a.Filter.Bind("", a.Limit, after.Key != 0, after.Group, after.At, after.Key, a.Caller.Own(), db.List(Keys(namesakes)))...)
	if err == nil {
		err = readTrust(ctx, r, all)
	}
	return all, matching, err
}

// selectByTime lists the memories that pass the filter or are among ?16. It sorts by group
// (those of ?16, those of the project ?15, the others), then the last changed first. It starts
// after the cursor ?12 to ?14 unless ?11 is 0.
var selectByTime = `
select *
from (
  select` + candidateOf(question.FirstSection, "0.0", "true") + `,
    iif(` + isNamed + `, -1, 3 * ` + sortsLast + ` + ` + ref.Nearness("?15") + `) as place,
    m.updated_at as changed,
    count(*) over () as total
  from memories m
  where ?1 = ''
    and (` + isNamed + ` or ` + question.Passes + `)
)
where ?11 = 0
  or place > ?12
  or place = ?12 and (changed < ?13 or changed = ?13 and id > coalesce((select l.id from memories l where l.key = ?14), ''))
order by place, changed desc, id
limit ?10`

const isNamed = `m.key in (select value from json_each(?16))`

// readProjects sets how near each candidate is to the caller's project.
func readProjects(ctx context.Context, r *db.Reader, c ref.Caller, candidates []*Candidate) error {
	if c.Project == "" || len(candidates) == 0 {
		return nil
	}
	nearness := map[int64]int{}
	err := db.Fill(ctx, r, nearness, `
select
  m.key,
  `+ref.Nearness("?2")+`
from json_each(?1) k
cross join memories m on m.key = k.value`, db.List(Keys(candidates)), c.Own())
	for _, one := range candidates {
		one.nearness = nearness[one.Memory]
		one.OfProject = one.nearness == ref.OfProject
	}
	return err
}

// putProjectFirst moves memories of the caller's project before other memories that are equally
// good, and memories of other projects after them. Memories are equally good if the ratios of
// the best score to theirs are between the same powers of two. So hundreds of memories of
// the project that have one common word of the question do not hide the note that answers it.
// Otherwise the order stays. Nothing is filtered.
func putProjectFirst(ranked []*Candidate) {
	if !slices.ContainsFunc(ranked, func(c *Candidate) bool { return c.nearness != 0 }) {
		return
	}
	best := 0.0
	for _, one := range ranked {
		best = max(best, one.Score)
	}
	group := func(one *Candidate) float64 {
		if one.Score <= 0 {
			return math.Inf(1)
		}
		return math.Floor(math.Log2(best / one.Score))
	}
	slices.SortStableFunc(ranked, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(a.nearness, b.nearness))
	})
}

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

// CountCode returns how much source code passes a filter and has a term of a question, if that has terms.
func CountCode(ctx context.Context, r *db.Reader, q question.Question, f question.Filter) (Total, error) {
	match, _ := question.AnyOf(q.Terms)
	if match == "" {
		n, _, err := db.One[int](ctx, r, `select count(*) from memories m where ?1 = '' and `+question.Passes, f.Bind("")...)
		return Total{n, true}, err
	}
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
