package walk

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/db"
)

// seed is where a walk starts.
type seed struct {
	key int64
	id  string
}

// reached is a memory that a breadth-first walk has come to.
type reached struct {
	key    int64
	id     string
	hop    int
	seed   seed
	via    step     // the last step, of the way that comes first in order
	parent *reached // where that step came from; nil for a seed
}

// before orders what a walk reaches, and decides which way to one memory is
// told: the nearest hop, then the seed, the type of edge, out before in, the
// memory itself; last the step's origin and word, so that no order of
// insertion shows.
func (a *reached) before(b *reached) int {
	return cmp.Or(
		cmp.Compare(a.hop, b.hop),
		cmp.Compare(a.seed.id, b.seed.id),
		cmp.Compare(a.via.kind, b.via.kind),
		compareOut(a.via.out, b.via.out),
		cmp.Compare(a.id, b.id),
		cmp.Compare(a.parent.id, b.parent.id),
		cmp.Compare(a.via.rel, b.via.rel),
	)
}

func compareOut(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// breadthFirst walks from the seeds, level by level, and returns what it
// reaches in order. A memory found while a level is read is not expanded in
// that level. After each level it asks whether to go on, and through which of
// the level's memories.
func breadthFirst(
	ctx context.Context, r *db.Reader, seeds []seed, hops int, w rules,
	onward func(level []*reached) (through []*reached, more bool, err error),
) ([]*reached, error) {
	seen := map[int64]bool{}
	frontier := []*reached{}
	for _, s := range seeds {
		if !seen[s.key] {
			seen[s.key] = true
			frontier = append(frontier, &reached{key: s.key, id: s.id, seed: s})
		}
	}
	all := []*reached{}
	for hop := 1; hop <= hops && len(frontier) > 0; hop++ {
		level, err := nextLevel(ctx, r, frontier, hop, seen, w)
		if err != nil {
			return nil, err
		}
		all = append(all, level...)
		through, more, err := onward(level)
		if err != nil || !more {
			return all, err
		}
		frontier = through
	}
	return all, nil
}

// nearest walks from one memory until there are limit others, and reports
// whether there are more within so many hops.
func nearest(ctx context.Context, r *db.Reader, s seed, hops, limit int, w rules) (all []*reached, more bool, err error) {
	count := 0
	all, err = breadthFirst(ctx, r, []seed{s}, hops, w, func(level []*reached) ([]*reached, bool, error) {
		count += len(level)
		return level, count <= limit, nil
	})
	if len(all) > limit {
		return all[:limit], true, err
	}
	return all, false, err
}

// nextLevel returns what is one step beyond the frontier and was not seen
// before, in order, and marks it as seen.
func nextLevel(ctx context.Context, r *db.Reader, frontier []*reached, hop int, seen map[int64]bool, w rules) ([]*reached, error) {
	parents := make(map[int64]*reached, len(frontier))
	for _, f := range frontier {
		parents[f.key] = f
	}
	steps, err := neighbours(ctx, r, keysOf(frontier), w)
	if err != nil {
		return nil, err
	}
	best := map[int64]*reached{}
	for _, s := range steps {
		if seen[s.to] {
			continue
		}
		parent := parents[s.from]
		found := &reached{key: s.to, id: s.toID, hop: hop, seed: parent.seed, via: s, parent: parent}
		if known := best[s.to]; known == nil || found.before(known) < 0 {
			best[s.to] = found
		}
	}
	level := make([]*reached, 0, len(best))
	for key, found := range best {
		seen[key] = true
		level = append(level, found)
	}
	slices.SortFunc(level, (*reached).before)
	return level, nil
}

// route returns the ids from the seed to the memory, both included.
func (a *reached) route() []string {
	ids := []string{}
	for at := a; at != nil; at = at.parent {
		ids = append(ids, at.id)
	}
	slices.Reverse(ids)
	return ids
}

func keysOf(all []*reached) []int64 {
	keys := make([]int64, len(all))
	for i, a := range all {
		keys[i] = a.key
	}
	return keys
}
