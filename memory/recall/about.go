package recall

import (
	"context"
	"strings"
	"unicode"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/prose"
	"hence/memory"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
)

// About returns the keys of at most limit current memories that words are about, the best
// first. It ranks by words and along edges as Search does, but not by vectors, and it
// corrects no spelling, because that takes as long as the rest. The words may be any text,
// such as names of files and branches: punctuation counts as spaces. About writes nothing, so
// it may miss texts that other programs wrote since the last search.
func (s Searcher) About(ctx context.Context, r *db.Reader, words string, limit int) (keys []int64, err error) {
	plain := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c) {
			return c
		}
		return ' '
	}, words)
	plain, _ = budget.Cut(prose.OneLine(plain), MaxQuery)
	q := question.Parse(plain)
	if q.IsEmpty() {
		return nil, nil
	}
	f := question.Filter{Namespace: s.Caller.Namespace, Status: memory.Current, Times: edges.Today(), Plain: true, Confined: s.Caller.Confined}
	if f.Scope, err = question.ReadScope(ctx, r, f, db.Keep[question.Frequent](s.DB)); err != nil {
		return nil, err
	}
	q, _, err = q.LookUp(ctx, r, "keyword", f)
	if err != nil || len(q.Terms) == 0 {
		return nil, err
	}
	ranked, _, err := rank.Rank(ctx, r, rank.Asked{Text: plain, Question: q, Filter: f, Caller: s.Caller, Limit: limit, Edges: true})
	return rank.Keys(ranked[:min(limit, len(ranked))]), err
}
