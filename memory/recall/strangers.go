package recall

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
)

// belowEquals is the share of its score that a stranger's text keeps, so that what persons
// and agents say ranks before it unless it answers the question half as well. Titles count
// by the same share. Where all results are of strangers nothing changes.
const belowEquals = 0.5

// readTrust reads how far some candidates are trusted: see the view trusts.
func readTrust(ctx context.Context, r *db.Reader, some []*candidate) error {
	trust, err := ref.Trust(ctx, r, keysOf(some))
	for _, c := range some {
		c.trust = trust[c.memory]
	}
	return err
}

// putStrangersBehind ranks candidates that were ranked by meaning alone. Without strangers
// they stay as they are: files without text come last there, however near they are.
func putStrangersBehind(ranked []*candidate) {
	if !slices.ContainsFunc(ranked, func(c *candidate) bool { return c.trust != "" }) {
		return
	}
	for _, c := range ranked {
		if c.trust != "" && c.score > 0 {
			c.score *= belowEquals
		}
	}
	slices.SortStableFunc(ranked, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
}
