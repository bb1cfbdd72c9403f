package rank

import (
	"cmp"
	"context"
	"math"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
)

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
