package walk

import (
	"context"
	"database/sql"
	"slices"

	"golang.org/x/sync/errgroup"

	"hence/edges"
	"hence/internal/db"
)

// readShape reads the shape of a namespace, "" for all: its memories that are not
// forgotten, in the order of their ids, and the edges among them, without what is over.
// It reads indexes only, because the rows of a large store take seconds.
func readShape(ctx context.Context, r *db.Reader, namespace string, times edges.Times) (*shape, error) {
	among, err := readStanding(ctx, r, namespace, times)
	if err != nil {
		return nil, err
	}
	byID, err := readPacked(ctx, r, selectByID)
	if err != nil {
		return nil, err
	}
	place := indexOf(among)
	members := make([]member, 0, len(among))
	for row := range byID.Rows(1) {
		if i, ok := place.Place(row[0]); ok {
			members = append(members, among[i])
		}
	}
	s := newShape(members)
	return s, s.readEdges(ctx, r, times)
}

// readStanding reads the memories of a namespace that are neither forgotten nor over. It
// reads those of each namespace and status as a run of the index: to compare each entry
// takes twice as long.
func readStanding(ctx context.Context, r *db.Reader, namespace string, times edges.Times) ([]member, error) {
	type run struct{ namespace, status string }
	runs, err := db.Select(ctx, r, db.Fields(func(one *run) []any { return []any{&one.namespace, &one.status} }), `
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
	over, err := readPacked(ctx, r, `select pack(key) from memories indexed by memories_ending where valid_to <= ?`, times.Over)
	if err != nil {
		return nil, err
	}
	isOver := map[int64]bool{}
	for row := range over.Rows(1) {
		isOver[row[0]] = true
	}
	standing := []member{}
	for _, one := range runs {
		keys, err := readPacked(ctx, r, selectRun, one.namespace, one.status)
		if err != nil {
			return nil, err
		}
		standing = slices.Grow(standing, keys.Len(1))
		for row := range keys.Rows(1) {
			if !isOver[row[0]] {
				standing = append(standing, member{key: row[0], current: one.status == "current"})
			}
		}
	}
	return standing, nil
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
	// selectJoints covers the edges of some memories. The index is that of the
	// constraint unique (from_key, to_key, kind, rel). Whether there is anything to leave
	// out is asked once.
	selectJoints = `
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

// joints is how many keys of memories are read together, so that their edges take a
// few megabytes.
const joints = 100_000

// readEdges joins the members by all edges that are not over. While some are joined the
// next are read.
func (s *shape) readEdges(ctx context.Context, r *db.Reader, times edges.Times) error {
	some := make(chan db.Packed, 1)
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		defer close(some)
		return eachJoints(ctx, r, times, func(packed db.Packed) { some <- packed })
	})
	for packed := range some {
		for row := range packed.Rows(3) {
			s.join(row[0], row[1], row[2] != 0)
		}
	}
	return work.Wait()
}

// eachJoints calls f with the edges that are not over, many at a time.
func eachJoints(ctx context.Context, r *db.Reader, times edges.Times, f func(db.Packed)) error {
	var first, last int64
	err := db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&first, &last) }, `
select
  coalesce((select min(from_key) from edges), 0),
  coalesce((select max(from_key) from edges), -1)`)
	for err == nil && first <= last {
		until := last
		if uint64(last)-uint64(first) >= joints { // the difference may be too large for an int64
			until = first + joints - 1
		}
		var packed db.Packed
		if packed, err = readPacked(ctx, r, selectJoints, first, until, times.Over); err != nil {
			return err
		}
		f(packed)
		if until == last {
			return nil
		}
		// The keys of a store may lie far apart.
		first, _, err = db.One[int64](ctx, r, `select min(from_key) from edges where from_key > ?`, until)
	}
	return err
}

func readPacked(ctx context.Context, r *db.Reader, query string, args ...any) (packed db.Packed, err error) {
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&packed) }, query, args...)
	return packed, err
}
