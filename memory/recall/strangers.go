package recall

import (
	"cmp"
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// belowEquals is the share of its score that a stranger's text keeps, so that what persons
// and agents say ranks before it unless it answers the question half as well. Titles count
// by the same share. Where all results are of strangers nothing changes.
const belowEquals = 0.5

// markStrangers marks the candidates whose text is a stranger's: see the view trusts.
func (p *pool) markStrangers(ctx context.Context, r *db.Reader) error {
	keys := []int64{}
	for _, c := range p.all {
		if c.passes {
			keys = append(keys, c.memory)
		}
	}
	trust, err := ref.Trust(ctx, r, keys)
	for key := range trust {
		p.at[key].stranger = true
	}
	return err
}

// putStrangersBehind ranks candidates that were ranked by meaning alone.
func putStrangersBehind(ctx context.Context, r *db.Reader, ranked []*candidate) error {
	trust, err := ref.Trust(ctx, r, edges.Keys(ranked, func(c *candidate) int64 { return c.memory }))
	if err != nil || len(trust) == 0 {
		return err
	}
	for _, c := range ranked {
		if trust[c.memory] != "" && c.score > 0 {
			c.score *= belowEquals
		}
	}
	slices.SortStableFunc(ranked, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return nil
}
