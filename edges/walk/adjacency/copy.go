// Package adjacency keeps a copy of the graph in memory, for a process that makes
// many searches: which memories are joined by what kind of edge, and the status of
// each memory. It holds no titles, weights or times; a search that needs those
// (the strongest path, a time in the past) runs by SQL. Walks work without the
// copy: it only finds out faster how many hops a shortest path has.
//
// The copy is built in the background once searches by SQL have passed as many
// edges as building it reads, so a command that searches once does not pay for
// it. If the copy is stale, the search falls back to SQL. Once the fallbacks have
// cost about as much as a rebuild, the copy is rebuilt.
//
// The copy may hold edges that are gone; it never lacks one that exists. A search
// reads the edges that it finds from the store, in its own snapshot, before it
// answers, and a path that is not in the copy is not in the store. So the copy
// needs to learn only of new edges and of memories that appear or reappear. Each
// of these has a row in the journal, whoever wrote it. The copy is used for a
// snapshot only if that has the copy's last row and all rows since, under the same
// version of the schema (SQLite also counts a restored backup and a dropped
// trigger there). Deletes that fire no trigger are harmless for the same reason.
// The copy cannot notice a change whose row somebody deletes by hand from the end
// of the journal; even then it notices a new edge, unless that has the key of one
// that was deleted before.
package adjacency

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"hence"
	"hence/edges"
	"hence/internal/db"
)

// Copy is a copy of a store's graph. It takes 8 bytes an edge and 25 a memory.
type Copy struct {
	mu       sync.RWMutex
	version  version      // the state of the store that the copy matches; zero: not built yet
	near     [][]half     // by the memory's key
	status   []standing   // by the memory's key
	marks    sync.Pool    // of *[]uint8, all zero, for searches
	paid     atomic.Int64 // edges that searches by SQL have passed since the copy was last updated
	price    atomic.Int64 // how many an update costs; 0: unknown
	renewing atomic.Bool
}

const (
	// worthwhile is the least price of building the copy, in edges that searches by
	// SQL have passed, so that a command that searches once does without. In larger
	// stores the price is the number of edges.
	worthwhile = 100_000
	// rowPrice is the price of reading one row of the journal (measured: 12 µs, and
	// 1 µs for an edge of a search).
	rowPrice = 12
	// atOnce is how many rows a search reads itself to update the copy: that takes
	// about as long as the search by SQL that it saves.
	atOnce = 100
	// maxEdges and maxMemories bound the copy to 82 MB. They limit the largest key:
	// a store that is larger, or has a single key beyond them, is searched by SQL.
	maxEdges    = 4_000_000
	maxMemories = 2_000_000
)

// half is an edge seen from one of its ends: the key of the other end, and in the
// low bits its code.
type half uint32

// kinds are the kinds of edge. A code holds an index of this list.
var kinds = edges.Kinds()

// code is the kind of a half edge and its direction: the index of the kind, and
// in the lowest bit whether the edge points to the other end.
type code uint32

const codeBits = 5

func newHalf(to int64, c code) half { return half(to)<<codeBits | half(c) }

func (h half) target() int64 { return int64(h >> codeBits) }
func (h half) code() code    { return code(h & (1<<codeBits - 1)) }

func codeOf(k edges.Kind, out bool) code {
	c := code(slices.Index(kinds, k)) << 1
	if out {
		c |= 1
	}
	return c
}

// codesOf returns a set of codes, one bit each: of some kinds of edge out of a
// memory, and of some kinds into it.
func codesOf(out, in []edges.Kind) (set uint32) {
	for _, k := range out {
		set |= 1 << codeOf(k, true)
	}
	for _, k := range in {
		set |= 1 << codeOf(k, false)
	}
	return set
}

// standing is a memory's status as a bit, 0 for a key without a memory.
type standing uint8

const (
	standsCurrent standing = 1 << iota
	standsSuperseded
	standsForgotten
)

func standingOf(status string) standing {
	switch status {
	case "current":
		return standsCurrent
	case "superseded":
		return standsSuperseded
	}
	return standsForgotten
}

// CopyOf returns the copy of a store's graph, which is empty until searches have paid
// for it.
func CopyOf(d *db.DB) *Copy { return db.Keep[Copy](d) }

