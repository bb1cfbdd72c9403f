// Package rank finds the memories that a question is about and puts them in order.
package rank

import (
	"context"

	"hence/internal/db"
	"hence/memory/recall/question"
	"hence/memory/recall/vectors"
)

// Rank returns the candidates of a question, the best first, and how many memories match. It
// returns more than limit candidates if there are more.
func Rank(ctx context.Context, r *db.Reader, q question.Query, terms []question.Term, vector *vectors.Question, f question.Filter, a question.Args, limit int) ([]*Candidate, Total, error) {
	if a.Mode == "semantic" && vector != nil {
		return rankByMeaning(ctx, r, vector, f, limit+1)
	}
	pool, matching := newPool(f.Part, cluesOf(terms)), Total{Exact: true}
	if len(terms) > 0 {
		maxLenders := 0
		if *a.Graph {
			maxLenders = depth
		}
		hits, count, err := propose(ctx, r, terms, f, limit, maxLenders)
		if err != nil {
			return nil, Total{}, err
		}
		matching = count
		for i, h := range hits {
			if c := pool.add(h); h.passes {
				c.KeywordRank = i + 1
			}
		}
	}
	if err := pool.addNamed(ctx, r, q, terms, f); err != nil {
		return nil, Total{}, err
	}
	if vector != nil {
		near, err := Nearest(ctx, r, vector, f, maxNearest)
		if err != nil {
			return nil, Total{}, err
		}
		pool.fuse(near)
	}
	pool.periods = f.Periods
	if len(pool.all) == 0 {
		return nil, matching, nil
	}
	var err error
	if pool.peopleSpeak, err = peopleSpeak(ctx, r, f.Namespace); err != nil {
		return nil, Total{}, err
	}
	if *a.Graph {
		err = spread(ctx, r, pool, f)
	} else {
		err = pool.scoreCandidates(ctx, r)
	}
	if err != nil {
		return nil, Total{}, err
	}
	if err := pool.emphasize(ctx, r, a.Query, limit); err != nil {
		return nil, Total{}, err
	}
	for _, mark := range []func(context.Context, *db.Reader, question.Filter) error{pool.markLast, pool.markTurns} {
		if err := mark(ctx, r, f); err != nil {
			return nil, Total{}, err
		}
	}
	if err := readTrust(ctx, r, pool.passers()); err != nil {
		return nil, Total{}, err
	}
	results := pool.rank()
	if f.Plain {
		return results, matching, nil
	}
	matching, err = countAll(ctx, r, terms, f, matching, results)
	return results, matching, err
}
