package edges

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"

	"hence/internal/db"
)

// adjacency keeps in memory which memories an edge joins, for the searches of
// a process that makes many. It takes 8 bytes an edge and 25 a memory.
//
// It may know of edges that are gone, and never lacks one that is there: what a
// search finds is read from the store before it is told, in the same snapshot,
// and who finds no way here finds none there. So all that it must hear of are
// the edges that are made and the memories that come and come back, and each
// of those has a row of the journal (adjacency_follow.go).
//
// Whoever finds it behind, ahead or busy searches by SQL, which answers the
// same. Such searches pay for making it anew: see passed.
type adjacency struct {
	mu      sync.RWMutex
	version version      // the snapshot that it is true of; zero: there is none yet
	near    [][]half     // by the memory's key
	status  []standing   // by the memory's key
	marks   sync.Pool    // of *[]uint8, all zero, for searches
	passed  atomic.Int64 // edges that searches by SQL have passed since it was made
	price   atomic.Int64 // how many are worth making it; see worthwhile
	making  atomic.Bool
}

const (
	// worthwhile is how many edges searches by SQL pass before it is made at
	// all; and as many as the store has: then they have taken about as long as
	// making it does. A command that asks once never pays for it.
	worthwhile = 100_000
	// maxEdges and maxMemories bound what it takes to about 80 MB. They are held
	// against the largest key of each, so a store that keeps one key far from
	// the others, or is larger than this, is searched by SQL.
	maxEdges    = 4_000_000
	maxMemories = 2_000_000
)

// half is an edge as one of its ends sees it: the key of the other end, and in
// the low bits what it is and which way it is stored.
type half uint32

// code is the kind of a half edge and its direction: the kind's place in the
// table of meanings, and whether it is stored from here to there.
type code uint32

const codeBits = 5

func newHalf(to int64, c code) half { return half(to)<<codeBits | half(c) }

func (h half) to() int64  { return int64(h >> codeBits) }
func (h half) code() code { return code(h & (1<<codeBits - 1)) }

func codeOf(k Kind, out bool) code {
	c := code(slices.IndexFunc(meanings, func(m meaning) bool { return m.kind == k })) << 1
	if out {
		c |= 1
	}
	return c
}

// codes returns the half edges that a walk follows, a bit for each code.
func (w rules) codes() (set uint32) {
	for _, k := range w.kinds {
		for _, out := range []bool{true, false} {
			if w.follows(k, out) {
				set |= 1 << codeOf(k, out)
			}
		}
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

// standings returns the statuses that a walk steps on.
func (w rules) standings() standing {
	set := standsCurrent
	if w.includeSuperseded {
		set |= standsSuperseded
	}
	if w.includeForgotten {
		set |= standsForgotten
	}
	return set
}

// pay counts what a search by SQL has passed, and makes the copy anew beside
// the callers once that is as much as making it takes.
func (a *adjacency) pay(d *db.DB, edges int64) {
	passed := a.passed.Add(edges)
	if passed < max(worthwhile, a.price.Load()) || !a.making.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer a.making.Store(false)
		// What keeps the store from being read is told to the next who asks.
		_ = a.make(d.Life(), d, passed)
	}()
}

// make reads the whole graph, unless that takes more than was paid, or more
// memory than it may.
func (a *adjacency) make(ctx context.Context, d *db.DB, paid int64) error {
	return d.Read(ctx, func(r *db.Reader) error {
		now, err := readVersion(ctx, r, version{})
		if err != nil || !now.told() {
			return err
		}
		a.price.Store(now.lastEdge)
		if now.lastEdge > paid {
			return nil
		}
		a.passed.Store(0)
		near, status, err := readGraph(ctx, r, now.lastEdge)
		if err != nil || near == nil {
			return err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.version, a.near, a.status = now.version, near, status
		return nil
	})
}

// readGraph reads all memories and edges. It returns nothing of a graph that is
// too large.
func readGraph(ctx context.Context, r *db.Reader, lastEdge int64) (near [][]half, status []standing, err error) {
	var first, last int64
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&first, &last) }, `
select
  coalesce((select min(key) from memories), 0),
  coalesce((select max(key) from memories), 0)`)
	if err != nil || first < 0 || last > maxMemories || lastEdge > maxEdges {
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
	edges := make([]edge, 0, lastEdge)
	kinds := map[string]code{}
	for _, k := range Kinds() {
		kinds[string(k)] = codeOf(k, false)
	}
	degree := make([]int32, last+1)
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var from, to int64
		var kind sql.RawBytes
		if err := row.Scan(&from, &to, &kind); err != nil {
			return err
		}
		// An end that is no memory was left behind by hand: no way leads there.
		if within(from, last) && within(to, last) {
			edges = append(edges, edge{int32(from), int32(to), kinds[string(kind)]})
			degree[from]++
			degree[to]++
		}
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
	halves := make([]half, 2*len(edges))
	for key, n := range degree {
		near[key], halves = halves[:0:n], halves[n:]
	}
	for _, e := range edges {
		near[e.from] = append(near[e.from], newHalf(int64(e.to), e.kind|1))
		near[e.to] = append(near[e.to], newHalf(int64(e.from), e.kind))
	}
	return near, status, nil
}

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