// Pay counts the edges that a search by SQL has passed. Once they are as many as
// an update of the copy costs, the copy is updated in the background.
func (a *Copy) Pay(d *db.DB, passed int64) {
	paid := a.paid.Add(passed)
	if paid < cmp.Or(a.price.Load(), worthwhile) || !a.renewing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer a.renewing.Store(false)
		// An error of the store is not lost: the next search has it too.
		_ = a.renew(d.Life(), d, paid)
	}()
}

// Renew updates the copy to the state of the store, whatever that costs.
func (a *Copy) Renew(ctx context.Context, d *db.DB) error { return a.renew(ctx, d, math.MaxInt64) }

// Off keeps Pay from updating the copy, so that a benchmark can measure searches
// by SQL.
func (a *Copy) Off() { a.renewing.Store(true) }

// renew updates the copy from the journal, or reads the graph again if that is not
// possible. It does no more than was paid for.
func (a *Copy) renew(ctx context.Context, d *db.DB, paid int64) error {
	return d.Read(ctx, func(r *db.Reader) error {
		_, ok, err := a.follow(ctx, r, paid/rowPrice)
		if ok {
			a.paid.Store(0)
		}
		if ok || err != nil || a.price.Load() > paid {
			return err
		}
		return a.build(ctx, r, paid)
	})
}

// build reads all memories and edges, unless that costs more than was paid.
func (a *Copy) build(ctx context.Context, r *db.Reader, paid int64) error {
	now, err := readVersion(ctx, r, version{}, 0)
	if err != nil || !now.isKnown() {
		return err
	}
	a.price.Store(max(worthwhile, now.lastEdge))
	if now.lastEdge > paid {
		return nil
	}
	a.paid.Store(0)
	// Without these triggers, as schema.sql has them, the journal is incomplete. They
	// stay as long as the version of the schema does.
	journaled, _, err := db.One[bool](ctx, r, `
select count(*) = 3
from sqlite_master
where type = 'trigger'
  and name in ('edge_inserted', 'memory_inserted', 'memory_updated')
  and instr(?1, substr(sql, length('create trigger ')))`, hence.Schema)
	if err != nil || !journaled {
		return err
	}
	near, status, err := readGraph(ctx, r, now.lastEdge)
	if err != nil || near == nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version, a.near, a.status = now.version, near, status
	return nil
}

// readGraph reads all memories and edges. It returns nil for a graph that is too
// large.
func readGraph(ctx context.Context, r *db.Reader, lastEdge int64) (near [][]half, status []standing, err error) {
	var first, last int64
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&first, &last) }, selectBounds)
	if err != nil || !inRange(first, maxMemories) || !inRange(last, maxMemories) || lastEdge > maxEdges {
		return nil, nil, err
	}
	status = make([]standing, last+1)
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var text sql.RawBytes
		err := row.Scan(&key, &text)
		if err == nil {
			status[key] = standingOf(string(text))
		}
		return err
	}, `select key, status from memories`)
	if err != nil {
		return nil, nil, err
	}
	type edge struct {
		from, to int32
		kind     code
	}
	stored := make([]edge, 0, lastEdge)
	codes := map[string]code{}
	for _, k := range kinds {
		codes[string(k)] = codeOf(k, false)
	}
	degree := make([]int32, last+1)
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var from, to int64
		var kind sql.RawBytes
		if err := row.Scan(&from, &to, &kind); err != nil {
			return err
		}
		stored = append(stored, edge{int32(from), int32(to), codes[string(kind)]})
		degree[from]++
		degree[to]++
		return nil
	}, `select from_key, to_key, kind from edges`)
	if err != nil {
		return nil, nil, err
	}
	near = make([][]half, last+1)
	halves := make([]half, 2*len(stored))
	for key, n := range degree {
		near[key], halves = halves[:0:n], halves[n:]
	}
	for _, e := range stored {
		near[e.from] = append(near[e.from], newHalf(int64(e.to), e.kind|1))
		near[e.to] = append(near[e.to], newHalf(int64(e.from), e.kind))
	}
	return near, status, nil
}

// selectBounds finds the smallest and the largest key of a memory, and of memories
// that somebody has deleted without their edges: a new memory may get such a key.
const selectBounds = `
select
  coalesce(min(first), 0),
  coalesce(max(last), 0)
from (
  select
    (select min(key) from memories) as first,
    (select max(key) from memories) as last
  union all
  select
    (select min(from_key) from edges),
    (select max(from_key) from edges)
  union all
  select
    (select min(to_key) from edges),
    (select max(to_key) from edges)
)`

// inRange reports whether a key is from 0 to last.
func inRange(key, last int64) bool { return key >= 0 && key <= last }
