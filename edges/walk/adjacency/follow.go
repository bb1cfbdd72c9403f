package adjacency

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// version identifies a state of the store: the journal's last row, and what
// distinguishes one journal from another.
type version struct {
	schema   int64  // SQLite's count of changes of the schema, which a dropped trigger and a restored backup increase
	seq      int64  // of the journal's last row
	row      string // what that row says
	lastEdge int64  // the largest key of an edge
}

// isKnown reports whether the store says which state it is in. It does not if
// somebody has emptied the journal, or the table that its triggers read.
func (n snapshot) isKnown() bool { return n.seq > 0 && n.writers == 1 }

// snapshot is the version of a reader's snapshot, compared with an older version.
type snapshot struct {
	version
	oldRow  string // what the older version's last row says now, "" if it is gone
	added   int64  // rows of the journal after it, at most one more than asked for
	writers int    // rows of the table writer, which the journal's triggers read: one
}

// readVersion reads the version of the reader's snapshot and compares it with an
// older one. It counts at most one row more than most.
func readVersion(ctx context.Context, r *db.Reader, old version, most int64) (now snapshot, err error) {
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
limit 1`, old.seq, most)
	return now, err
}

// follow updates the copy to the reader's snapshot from at most that many rows of
// the journal, and returns the version that it then has. It reports false if that
// is not possible, and keeps the price of an update.
func (a *Copy) follow(ctx context.Context, r *db.Reader, most int64) (v version, ok bool, err error) {
	a.mu.RLock()
	old := a.version
	a.mu.RUnlock()
	if old == (version{}) {
		return old, false, nil
	}
	now, err := readVersion(ctx, r, old, most)
	if err != nil {
		return old, false, err
	}
	if behind := now.seq - old.seq; behind > most {
		a.price.Store(min(rowPrice*behind, max(worthwhile, now.lastEdge)))
		return old, false, nil
	}
	continues := now.isKnown() && now.schema == old.schema && now.oldRow == old.row && now.seq == old.seq+now.added
	if !continues {
		a.price.Store(max(worthwhile, now.lastEdge))
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
	if a.version != old { // another search has updated it
		return now.version, a.version == now.version, nil
	}
	if !a.apply(c) {
		return old, false, nil
	}
	a.version = now.version
	return now.version, true, nil
}

// changes are the changes of the graph that rows of the journal name.
type changes struct {
	status   map[int64]standing
	kinds    map[[2]int64][]code // all edges now stored from one memory to another
	lastEdge int64               // the largest key of these edges
	keys     []int64             // of the memories and the ends
}

// readChanges reads the current state of the memories and edges that the journal's
// rows after seq name. Memories that are gone are ignored, with their edges.
func readChanges(ctx context.Context, r *db.Reader, seq int64) (c changes, err error) {
	c.status, c.kinds = map[int64]standing{}, map[[2]int64][]code{}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var status string
		err := row.Scan(&key, &status)
		c.status[key] = standingOf(status)
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

// apply updates the copy. It reports false and changes nothing if the copy would
// grow too large. The caller holds the lock.
func (a *Copy) apply(c changes) bool {
	if len(c.keys) == 0 {
		return true // nothing that the copy holds
	}
	first, last := slices.Min(c.keys), slices.Max(c.keys)
	if !inRange(first, maxMemories) || !inRange(last, maxMemories) || c.lastEdge > maxEdges {
		return false
	}
	if more := int(last) + 1 - len(a.near); more > 0 {
		a.near = append(a.near, make([][]half, more)...)
		a.status = append(a.status, make([]standing, more)...)
	}
	for key, status := range c.status {
		a.status[key] = status
	}
	for ends, kinds := range c.kinds {
		from, to := ends[0], ends[1]
		a.near[from] = replaceHalves(a.near[from], to, 1, kinds)
		a.near[to] = replaceHalves(a.near[to], from, 0, kinds)
	}
	return true
}

// replaceHalves returns the halves of one memory with those to another in one
// direction, out 1 or 0, replaced by halves of the given kinds.
func replaceHalves(halves []half, to int64, out code, kinds []code) []half {
	halves = slices.DeleteFunc(halves, func(h half) bool { return h.target() == to && h.code()&1 == out })
	for _, kind := range kinds {
		halves = append(halves, newHalf(to, kind|out))
	}
	return halves
}
