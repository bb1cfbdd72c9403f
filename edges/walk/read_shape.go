package walk

import (
	"context"
	"database/sql"

	"hence/edges"
	"hence/internal/db"
)

// readShape reads the shape of a namespace, "" for all: its memories that are not
// forgotten, in the order of their ids, and the edges among them, without what is over.
// It reads indexes only, because the rows of a large store take seconds.
func readShape(ctx context.Context, r *db.Reader, namespace string, times edges.Times) (*shape, error) {
	standing, err := readPacked(ctx, r, selectStanding, namespace, times.Over)
	if err != nil {
		return nil, err
	}
	byID, err := readPacked(ctx, r, selectByID)
	if err != nil {
		return nil, err
	}
	among := make([]member, 0, standing.Len(2))
	for row := range standing.Rows(2) {
		among = append(among, member{key: row[0], current: row[1] != 0})
	}
	number := newNumbers(among)
	members := make([]member, 0, len(among))
	for row := range byID.Rows(1) {
		if i, ok := number.of(row[0]); ok {
			members = append(members, among[i])
		}
	}
	s := newShape(members)
	return s, s.readEdges(ctx, r, times)
}

const (
	selectStanding = `
select pack(key, status = 'current')
from memories indexed by memories_by_update
where status <> 'forgotten'
  and ?1 in ('', namespace)
  and key not in (select key from memories indexed by memories_ending where valid_to <= ?2)`
	selectByID = `
select pack(key)
from (
  select key
  from memories
  order by id
)`
	// selectJoints covers the edges of some memories. The index is that of the
	// constraint unique (from_key, to_key, kind, rel).
	selectJoints = `
select pack(from_key, to_key, kind = 'causes')
from edges
where from_key between ?1 and ?2
  and kind <> 'mentions'
  and key not in (select key from edges indexed by edges_ending where valid_to <= ?3)`
)

// joints is how many keys of memories are read together, so that their edges take a
// few megabytes.
const joints = 100_000

// readEdges joins the members by all edges that are not over.
func (s *shape) readEdges(ctx context.Context, r *db.Reader, times edges.Times) error {
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
		for row := range packed.Rows(3) {
			s.join(row[0], row[1], row[2] != 0)
		}
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
