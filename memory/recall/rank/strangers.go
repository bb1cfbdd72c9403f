package rank

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
)

// strangerShare is the share of its score that a stranger's text keeps, so that a text of a
// person or an agent ranks before it unless that scores less than half as much. The gain for
// a matching title is lowered too. If all results are strangers' texts, the order stays.
const strangerShare = 0.5

// readTrust sets the trust of candidates, which ref.Trust returns.
func readTrust(ctx context.Context, r *db.Reader, candidates []*Candidate) error {
	trust, err := ref.Trust(ctx, r, KeysOf(candidates))
	for _, c := range candidates {
		c.Trust = trust[c.Memory]
	}
	return err
}

// putStrangersBehind lowers the scores of strangers' texts among candidates that are ranked by
// meaning alone, and sorts by score. If there are none, it keeps the order, in which files
// without text come last however near they are.
func putStrangersBehind(ranked []*Candidate) {
	if !slices.ContainsFunc(ranked, func(c *Candidate) bool { return c.Trust != "" }) {
		return
	}
	for _, c := range ranked {
		if c.Trust != "" && c.Score > 0 {
			c.Score *= strangerShare
		}
	}
	slices.SortStableFunc(ranked, func(a, b *Candidate) int { return cmp.Compare(b.Score, a.Score) })
}
