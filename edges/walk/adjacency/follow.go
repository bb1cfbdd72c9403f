package adjacency

import (
	"context"
	"database/sql"
	"slices"

	"hence"
	"hence/edges"
	"hence/internal/db"
)

// version says which state of the store a copy is true of: the journal's last
// row, and what tells one journal from another.
type version struct {
	schema   int64  // SQLite's count of changes of the schema: a dropped trigger counts, and a restored backup
	seq      int64  // of the journal's last row
	row      string // what that row says
	lastEdge int64  // the largest key of an edge
}

// told reports whether the store says which state it is in: somebody has
// emptied the journal, or what its triggers read, where it does not.
func (n snapshot) told() bool { return n.seq > 0 && n.writers == 1 }

// snapshot is the version of a reader's snapshot, and how an older one stands
// to it.
type snapshot struct {
	version
	since   string // what the older version's last row says now, "" where it is gone
	grown   int64  // rows of the journal after it, up to one more than are to be followed
	writers int    // rows that the triggers read to write the journal: one
}

// continues reports whether the snapshot is the older version and the rows of
// the journal that came after: all of them, since a row is not taken away.
func (n snapshot) continues(old version) bool {
	return n.told() && n.schema == old.schema && n.since == old.row && n.seq == old.seq+n.grown
}

// readVersion reads how the reader's snapshot stands to an older version, of
// which it is to follow at most so many rows.
func readVersion(ctx context.Context, r *db.Reader, old version, most int64) (now snapshot, err error) {
	if now.schema, _, err = db.One[int64](ctx, r, `pragma schema_version`); err != nil {
		return now, err
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		return row.Scan(&now.seq, &now.row, &now.since, &now.grown, &now.lastEdge, &now.writers)
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

// journaled reports whether the store has the triggers that write down what a
// copy must hear of, as the schema has them. While the schema's version stays
// what it is, they are there.
func journaled(ctx context.Context, r *db.Reader) (bool, error) {
	ok, _, err := db.One[bool](ctx, r, `
select count(*) = 3
from sqlite_master
where type = 'trigger'
  and name in ('edge_inserted', 'memory_inserted', 'memory_updated')
  and instr(?1, substr(sql, length('create trigger ')))`, hence.Schema)
	return ok, err
}

// follow brings the copy to the reader's snapshot by at most so many rows of
// the journal, and returns the version that it then has. It reports false
// where that cannot be, and notes the price of more rows than those.
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
	if !now.continues(old) {
		a.price.Store(max(worthwhile, now.lastEdge))
		return old, false, nil
	}
	if now.grown == 0 {
		return old, now.lastEdge == old.lastEdge, nil
	}
	c, err := readChanges(ctx, r, old.seq)
	if err != nil || max(old.lastEdge, c.lastEdge) < now.lastEdge {
		return old, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.version != old { // another was faster
		return now.version, a.version == now.version, nil
	}
	if !a.apply(c) {
		return old, false, nil
	}
	a.version = now.version
	return now.version, true, nil
}

// changes are what the rows of the journal after a version tell a copy.
type changes struct {
	status   map[int64]standing
	kinds    map[[2]int64][]code // those now stored between two memories, from and to
	lastEdge int64               // the largest key of an edge among them
	keys     []int64             // of the memories and the ends
}

// readChanges reads, as they are now, the memories and edges of which the
// journal has rows after seq. What has gone since is not asked for; an edge
// whose memory was purged leaves no word of its ends.
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

// apply makes the copy say what has changed, or nothing of it where it would
// grow too large. The lock is the caller's.
func (a *Copy) apply(c changes) bool {
	if len(c.keys) == 0 {
		return true // something of no interest here, or what went at once
	}
	first, last := slices.Min(c.keys), slices.Max(c.keys)
	if !within(first, maxMemories) || !within(last, maxMemories) || c.lastEdge > maxEdges {
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
		a.near[from] = replaced(a.near[from], to, 1, kinds)
		a.near[to] = replaced(a.near[to], from, 0, kinds)
	}
	return true
}

// replaced returns the halves of one memory with those to another that are
// stored one way, out 1 or 0, replaced by some of these kinds.
func replaced(halves []half, to int64, out code, kinds []code) []half {
	halves = slices.DeleteFunc(halves, func(h half) bool { return h.to() == to && h.code()&1 == out })
	for _, kind := range kinds {
		halves = append(halves, newHalf(to, kind|out))
	}
	return halves
}
