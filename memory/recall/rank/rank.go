// Package rank finds the memories that a question is about and puts them in order: words, names,
// meaning and edges propose candidates, and the features (features.go) score them.
package rank

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
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

// ByMeaning returns at most a.Limit+1 memories whose sections are nearest to a question, with
// the cosine as their score, and the number of matches. Since every memory with a vector is
// more or less near, it counts all memories with a vector.
func ByMeaning(ctx context.Context, r *db.Reader, a Asked, q *vectors.Question) ([]*Candidate, Total, error) {
	near, err := Nearest(ctx, r, q, a.Filter, a.Limit+1)
	if err != nil {
		return nil, Total{}, err
	}
	if err := readTrust(ctx, r, near); err != nil {
		return nil, Total{}, err
	}
	putStrangersBehind(near)
	if err := readProjects(ctx, r, a.Caller, near); err != nil {
		return nil, Total{}, err
	}
	putProjectFirst(near)
	if len(near) <= a.Limit {
		return near, Total{len(near), true}, nil
	}
	n, err := countNear(ctx, r, a.Filter, q)
	return near, Total{min(n, alwaysCounted), n <= alwaysCounted}, err
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
