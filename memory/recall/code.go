package recall

import (
	"context"
	"fmt"

	"hence/internal/db"
	"hence/memory/recall/answer"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
)

// codeRows is how many symbols are shown below other results.
const codeRows = 3

// codeBelow returns the source code to show below what a question finds that does not ask for
// kinds: as much as the limit allows if no words of other memories match, a few rows if the
// question names code. Otherwise, and if there is more code, a note says how much.
func (s Searcher) codeBelow(ctx context.Context, r *db.Reader, q question.Question, a inquiry, found finding) (rows []answer.Found, notes []string, err error) {
	if len(found.f.Kinds) > 0 || a.Mode == "semantic" || a.start.count() > 0 || q.IsEmpty() {
		return nil, nil, nil
	}
	hasCode, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from memory_counts
  where origin = 'code'
    and kind = 'code'
    and number > 0
    and ?1 in ('', namespace)
)`, found.f.Namespace)
	if err != nil || !hasCode {
		return nil, nil, err
	}
	names, err := q.NamesCode(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	ofCode := a
	ofCode.Kinds, ofCode.model, ofCode.vector, ofCode.asksMeaning = []string{"code"}, nil, nil, false
	switch {
	case !found.byWords:
		ofCode.Limit = max(a.Limit-len(found.results), min(codeRows, a.Limit))
	case names && a.Limit > 1:
		ofCode.Limit = min(codeRows, a.Limit/2)
	default:
		more, err := s.countCode(ctx, r, q, ofCode.Args)
		return nil, moreInCode(more), err
	}
	code, err := s.find(ctx, r, q, ofCode)
	code.matching.Count -= len(code.results)
	return code.results, moreInCode(code.matching), err
}

// countCode returns how much source code passes the filters of a question and has a word of it.
func (s Searcher) countCode(ctx context.Context, r *db.Reader, q question.Question, a question.Args) (rank.Total, error) {
	f, err := question.NewFilter(s.Caller, q, a)
	if err != nil {
		return rank.Total{}, err
	}
	if f.Scope, err = question.ReadScope(ctx, r, f, nil); err != nil {
		return rank.Total{}, err
	}
	if len(q.Terms) == 0 {
		_, matching, err := rank.Latest(ctx, r, rank.Asked{Question: q, Filter: f, Limit: 1}, rank.Listed{})
		return matching, err
	}
	return rank.CountCode(ctx, r, q, f)
}

// moreInCode says how much source code a search leaves out, and how to find it.
func moreInCode(more rank.Total) []string {
	switch {
	case more.Count == 0:
		return nil
	case !more.Exact:
		return []string{fmt.Sprintf(`at least %d more in code: kinds: ["code"]`, more.Count)}
	}
	return []string{fmt.Sprintf(`%d more in code: kinds: ["code"]`, more.Count)}
}
