package recall

import (
	"context"
	"strings"
	"unicode"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/memory"
)

// Rank returns the keys of at most limit current memories that words are about, the best
// first. It ranks by words and along edges as Search does, but not by vectors, and it
// corrects no spelling, because that takes as long as the rest. The words may be any text,
// such as names of files and branches: punctuation counts as spaces. Rank writes nothing, so
// it may miss texts that other programs wrote since the last search.
func (s Searcher) Rank(ctx context.Context, r *db.Reader, words string, limit int) (keys []int64, err error) {
	plain := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c) {
			return c
		}
		return ' '
	}, words)
	plain, _ = budget.Cut(strings.Join(strings.Fields(plain), " "), MaxQuery)
	q := parse(plain)
	if q.isEmpty() {
		return nil, nil
	}
	f := filter{namespace: s.Caller.Namespace, status: memory.Current, times: edges.Today(), plain: true, confined: s.Caller.Confined}
	if f.part, err = readPart(ctx, r, f, db.Keep[frequent](s.DB)); err != nil {
		return nil, err
	}
	q, all, _, err := lookUp(ctx, r, q, "keyword", f)
	if err != nil || q.match() == "" {
		return nil, err
	}
	along := true
	ranked, _, err := rank(ctx, r, q, all, nil, f, SearchArgs{Query: plain, Mode: "keyword", Graph: &along, Limit: limit}, limit)
	if err != nil {
		return nil, err
	}
	err = putProjectFirst(ctx, r, s.Caller, ranked)
	return keysOf(ranked[:min(limit, len(ranked))]), err
}
