package adjacency

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// version identifies a state of the store: the journal's last row, and the values that
// distinguish its journal from another one.
type version struct {
	schema   int64  // SQLite's count of schema changes; a dropped trigger and a restored backup count too
	seq      int64  // seq of the journal's last row
	row      string // time, action and id of that row
	lastEdge int64  // largest key of an edge
}

// isKnown reports whether the snapshot identifies a state of the store. It does not if
// somebody has emptied the journal, or the table that its triggers read.
func (n snapshot) isKnown() bool { return n.seq > 0 && n.writers == 1 }

// snapshot is the version of a reader's snapshot, compared with an older version.
type snapshot struct {
	version
	oldRow  string // current content of the older version's last row, "" if it was deleted
	added   int64  // number of journal rows after it, at most one more than the limit
	writers int    // number of rows of the table writer, which the journal's triggers read; must be 1
}

// readVersion reads the version of the reader's snapshot and compares it with an older one.
// It counts at most maxRows+1 rows of the journal.
func readVersion(ctx context.Context, r *db.Reader, old version, maxRows int64) (now snapshot, err error) {
	if now.schema, _, err = db.One[int64](ctx, r, `pragma schema_version`); err != nil {
		return now, err
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		return row.Scan(&now.seq, &now.row, &now.oldRow, &now.added, &now.lastEdge, &now.writers)
	}, `
select
  j.seq,
  j.at || ' ' || j.action || ' ' || j.id,
  coalesce((select o.at || ' ' || o.action || ' ' || o.id from journal o where o.seq = ?1), ''),
  (select count(*) from (select 1 from journal where seq > ?1 limit ?2 + 1)),
  coalesce((select max(key) from edges), 0),
  (select count(*) from writer)
from journal j
order by j.seq desc
limit 1`, old.seq, maxRows)
	return now, err
}

// follow updates the copy to the reader's snapshot from at most maxRows rows of the journal,
// and returns the version that the copy then has. If that is not possible, it returns false,
// and may store the price of an update.
func (a *Copy) follow(ctx context.Context, r *db.Reader, maxRows int64) (v version, ok bool, err error) {
	a.mu.RLock()
	old := a.version
	a.mu.RUnlock()
	if old == (version{}) {
		return old, false, nil
	}
	now, err := readVersion(ctx, r, old, maxRows)
	if err != nil {
		return old, false, err
	}
	if behind := now.seq - old.seq; behind > maxRows {
		a.price.Store(min(rowPrice*behind, max(minPrice, now.lastEdge)))
		return old, false, nil
	}
	continues := now.isKnown() && now.schema == old.schema && now.oldRow == old.row && now.seq == old.seq+now.added
	if !continues {
		a.price.Store(max(minPrice, now.lastEdge))
		return old, false, nil
	}
	if now.added == 0 {
		return old, now.lastEdge == old.lastEdge, nil
	}
	c, err := readChanges(ctx, r, old.seq)
	if err != nil || max(old.lastEdge, c.lastEdge) < now.lastEdge {
		return old, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.version != old { // another search has updated the copy
		return now.version, a.version == now.version, nil
	}
	if !a.apply(c) {
		return old, false, nil
	}
	a.version = now.version
	return now.version, true, nil
}

// changes is the current state of the memories and edges that rows of the journal name.
type changes struct {
	status   map[int64]statusBit
	kinds    map[[2]int64][]code // codes of all edges stored from one memory to another
	lastEdge int64               // largest key of these edges
	keys     []int64             // keys of the memories and of the ends of the edges
}

// readChanges reads the current state of the memories and edges that the journal's rows after
// seq name. It ignores memories that were deleted, with their edges.
func readChanges(ctx context.Context, r *db.Reader, seq int64) (c changes, err error) {
	c.status, c.kinds = map[int64]statusBit{}, map[[2]int64][]code{}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var status string
		err := row.Scan(&key, &status)
		c.status[key] = statusBitOf(status)
		c.keys = append(c.keys, key)
		return err
	}, `
select
  m.key,
  m.status
from journal j
cross join memories m on m.id = j.id
where j.seq > ?1
  and j.thing = 'memory'`, seq)
	if err != nil {
		return c, err
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var ends [2]int64
		var key sql.NullInt64
		var kind sql.NullString
		if err := row.Scan(&ends[0], &ends[1], &key, &kind); err != nil {
			return err
		}
		kinds := c.kinds[ends]
		if key.Valid {
			kinds = append(kinds, codeOf(edges.Kind(kind.String), false))
		}
		c.kinds[ends] = kinds
		c.lastEdge = max(c.lastEdge, key.Int64)
		c.keys = append(c.keys, ends[:]...)
		return nil
	}, `
with touched (from_key, to_key) as (
  select
    e.from_key,
    e.to_key
  from journal j
  cross join edges e on e.id = j.id
  where j.seq > ?1
    and j.action = 'link'
  union
  select
    f.key,
    t.key
  from journal j
  cross join memories f on f.id = j.before ->> '$.from'
  cross join memories t on t.id = j.before ->> '$.to'
  where j.seq > ?1
    and j.action = 'unlink'
)
select
  t.from_key,
  t.to_key,
  e.key,
  e.kind
from touched t
left join edges e on e.from_key = t.from_key and e.to_key = t.to_key`, seq)
	return c, err
}

// apply applies changes to the copy. It returns false and changes nothing if the copy would
// become too large. The caller holds the lock.
func (a *Copy) apply(c changes) bool {
	if len(c.keys) == 0 {
		return true
	}
	first, last := slices.Min(c.keys), slices.Max(c.keys)
	if !inRange(first, maxMemories) || !inRange(last, maxMemories) || c.lastEdge > maxEdges {
		return false
	}
	if missing := int(last) + 1 - len(a.adjacent); missing > 0 {
		a.adjacent = append(a.adjacent, make([][]half, missing)...)
		a.status = append(a.status, make([]statusBit, missing)...)
	}
	for key, status := range c.status {
		a.status[key] = status
	}
	for ends, kinds := range c.kinds {
		from, to := ends[0], ends[1]
		a.adjacent[from] = replaceHalves(a.adjacent[from], to, 1, kinds)
		a.adjacent[to] = replaceHalves(a.adjacent[to], from, 0, kinds)
	}
	return true
}

// replaceHalves returns the halves of one memory, with those to another memory in one
// direction (out is 1 for edges out of the memory, else 0) replaced by halves of the given
// kinds.
func replaceHalves(halves []half, to int64, out code, kinds []code) []half {
	halves = slices.DeleteFunc(halves, func(h half) bool { return h.target() == to && h.code()&1 == out })
	for _, kind := range kinds {
		halves = append(halves, newHalf(to, kind|out))
	}
	return halves
}
