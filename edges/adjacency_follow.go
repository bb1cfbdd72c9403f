package edges

import (
	"context"
	"database/sql"
	"slices"

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
	grown   int64  // rows of the journal after it, up to one more than can be followed
	writers int
}

// followed is how many rows of the journal are followed by the search that
// comes upon them; it takes about as long as a search by SQL. TODO
const followed = 200

// continues reports whether the snapshot is the older version and the rows of
// the journal that came after, all of them and not too many.
func (n snapshot) continues(old version) bool {
	return n.told() && n.schema == old.schema && n.since == old.row && n.grown <= followed && n.seq == old.seq+n.grown
}

func readVersion(ctx context.Context, r *db.Reader, old version) (now snapshot, err error) {
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
limit 1`, old.seq, followed)
	return now, err
}

// follow brings the copy to the reader's snapshot, and returns the version
// that it then has. It reports false where it cannot.
func (a *adjacency) follow(ctx context.Context, r *db.Reader) (v version, ok bool, err error) {
	a.mu.RLock()
	old := a.version
	a.mu.RUnlock()
	if old == (version{}) {
		return old, false, nil
	}
	now, err := readVersion(ctx, r, old)
	if err != nil || !now.continues(old) {
		return old, false, err
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
	if a.version != old {
		return old, a.version == now.version, nil
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
	lastKey  int64               // and of a memory
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
		c.lastKey = max(c.lastKey, key)
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
			kinds = append(kinds, codeOf(Kind(kind.String), false))
		}
		c.kinds[ends] = kinds
		c.lastEdge = max(c.lastEdge, key.Int64)
		c.lastKey = max(c.lastKey, ends[0], ends[1])
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
func (a *adjacency) apply(c changes) bool {
	if c.lastKey > maxMemories || c.lastEdge > maxEdges {
		return false
	}
	if more := int(c.lastKey) + 1 - len(a.near); more > 0 {
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
