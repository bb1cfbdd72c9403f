package walk

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// seed is a memory from which a walk starts.
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
	parent *arrival // the memory before that step; nil for a seed
}

// compare compares two arrivals, to sort the results and to choose among several routes to a
// memory: by hop, seed, type of edge, out before in, and memory. Last it compares the
// previous memory and the edge's word, so that the order of insertion does not matter.
func (a *arrival) compare(b *arrival) int {
	return cmp.Or(
		cmp.Compare(a.hop, b.hop),
		cmp.Compare(a.seed.id, b.seed.id),
		cmp.Compare(a.via.kind, b.via.kind),
		edges.CompareFlags(a.via.out, b.via.out),
		cmp.Compare(a.id, b.id),
		cmp.Compare(a.parent.id, b.parent.id),
		cmp.Compare(a.via.rel, b.via.rel),
	)
}

// lastStep returns the last step to the memory, by an edge of which ended may have the end.
func (a *arrival) lastStep(hop int, ended map[int64]string) Via {
	return Via{Hop: hop, EdgeType: a.via.kind, Rel: a.via.rel, Direction: a.via.direction(), From: a.parent.id, Ended: ended[a.via.edge]}
}

// breadthFirst walks from the seeds level by level and returns the memories that it reaches,
// sorted. After each level, chooseNext returns the memories from which to continue, and
// whether to continue at all.
func breadthFirst(
	ctx context.Context, r *db.Reader, seeds []seed, hops int, w rules,
	chooseNext func(level []*arrival) (frontier []*arrival, more bool, err error),
) ([]*arrival, error) {
	visited := map[int64]bool{}
	frontier := []*arrival{}
	for _, s := range seeds {
		if !visited[s.key] {
			visited[s.key] = true
			frontier = append(frontier, &arrival{key: s.key, id: s.id, seed: s})
		}
	}
	arrivals := []*arrival{}
	for hop := 1; hop <= hops && len(frontier) > 0; hop++ {
		level, err := nextLevel(ctx, r, frontier, hop, visited, w)
		if err != nil {
			return nil, err
		}
		arrivals = append(arrivals, level...)
		var more bool
		if frontier, more, err = chooseNext(level); err != nil || !more {
			return arrivals, err
		}
	}
	return arrivals, nil
}

// nextLevel returns the memories one step from the frontier that were not visited, sorted, and
// marks them as visited.
func nextLevel(ctx context.Context, r *db.Reader, frontier []*arrival, hop int, visited map[int64]bool, w rules) ([]*arrival, error) {
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
		if visited[s.to] {
			continue
		}
		parent := parents[s.from]
		next := &arrival{key: s.to, id: s.toID, hop: hop, seed: parent.seed, via: s, parent: parent}
		if current := best[s.to]; current == nil || next.compare(current) < 0 {
			best[s.to] = next
		}
	}
	level := make([]*arrival, 0, len(best))
	for key, next := range best {
		visited[key] = true
		level = append(level, next)
	}
	slices.SortFunc(level, (*arrival).compare)
	return level, nil
}

// route returns the ids from the seed to the memory, both included.
func (a *arrival) route() []string {
	ids := []string{}
	for step := a; step != nil; step = step.parent {
		ids = append(ids, step.id)
	}
	slices.Reverse(ids)
	return ids
}

// firstOf returns the first n arrivals. If n cuts any off, it first moves files without text
// to the end, because a limit must not keep pictures and drop notes.
func firstOf(arrivals []*arrival, n int) []*arrival {
	if n >= len(arrivals) {
		return arrivals
	}
	return textFirst(arrivals)[:n]
}

// textFirst moves files without text to the end.
func textFirst(arrivals []*arrival) []*arrival {
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(arrivals), func(a *arrival) bool { return a.via.isFile }),
		slices.DeleteFunc(slices.Clone(arrivals), func(a *arrival) bool { return !a.via.isFile }))
}

// pageOf returns the arrivals before a mark, those of the page after it, and whether more
// follow. If there is more than one page, files without text are last.
func pageOf(arrivals []*arrival, after db.Mark, limit int) (before, page []*arrival, more bool) {
	if after.Count == 0 {
		return nil, firstOf(arrivals, limit), len(arrivals) > limit
	}
	ordered := textFirst(arrivals)
	start := after.Skip(len(ordered), func(i int) string { return ordered[i].id })
	return ordered[:start], ordered[start:min(len(ordered), start+limit)], len(ordered) > start+limit
}

// listOf names the list that a walk with these arguments pages through.
func listOf(walk string, args any) string {
	text, _ := json.Marshal(args) // they came as JSON
	return walk + " " + string(text)
}

// countText returns how many of the arrivals are not files without text.
func countText(arrivals []*arrival) (count int) {
	for _, a := range arrivals {
		if !a.via.isFile {
			count++
		}
	}
	return count
}

func keysOf(arrivals []*arrival) []int64 {
	return edges.Keys(arrivals, func(a *arrival) int64 { return a.key })
}

// region is the result of a walk from one memory.
type region struct {
	root    node
	rootKey int64
	before  []*arrival // on earlier pages
	reached []*arrival // the nearest first
	more    bool       // more memories are within the hops than the limit allows
	nodes   map[int64]node
	ended   map[int64]string // when the edge of a last step ended, by its key
}

// region walks from the named memory until it has reached limit others after the mark, or the
// last hop.
func (g Graph) region(ctx context.Context, r *db.Reader, name string, hops, limit int, after db.Mark, w rules) (area region, err error) {
	m, err := g.Caller.Find(ctx, r, name)
	if err != nil {
		return area, err
	}
	count := 0
	arrivals, err := breadthFirst(ctx, r, []seed{{m.Key, m.ID}}, hops, w, func(level []*arrival) ([]*arrival, bool, error) {
		count += countText(level)
		return level, count <= after.Count+limit, nil
	})
	if err != nil {
		return area, err
	}
	area = region{rootKey: m.Key}
	err = area.fill(ctx, r, arrivals, after, limit, w.times)
	area.root = area.nodes[m.Key]
	return area, err
}

// fill sets the page of the arrivals after a mark, with what a result says of them and of the
// root, if there is one.
func (a *region) fill(ctx context.Context, r *db.Reader, arrivals []*arrival, after db.Mark, limit int, times edges.Times) (err error) {
	a.before, a.reached, a.more = pageOf(arrivals, after, limit)
	if a.nodes, err = describe(ctx, r, a.keys(), times); err != nil {
		return err
	}
	a.ended, err = endings(ctx, r, a.reached, times)
	return err
}

// keys returns the keys of the root and of all memories that were reached.
func (a region) keys() []int64 { return append([]int64{a.rootKey}, keysOf(a.reached)...) }

// endings returns when the edges of the last steps ended, by their keys. Edges that have not
// ended are not in the map.
func endings(ctx context.Context, r *db.Reader, arrivals []*arrival, times edges.Times) (map[int64]string, error) {
	ended := map[int64]string{}
	err := db.Fill(ctx, r, ended, `
select
  e.key,
  e.valid_to
from json_each(?1) f
cross join edges e indexed by edges_ending on e.key = f.value
where e.valid_to <= ?2`, db.List(edges.Keys(arrivals, func(a *arrival) int64 { return a.via.edge })), times.Marked)
	return ended, err
}
