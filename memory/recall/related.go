package recall

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/answer"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
	"hence/memory/recall/vectors"
)

// RelatedArgs name the memory whose similar memories are wanted.
type RelatedArgs struct {
	ID           string `json:"id" jsonschema:"id, path or title"`
	Limit        int    `json:"limit,omitempty" default:"10" min:"1" max:"50"`
	Files        *bool  `json:"files,omitempty" default:"true"`
	AsOf         string `json:"as_of,omitempty"`
	KnownAt      string `json:"known_at,omitempty"`
	IncludeEnded bool   `json:"include_ended,omitempty"`
	TokenBudget  int    `json:"token_budget,omitempty" min:"64"`
}

// Related is a memory similar to another.
type Related struct {
	answer.Found
	Linked []edges.Kind `json:"linked,omitempty" jsonschema:"types of the edges there are already"`
}

// RelatedResult is the memories similar to one, those without an edge to it first.
type RelatedResult struct {
	ref.Named
	TotalCount    int       `json:"total_count"`
	TotalIsExact  bool      `json:"total_is_exact" jsonschema:"false: at least"`
	ReturnedCount int       `json:"returned_count"`
	Truncated     bool      `json:"truncated"`
	Next          string    `json:"next,omitempty"`
	Results       []Related `json:"results"`
}

const (
	tellingWords = 16   // the rarest words of a memory, which represent it
	maxSimilar   = 1000 // memories that are compared with one
)

// FindRelated returns the memories that are similar to one: by the mean of the vectors of its
// sections, and by its rarest words. Memories without an edge to it come first, files without text
// last.
func (s Searcher) FindRelated(ctx context.Context, a RelatedArgs) (result RelatedResult, err error) {
	if err := args.Check("related", &a); err != nil {
		return result, err
	}
	times, err := edges.ParseTimes(a.AsOf, a.KnownAt, a.IncludeEnded)
	if err != nil {
		return result, err
	}
	model, err := vectors.ModelInForce(ctx, s.DB)
	if err == nil && model != nil {
		err = vectors.Store(s).EmbedBefore(ctx, *model, s.Caller.Namespace)
	}
	if err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		m, err := s.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		linked := map[int64][]edges.Kind{} // by the key of the other end
		err = db.Each(ctx, r, func(row *sql.Rows) error {
			var other int64
			var kind edges.Kind
			err := row.Scan(&other, &kind)
			linked[other] = append(linked[other], kind)
			return err
		}, selectLinked, m.Key, times.Bind())
		if err != nil {
			return err
		}
		near, matching, err := s.similarTo(ctx, r, m, times, *a.Files)
		if err != nil {
			return err
		}
		placeOf := func(c *rank.Candidate) (places int) {
			if isFile(c) {
				places += 2
			}
			return places + min(1, len(linked[c.Memory]))
		}
		slices.SortStableFunc(near, func(a, b *rank.Candidate) int { return cmp.Compare(placeOf(a), placeOf(b)) })
		result = RelatedResult{Named: m.Named, TotalCount: matching.Count, TotalIsExact: matching.Exact, Results: []Related{}}
		if result.Truncated = len(near) > a.Limit; result.Truncated {
			near, result.Next = near[:a.Limit], "limit"
		}
		results, err := answer.Describe(ctx, r, nil, "", near, "summary", times)
		if err != nil {
			return err
		}
		for i, found := range results {
			result.Results = append(result.Results, Related{found, linked[near[i].Memory]})
		}
		result, err = budget.Hold(ref.In(ctx, r), "related", a.TokenBudget, len(results), result.shorten)
		return err
	})
	return result, err
}

// shorten returns the first n results, each text cut to a number of bytes.
func (r RelatedResult) shorten(n, bytes int) RelatedResult {
	short := r
	short.Results, short.ReturnedCount = []Related{}, n
	if bytes < budget.Whole {
		short.Title, _ = budget.Cut(r.Title, bytes)
	}
	for _, related := range r.Results[:n] {
		related.Found, _ = related.Shorten(bytes)
		short.Results = append(short.Results, related)
	}
	if n < len(r.Results) || bytes < budget.Whole {
		short.Truncated, short.Next = true, budget.Next
	}
	return short
}

// isFile reports whether a candidate is a file without text.
func isFile(c *rank.Candidate) bool { return c.IsLast && c.Kind != "code" }

// similarTo returns the memories that are similar to m, the most similar first, without m, and how many
// there are: those that have one of its rare words, or are as near in meaning as what answers a question.
func (s Searcher) similarTo(ctx context.Context, r *db.Reader, m ref.Memory, times edges.Times, files bool) (similar []*rank.Candidate, matching rank.Total, err error) {
	f := question.Filter{Namespace: m.Namespace, Status: memory.Current, Times: times, Confined: s.Caller.Confined}
	if strings.HasPrefix(m.URI, "code://") { // compare a symbol of source code with symbols only
		f.Kinds = []string{"code"}
	}
	if f.Scope, err = question.ReadScope(ctx, r, f, nil); err != nil {
		return nil, matching, err
	}
	var near, sharing []*rank.Candidate
	mean, err := meanVector(ctx, r, m.Key)
	if err == nil && mean != nil {
		near, err = rank.Nearest(ctx, r, mean, f, mean.Least, maxSimilar)
	}
	if err != nil {
		return nil, matching, err
	}
	terms, err := rareTerms(ctx, r, m.Key, f)
	if err == nil && len(terms) > 0 {
		sharing, err = rank.Sharing(ctx, r, terms, f, maxSimilar)
	}
	matching.Exact = len(near) < maxSimilar && len(sharing) < maxSimilar
	isLeftOut := func(c *rank.Candidate) bool { return c.Memory == m.Key || !files && isFile(c) }
	similar = rank.Fuse(slices.DeleteFunc(near, isLeftOut), slices.DeleteFunc(sharing, isLeftOut))
	matching.Count = len(similar)
	return similar, matching, err
}

// meanVector returns the mean of the vectors of a memory's sections; nil if there are none.
func meanVector(ctx context.Context, r *db.Reader, key int64) (*vectors.Question, error) {
	m, err := vectors.ModelInForce(ctx, r)
	if err != nil || m == nil {
		return nil, err
	}
	stored, err := db.Select(ctx, r, db.Value[[]byte], `
select
  v.vector
from sections s
join vectors v on v.section = s.key
where s.memory = ?1
  and length(v.vector) = ?2
order by s.ordinal`, key, m.Dimensions)
	mean := vectors.Mean(stored)
	if err != nil || mean == nil {
		return nil, err
	}
	return m.Asking(mean, ""), nil
}

// rareTerms returns the rarest words of a memory that others have too.
func rareTerms(ctx context.Context, r *db.Reader, key int64, f question.Filter) ([]*question.Term, error) {
	text, _, err := db.One[string](ctx, r, `select title || ' ' || content from memories where key = ?`, key)
	if err != nil {
		return nil, err
	}
	q := question.OfText(text)
	err = q.Read(ctx, r, f.Scope)
	terms := slices.DeleteFunc(q.Rarest, func(t *question.Term) bool { return t.Rows < 2 }) // only the memory itself
	return terms[:min(len(terms), tellingWords)], err
}

var selectLinked = "select distinct other, kind from (" + edges.BothWays(`
  select
    {to_key|from_key} as other,
    kind
  from edges e
  where {from_key|to_key} = ?1
    and kind <> 'mentions'
    and `+edges.Holds("e", "?2")) + ") order by other, kind"
