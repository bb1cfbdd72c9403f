// Package adjacency keeps a copy in memory of which memories are joined by an
// edge, for a process that makes many searches. A walk reads without it: the
// copy only says sooner which hops a shortest path has.
package adjacency

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"hence/edges"
	"hence/internal/db"
)

// Copy is a copy of a store's graph: who is joined to whom by what kind of edge,
// and the status of each memory. It takes 8 bytes an edge and 25 a memory.
//
// The copy may hold edges that are gone; it never lacks one that is there. A
// search reads what it finds from the store before it answers, in the same
// snapshot, and a path that is not in the copy is not in the store. So the copy
// must hear only of new edges and of memories that come or come back, and each of
// those has a row of the journal (follow.go).
//
// If the copy is stale, the search falls back to SQL, with the same answer. Once
// the fallbacks have cost about as much as a rebuild, the copy is rebuilt.
type Copy struct {
	mu       sync.RWMutex
	version  version      // the state of the store that it is true of; zero: it is not built yet
	near     [][]half     // by the memory's key
	status   []standing   // by the memory's key
	marks    sync.Pool    // of *[]uint8, all zero, for searches
	paid     atomic.Int64 // edges that searches by SQL have passed since it was last brought to the store
	price    atomic.Int64 // how many that takes; 0: not known
	renewing atomic.Bool
}

const (
	// worthwhile is the least price of building it, in edges that searches by SQL
	// have passed, so that a command that asks once does without. Beyond that
	// the price is the number of edges in the store.
	worthwhile = 100_000
	// rowPrice is the price of following a row of the journal (measured: 12 µs,
	// and 1 µs an edge of a search).
	rowPrice = 12
	// atOnce is how many rows the search that comes upon them follows itself: it
	// takes about as long as the search by SQL that it saves.
	atOnce = 100
	// maxEdges and maxMemories bound what it takes to 82 MB. They are held
	// against the largest key of each: a store that is larger, or keeps one key
	// far from the others, is searched by SQL.
	maxEdges    = 4_000_000
	maxMemories = 2_000_000
)

// half is an edge as one of its ends sees it: the key of the other end, and in
// the low bits what it is and which way it is stored.
type half uint32

// kinds are the kinds of edge, whose places in this list are kept.
var kinds = edges.Kinds()

// code is the kind of a half edge and its direction: the kind's place among
// all kinds, and whether it is stored from here to there.
type code uint32

const codeBits = 5

func newHalf(to int64, c code) half { return half(to)<<codeBits | half(c) }

func (h half) to() int64  { return int64(h >> codeBits) }
func (h half) code() code { return code(h & (1<<codeBits - 1)) }

func codeOf(k edges.Kind, out bool) code {
	c := code(slices.Index(kinds, k)) << 1
	if out {
		c |= 1
	}
	return c
}

// codesOf returns the half edges of some kinds that lead out of a memory and
// into it, a bit for each code.
func codesOf(out, in []edges.Kind) (set uint32) {
	for _, k := range out {
		set |= 1 << codeOf(k, true)
	}
	for _, k := range in {
		set |= 1 << codeOf(k, false)
	}
	return set
}

// standing is a memory's status as a bit, 0 for one that there is not.
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

// Of returns the copy of a store's graph. It is empty until searches have paid
// for it.
func Of(d *db.DB) *Copy { return db.Kept[Copy](d) }

// Pay counts the edges that a search by SQL has passed. Once they are as many as
// a rebuild of the copy costs, the copy is rebuilt in the background.
func (a *Copy) Pay(d *db.DB, passed int64) {
	paid := a.paid.Add(passed)
	if paid < cmp.Or(a.price.Load(), worthwhile) || !a.renewing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer a.renewing.Store(false)
		// An error is not lost: the next search meets it too.
		_ = a.renew(d.Life(), d, paid)
	}()
}

// Renew brings the copy to the state of the store, whatever that costs.
func (a *Copy) Renew(ctx context.Context, d *db.DB) error { return a.renew(ctx, d, math.MaxInt64) }

// Off keeps the copy from being rebuilt by Pay, so that a measurement can hold
// searches by SQL against it.
func (a *Copy) Off() { a.renewing.Store(true) }

// renew follows the journal, or reads the whole graph where that is not to be
// followed: for no more than was paid.
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

// build reads the whole graph, unless that costs more than was paid.
func (a *Copy) build(ctx context.Context, r *db.Reader, paid int64) error {
	now, err := readVersion(ctx, r, version{}, 0)
	if err != nil || !now.told() {
		return err
	}
	a.price.Store(max(worthwhile, now.lastEdge))
	if now.lastEdge > paid {
		return nil
	}
	a.paid.Store(0)
	if ok, err := journaled(ctx, r); err != nil || !ok {
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

// readGraph reads all memories and edges. It returns nothing of a graph that is
// too large.
func readGraph(ctx context.Context, r *db.Reader, lastEdge int64) (near [][]half, status []standing, err error) {
	var first, last int64
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&first, &last) }, selectBounds)
	if err != nil || !within(first, maxMemories) || !within(last, maxMemories) || lastEdge > maxEdges {
		return nil, nil, err
	}
	status = make([]standing, last+1)
	if err := readStandings(ctx, r, status); err != nil {
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
	}, `
select
  from_key,
  to_key,
  kind
from edges`)
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

// selectBounds finds the least and the largest key of a memory, or of one that
// somebody has removed in a way that left its edges behind: another memory may
// get the key.
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

// within reports whether a key has a place among those up to the last one.
func within(key, last int64) bool { return key >= 0 && key <= last }

// readStandings reads the status of every memory.
func readStandings(ctx context.Context, r *db.Reader, status []standing) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var text sql.RawBytes
		err := row.Scan(&key, &text)
		if err == nil {
			status[key] = standingOf(string(text))
		}
		return err
	}, `
select
  key,
  status
from memories`)
}
