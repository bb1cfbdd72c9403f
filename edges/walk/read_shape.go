package walk

import (
	"context"
	"database/sql"

	"golang.org/x/sync/errgroup"

	"hence/edges"
	"hence/internal/db"
)

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
