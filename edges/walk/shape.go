package walk

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"golang.org/x/sync/errgroup"

	"hence/edges"
	"hence/internal/components"
	"hence/internal/db"
	"hence/internal/lists"
)

// member is a memory of a shape.
type member struct {
	key     int64
	current bool
}

// shape is the structure of the graph: how many edges each memory has, which memories are
// connected, and which cause others. It identifies a member by its index.
type shape struct {
	members []member
	index   db.Index   // index of a member by its key
	edges   []int32    // number of edges of each member
	parent  []int32    // disjoint sets: the parent of each member in the tree of its component
	causes  [][2]int32 // causal edges: cause and effect
}

// newShape returns a shape without edges. Members with equal numbers of edges are listed in
// the given order.
func newShape(members []member) *shape {
	s := &shape{
		members: members, index: indexOf(members),
		edges: make([]int32, len(members)), parent: make([]int32, len(members)),
	}
	for i := range members {
		s.parent[i] = int32(i)
	}
	return s
}

func indexOf(members []member) db.Index {
	return db.IndexOf(lists.Map(members, func(m member) int64 { return m.key }))
}

// join adds an edge, unless one of its ends is not a member.
func (s *shape) join(from, to int64, causal bool) {
	a, isA := s.index.Place(from)
	b, isB := s.index.Place(to)
	if !isA || !isB {
		return
	}
	s.edges[a]++
	s.edges[b]++
	s.parent[s.rootOf(a)] = s.rootOf(b)
	if causal {
		s.causes = append(s.causes, [2]int32{a, b})
	}
}

