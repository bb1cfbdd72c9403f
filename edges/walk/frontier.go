package walk

import (
	"cmp"
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// seed is where a walk starts.
type seed struct {
	key int64
	id  string
}

// arrival is a memory that a breadth-first walk has reached.
type arrival struct {
	key    int64
	id     string
	hop    int
	seed   seed
	via    step     // the last step of the preferred route
	parent *arrival // where that step came from; nil for a seed
}

// compare orders what a walk reaches and chooses the route to report of several:
// the nearest hop, then the seed, the type of edge, out before in, the memory;
// last the previous memory and the edge's word, so that the order of insertion
// does not matter.
func (a *arrival) compare(b *arrival) int {
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

// compareOut orders out before in.
func compareOut(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// breadthFirst walks from the seeds level by level and returns the memories it
// reaches, sorted. A memory that is found in a level is expanded in the next one
// at the earliest. After each level onward returns the memories to expand, and
// whether to continue.
func breadthFirst(
	ctx context.Context, r *db.Reader, seeds []seed, hops int, w rules,
	onward func(level []*arrival) (frontier []*arrival, more bool, err error),
) ([]*arrival, error) {
	seen := map[int64]bool{}
	frontier := []*arrival{}
	for _, s := range seeds {
		if !seen[s.key] {
			seen[s.key] = true
			frontier = append(frontier, &arrival{key: s.key, id: s.id, seed: s})
		}
	}
	all := []*arrival{}
	for hop := 1; hop <= hops && len(frontier) > 0; hop++ {
		level, err := nextLevel(ctx, r, frontier, hop, seen, w)
		if err != nil {
			return nil, err
		}
		all = append(all, level...)
		var more bool
		if frontier, more, err = onward(level); err != nil || !more {
			return all, err
		}
	}
	return all, nil
}

// nextLevel returns the unseen memories one step from the frontier, sorted, and
// marks them as seen.
func nextLevel(ctx context.Context, r *db.Reader, frontier []*arrival, hop int, seen map[int64]bool, w rules) ([]*arrival, error) {
	parents := make(map[int64]*arrival, len(frontier))
	for _, f := range frontier {
		parents[f.key] = f
	}
	steps, err := neighbours(ctx, r, keysOf(frontier), w)
	if err != nil {
		return nil, err
	}
	best := map[int64]*arrival{}
	for _, s := range steps {
		if seen[s.to] {
			continue
		}
		parent := parents[s.from]
		next := &arrival{key: s.to, id: s.toID, hop: hop, seed: parent.seed, via: s, parent: parent}
		if known := best[s.to]; known == nil || next.compare(known) < 0 {
			best[s.to] = next
		}
	}
	level := make([]*arrival, 0, len(best))
	for key, next := range best {
		seen[key] = true
		level = append(level, next)
	}
	slices.SortFunc(level, (*arrival).compare)
	return level, nil
}

// route returns the ids from the seed to the memory, both included.
func (a *arrival) route() []string {
	ids := []string{}
	for at := a; at != nil; at = at.parent {
		ids = append(ids, at.id)
	}
	slices.Reverse(ids)
	return ids
}

// firstOf returns the first n: all in their order, or fewer with the files without text
// behind everything else, because a limit must not keep pictures and cut notes.
func firstOf(all []*arrival, n int) []*arrival {
	if n >= len(all) {
		return all
	}
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(all), func(a *arrival) bool { return a.via.isFile }),
		slices.DeleteFunc(slices.Clone(all), func(a *arrival) bool { return !a.via.isFile }))[:n]
}

// countText returns how many are not files without text.
func countText(all []*arrival) (count int) {
	for _, a := range all {
		if !a.via.isFile {
			count++
		}
	}
	return count
}

func keysOf(all []*arrival) []int64 { return edges.Keys(all, func(a *arrival) int64 { return a.key }) }

// region is what a walk from one memory has reached.
type region struct {
	root    node
	rootKey int64
	reached []*arrival // nearest first
	more    bool       // more memories are within the hops than the limit allows
	nodes   map[int64]node
	ended   map[int64]string // when edges of last steps ended, by their keys
}

// region walks from the named memory until it has reached limit others.
func (g Graph) region(ctx context.Context, r *db.Reader, name string, hops, limit int, w rules) (area region, err error) {
	m, err := g.Caller.Find(ctx, r, name)
	if err != nil {
		return area, err
	}
	count := 0
	all, err := breadthFirst(ctx, r, []seed{{m.Key, m.ID}}, hops, w, func(level []*arrival) ([]*arrival, bool, error) {
		count += countText(level)
		return level, count <= limit, nil
	})
	if err != nil {
		return area, err
	}
	area = region{rootKey: m.Key, reached: firstOf(all, limit), more: len(all) > limit}
	if area.nodes, err = describe(ctx, r, area.keys(), w.times); err != nil {
		return area, err
	}
	area.root = area.nodes[m.Key]
	area.ended, err = endings(ctx, r, area.reached, w.times)
	return area, err
}

// keys returns the keys of the first memory and of all that were reached.
func (a region) keys() []int64 { return append([]int64{a.rootKey}, keysOf(a.reached)...) }

// endings returns when the last steps' edges ended that are over, by the edge's key.
func endings(ctx context.Context, r *db.Reader, all []*arrival, times edges.Times) (map[int64]string, error) {
	ended := map[int64]string{}
	err := db.Fill(ctx, r, ended, `
select
  e.key,
  e.valid_to
from json_each(?1) f
cross join edges e indexed by edges_ending on e.key = f.value
where e.valid_to <= ?2`, db.List(edges.Keys(all, func(a *arrival) int64 { return a.via.edge })), times.Marked)
	return ended, err
}
