// Package adjacency keeps a copy of the graph in memory, for a process that makes many
// searches: the ends and kind of each edge, and the status of each memory. It has no titles,
// weights or times; a search that needs those (the strongest path, a time in the past) runs
// by SQL. Walks work without the copy, which only speeds up the search for shortest paths.
//
// The copy is built in the background once searches by SQL have passed as many edges as
// building it reads, so a command that searches once does not build it. If the copy is
// outdated, a search uses SQL. Once such searches have cost about as much as a rebuild, the
// copy is rebuilt.
//
// The copy may have edges that were deleted, but it never lacks one that exists. A search
// reads the edges that it finds from the store, in its own snapshot, before it returns them;
// and a path that is not in the copy is not in the store. So an update of the copy needs only
// new edges, and memories that appear or reappear. Each of these has a row in the journal,
// whichever program wrote it. The copy is used for a snapshot only if the journal of the
// snapshot has the copy's last row and all rows since, under the same version of the schema
// (which SQLite also increases for a restored backup and a dropped trigger). Deletions that
// fire no trigger are harmless, because the copy may have deleted edges. The copy cannot
// detect a change whose row somebody deletes by hand from the end of the journal; even then
// it detects a new edge, unless that reuses the key of a deleted one.
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

// Copy is a copy of a store's graph. It takes 8 bytes per edge and 25 per memory.
type Copy struct {
	mu       sync.RWMutex
	version  version      // the state of the store that the copy matches; zero: not built yet
	adjacent [][]half     // the edges of each memory, by its key
	status   []statusBit  // by the memory's key
	marks    sync.Pool    // buffers of searches: *[]uint8, all zero
	paid     atomic.Int64 // number of edges that searches by SQL passed since the last update
	price    atomic.Int64 // cost of an update, in such edges; 0: unknown
	renewing atomic.Bool  // an update is running in the background
}

const (
	// minPrice is the lowest price of building the copy, so that a command that searches
	// once does not build it. In larger stores the price is the number of edges.
	minPrice = 100_000
	// rowPrice is the price of reading one row of the journal (measured: 12 µs, and
	// 1 µs for an edge of a search).
	rowPrice = 12
	// maxSearchRows is how many rows a search itself reads to update the copy, which takes
	// about as long as the search by SQL that it saves.
	maxSearchRows = 100
	// maxEdges and maxMemories limit the copy to 82 MB. They limit the largest key:
	// a store that is larger, or has a single larger key, is searched by SQL.
	maxEdges    = 4_000_000
	maxMemories = 2_000_000
)

// half is an edge of one memory: the key of the other end in the high bits, and the code in
// the low codeBits bits.
type half uint32

// kinds are the kinds of edge. A code contains an index into this list.
var kinds = edges.Kinds()

// code is the kind and direction of a half: the index of the kind, and in the lowest bit
// whether the edge points to the other end.
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

// codesOf returns a set of codes, one bit per code: of the kinds out for edges out of a
// memory, and of the kinds in for edges into it.
func codesOf(out, in []edges.Kind) (set uint32) {
	for _, k := range out {
		set |= 1 << codeOf(k, true)
	}
	for _, k := range in {
		set |= 1 << codeOf(k, false)
	}
	return set
}

// statusBit is a memory's status as a bit, 0 for a key without a memory.
type statusBit uint8

const (
	currentBit statusBit = 1 << iota
	supersededBit
	forgottenBit
)

func statusBitOf(status string) statusBit {
	switch status {
	case "current":
		return currentBit
	case "superseded":
		return supersededBit
	}
	return forgottenBit
}

// CopyOf returns the copy of a store's graph. It is empty until Pay or Renew builds it.
func CopyOf(d *db.DB) *Copy { return db.Keep[Copy](d) }

// Pay adds the number of edges that a search by SQL has passed. Once the sum reaches the
// price of an update, Pay starts the update in the background.
func (a *Copy) Pay(d *db.DB, passed int64) {
	paid := a.paid.Add(passed)
	if paid < cmp.Or(a.price.Load(), minPrice) || !a.renewing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer a.renewing.Store(false)
		// The error may be dropped: the next search of the store fails with it too.
		_ = a.renew(d.Life(), d, paid)
	}()
}

// Renew updates the copy to the state of the store, whatever the price.
func (a *Copy) Renew(ctx context.Context, d *db.DB) error { return a.renew(ctx, d, math.MaxInt64) }

// Off prevents Pay from updating the copy, so that a benchmark can measure searches by SQL.
func (a *Copy) Off() { a.renewing.Store(true) }

// renew updates the copy from the journal, or reads the whole graph if that is not possible.
// It does nothing that has a higher price than paid.
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

// build builds the copy from all memories and edges, unless the price is higher than paid.
func (a *Copy) build(ctx context.Context, r *db.Reader, paid int64) error {
	now, err := readVersion(ctx, r, version{}, 0)
	if err != nil || !now.isKnown() {
		return err
	}
	a.price.Store(max(minPrice, now.lastEdge))
	if now.lastEdge > paid {
		return nil
	}
	a.paid.Store(0)
	// Unless these triggers are as in schema.sql, the journal is incomplete. They cannot
	// change without a change of the version of the schema.
	journaled, _, err := db.One[bool](ctx, r, `
select count(*) = 3
from sqlite_master
where type = 'trigger'
  and name in ('edge_inserted', 'memory_inserted', 'memory_updated')
  and instr(?1, substr(sql, length('create trigger ')))`, hence.Schema)
	if err != nil || !journaled {
		return err
	}
	adjacent, status, err := readGraph(ctx, r, now.lastEdge)
	if err != nil || adjacent == nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version, a.adjacent, a.status = now.version, adjacent, status
	return nil
}

// readGraph reads all memories and edges. It returns nil for a graph that is too large.
func readGraph(ctx context.Context, r *db.Reader, lastEdge int64) (adjacent [][]half, status []statusBit, err error) {
	var first, last int64
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&first, &last) }, selectBounds)
	if err != nil || !inRange(first, maxMemories) || !inRange(last, maxMemories) || lastEdge > maxEdges {
		return nil, nil, err
	}
	status = make([]statusBit, last+1)
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var text sql.RawBytes
		err := row.Scan(&key, &text)
		if err == nil {
			status[key] = statusBitOf(string(text))
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
	adjacent = make([][]half, last+1)
	halves := make([]half, 2*len(stored))
	for key, n := range degree {
		adjacent[key], halves = halves[:0:n], halves[n:]
	}
	for _, e := range stored {
		adjacent[e.from] = append(adjacent[e.from], newHalf(int64(e.to), e.kind|1))
		adjacent[e.to] = append(adjacent[e.to], newHalf(int64(e.from), e.kind))
	}
	return adjacent, status, nil
}

// selectBounds selects the smallest and the largest key of a memory or of the end of an edge.
// The latter may be the key of a memory that was deleted without its edges; a new memory may
// reuse it.
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