// rootOf returns the root of a member's component. It halves the path to it (Tarjan and
// van Leeuwen 1984).
func (s *shape) rootOf(a int32) int32 {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

// degree returns the number of edges of a member.
func (s *shape) degree(key int64) int {
	i, _ := s.index.Place(key)
	return int(s.edges[i])
}

// components returns the number of components of two or more memories, and the
// size of the largest.
func (s *shape) components() (count, largest int) {
	sizes := make([]int, len(s.members))
	for i := range s.members {
		sizes[s.rootOf(int32(i))]++
	}
	for _, size := range sizes {
		if size > 1 {
			count++
			largest = max(largest, size)
		}
	}
	return count, largest
}

// orphans returns the current memories without an edge.
func (s *shape) orphans() []int64 {
	keys := []int64{}
	for i, m := range s.members {
		if m.current && s.edges[i] == 0 {
			keys = append(keys, m.key)
		}
	}
	return keys
}

// mostLinked returns the current memories with the most edges, at most n.
func (s *shape) mostLinked(n int) []int64 {
	top := []int32{} // sorted
	compare := func(a, b int32) int { return cmp.Or(cmp.Compare(s.edges[b], s.edges[a]), cmp.Compare(a, b)) }
	for i, m := range s.members {
		number := int32(i)
		if !m.current || s.edges[i] == 0 || len(top) == n && compare(number, top[n-1]) > 0 {
			continue
		}
		index, _ := slices.BinarySearchFunc(top, number, compare)
		top = slices.Insert(top, index, number)
		top = top[:min(len(top), n)]
	}
	return s.keys(top)
}

// keys returns the keys of the members with the given indexes.
func (s *shape) keys(indexes []int32) []int64 {
	return lists.Map(indexes, func(index int32) int64 { return s.members[index].key })
}

// loops returns the sets of memories that cause each other, the largest first: the strongly
// connected components of two or more memories.
func (s *shape) loops() [][]int64 {
	effects := map[int32][]int32{}
	for _, c := range s.causesAfterLoops() {
		effects[c[0]] = append(effects[c[0]], c[1])
	}
	sets := map[int][]int32{}
	for number, component := range components.Number(effects) {
		sets[component] = append(sets[component], number)
	}
	cycles := [][]int32{}
	for _, set := range sets {
		if len(set) > 1 {
			slices.Sort(set)
			cycles = append(cycles, set)
		}
	}
	slices.SortFunc(cycles, func(a, b []int32) int { return cmp.Or(cmp.Compare(len(b), len(a)), slices.Compare(a, b)) })
	return lists.Map(cycles, s.keys)
}

// causesAfterLoops returns the causal edges from memories on a loop or after one. It removes
// the other memories, which are most, by a topological sort (Kahn 1962): repeatedly those
// without a remaining cause.
func (s *shape) causesAfterLoops() [][2]int32 {
	causes := make([]int32, len(s.members)) // number of remaining causes of each member
	first := make([]int32, len(s.members)+1)
	for _, c := range s.causes {
		causes[c[1]]++
		first[c[0]+1]++
	}
	for i := range s.members {
		first[i+1] += first[i]
	}
	effects, next := make([]int32, len(s.causes)), slices.Clone(first)
	for _, c := range s.causes {
		effects[next[c[0]]] = c[1]
		next[c[0]]++
	}
	ready, removed := []int32{}, make([]bool, len(s.members))
	for i := range s.members {
		if causes[i] == 0 && first[i] < first[i+1] {
			ready = append(ready, int32(i))
		}
	}
	for len(ready) > 0 {
		member := ready[len(ready)-1]
		ready, removed[member] = ready[:len(ready)-1], true
		for _, effect := range effects[first[member]:first[member+1]] {
			if causes[effect]--; causes[effect] == 0 {
				ready = append(ready, effect)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(s.causes), func(c [2]int32) bool { return removed[c[0]] })
}

// readShape returns the shape of a namespace, "" for all: its memories that are not forgotten,
// in the order of their ids, and the edges between them, without those that have ended. It
// reads indexes only, because reading the rows of a large store takes seconds.
func readShape(ctx context.Context, r *db.Reader, namespace string, times edges.Times) (*shape, error) {
	unsorted, err := readMembers(ctx, r, namespace, times)
	if err != nil {
		return nil, err
	}
	byID, err := db.Keys(ctx, r, selectByID)
	if err != nil {
		return nil, err
	}
	index := indexOf(unsorted)
	members := make([]member, 0, len(unsorted))
	for _, key := range byID {
		if i, ok := index.Place(key); ok {
			members = append(members, unsorted[i])
		}
	}
	s := newShape(members)
	return s, s.readEdges(ctx, r, times)
}

// readMembers returns the memories of a namespace that are not forgotten and have not ended.
// It reads those of each namespace and status as one range of the index: comparing each entry
// takes twice as long.
func readMembers(ctx context.Context, r *db.Reader, namespace string, times edges.Times) ([]member, error) {
	type indexRange struct{ namespace, status string }
	runs, err := db.Select(ctx, r, db.Fields(func(run *indexRange) []any { return []any{&run.namespace, &run.status} }), `
select distinct
  namespace,
  status
from memory_counts
where status <> 'forgotten'
  and number > 0
  and ?1 in ('', namespace)`, namespace)
	if err != nil {
		return nil, err
	}
	ended, err := db.Keys(ctx, r, `select pack(key) from memories indexed by memories_ending where valid_to <= ?`, times.Over)
	if err != nil {
		return nil, err
	}
	hasEnded := map[int64]bool{}
	for _, key := range ended {
		hasEnded[key] = true
	}
	members := []member{}
	for _, run := range runs {
		keys, err := db.Keys(ctx, r, selectRun, run.namespace, run.status)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if !hasEnded[key] {
				members = append(members, member{key: key, current: run.status == "current"})
			}
		}
	}
	return members, nil
}

const (
	selectRun = `
select pack(key)
from memories indexed by memories_by_update
where namespace = ?1
  and status = ?2`
	selectByID = `
select pack(key)
from (
  select key
  from memories
  order by id
)`
	// selectEnds reads the edges out of a range of memories from the index of the
	// constraint unique (from_key, to_key, kind, rel). The conditions with "not exists" are
	// evaluated once: usually there is nothing to exclude.
	selectEnds = `
select pack(from_key, to_key, kind = 'causes')
from edges
where from_key between ?1 and ?2
  and (
    not exists (select 1 from edge_counts where kind = 'mentions' and number > 0)
    or kind <> 'mentions'
  )
  and (
    not exists (select 1 from edges indexed by edges_ending where valid_to <= ?3)
    or key not in (select key from edges indexed by edges_ending where valid_to <= ?3)
  )`
)

// batchKeys is the size of the range of keys whose edges are read together, so that a batch
// takes a few megabytes.
const batchKeys = 100_000

// readEdges adds all edges that have not ended. It reads the next batch while it adds one.
func (s *shape) readEdges(ctx context.Context, r *db.Reader, times edges.Times) error {
	batches := make(chan db.Packed, 1)
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		defer close(batches)
		return eachBatch(ctx, r, times, func(packed db.Packed) { batches <- packed })
	})
	for packed := range batches {
		for row := range packed.Rows(3) {
			s.join(row[0], row[1], row[2] != 0)
		}
	}
	return work.Wait()
}

// eachBatch calls f with batches of the edges that have not ended. A row of a batch has the
// keys of the two ends, and 1 for a causal edge, else 0.
func eachBatch(ctx context.Context, r *db.Reader, times edges.Times, f func(db.Packed)) error {
	var first, last int64
	err := db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&first, &last) }, `
select
  coalesce((select min(from_key) from edges), 0),
  coalesce((select max(from_key) from edges), -1)`)
	for err == nil && first <= last {
		lastOfBatch := last
		if uint64(last)-uint64(first) >= batchKeys { // the difference may be too large for an int64
			lastOfBatch = first + batchKeys - 1
		}
		var packed db.Packed
		if packed, _, err = db.One[db.Packed](ctx, r, selectEnds, first, lastOfBatch, times.Over); err != nil {
			return err
		}
		f(packed)
		if lastOfBatch == last {
			return nil
		}
		// There may be large gaps between the keys of a store.
		first, _, err = db.One[int64](ctx, r, `select min(from_key) from edges where from_key > ?`, lastOfBatch)
	}
	return err
}
