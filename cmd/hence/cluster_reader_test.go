package main

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/node/nodetest"
)

// longestFreeze is how long a reader may not see what its node has.
const longestFreeze = 2 * time.Second

// enoughReads is how many reads hold or break the invariant at least.
const enoughReads = 100_000

// reader reads beside one node as fast as it can, and holds each snapshot against what is
// true of every state of a store.
type reader struct {
	db     *db.DB
	node   *nodetest.Node
	reads  atomic.Int64
	absent atomic.Int64 // reads that were answered with unavailable
	backs  atomic.Int64 // how often the journal ended earlier than before
	mayGo  atomic.Int64 // how often it may have: restarts of the node, and loads
	mu     sync.Mutex
	wrong  []string
}

// state is what one snapshot says.
type state struct {
	seq      int64 // the journal's last number
	memories int64
	counted  int64 // memories, as triggers count them
	found    int64 // memories, as the full-text index finds them; 0 if not asked
}

func (s *state) Fields() []any { return []any{&s.seq, &s.memories, &s.counted, &s.found} }

const searchEach = 50 // one read in this many asks the full-text index too

func (r *reader) read(ctx context.Context, search bool) (s state, err error) {
	err = r.db.Read(ctx, func(snapshot *db.Reader) error {
		one, _, err := db.First(ctx, snapshot, func(row *sql.Rows) (s state, err error) { return s, db.Scan(row, &s) }, `
select
  (select coalesce(max(seq), 0) from journal),
  (select count(*) from memories),
  (select coalesce(sum(number), 0) from memory_counts),
  iif(?, (select count(distinct m.key) from section_search s join sections c on c.key = s.rowid join memories m on m.key = c.memory where section_search match 'memory'), 0)`, search)
		s = one
		return err
	})
	return s, err
}

func (r *reader) fail(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, text)
}

// follow reads until it is told to stop.
func (r *reader) follow(ctx context.Context) {
	last := state{}
	for n := 0; ctx.Err() == nil; n++ {
		s, err := r.read(ctx, n%searchEach == 0)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && (fault.CodeOf(err) != fault.Unavailable || strings.Contains(err.Error(), "malformed")):
			r.fail("a read failed with " + err.Error())
		case err != nil:
			r.absent.Add(1)
			continue
		}
		r.reads.Add(1)
		if s.memories != s.counted {
			r.fail("memories and their counts do not agree")
		}
		if n%searchEach == 0 && s.found != s.memories {
			r.fail("the full-text index and the memories do not agree")
		}
		if s.seq < last.seq && r.backs.Add(1) > r.mayGo.Load() {
			r.fail("the journal went back without a restart of the node")
		}
		last = s
	}
}

// awaitNew waits until the node has what the leader holds now, and returns how much later
// the reader sees it.
func (r *reader) awaitNew(t *testing.T, newest int64) (frozen time.Duration) {
	t.Helper()
	began, has := time.Now(), time.Time{}
	for {
		// Not the other way round: the reader may only be late.
		if has.IsZero() && r.node.Act(t.Context()) >= newest {
			has = time.Now()
		}
		act, err := r.db.Act(t.Context())
		if err == nil && act >= newest {
			if has.IsZero() {
				return 0
			}
			return time.Since(has)
		}
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("the reader sees transaction %d for two minutes, want %d: %v", act, newest, err)
		}
		time.Sleep(time.Millisecond)
	}
}

// Readers beside nodes that take snapshots, are killed, stopped, wiped and loaded with a
// backup see one state after the other, each in itself right.
func TestClusterReadersAreNeverWrong(t *testing.T) {
	t.Parallel() // it waits more than it works
	c, servers := startWorld(t, often...)
	stop := crowd(t, newHistory(), 1, servers...)
	readers := []*reader{}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i, n := range c.Nodes {
		d, err := db.Open(t.Context(), c.Store(i), db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		r := &reader{db: d, node: n}
		readers = append(readers, r)
		all.Go(func() { r.follow(ctx) })
	}
	newest := func() (act int64) { // of what any node holds
		for _, r := range readers {
			if one, err := r.db.Act(t.Context()); err == nil {
				act = max(act, one)
			}
		}
		return act
	}
	longest := time.Duration(0)
	restart := func(n *nodetest.Node, gone func()) {
		for _, r := range readers {
			if r.node == n {
				r.mayGo.Add(1)
			}
		}
		gone()
		time.Sleep(time.Second)
		n.Start()
		n.AwaitReady()
		want := newest()
		for _, r := range readers {
			if r.node == n {
				longest = max(longest, r.awaitNew(t, want))
			}
		}
	}
	backup := filepath.Join(dbtest.Folder(t), "backup.db")
	rounds := 0
	reads := func() (n int64) {
		for _, r := range readers {
			n += r.reads.Load()
		}
		return n
	}
	for end := time.Now().Add(lasting(t)); rounds == 0 || time.Now().Before(end) || reads() < enoughReads; rounds++ {
		for _, n := range []*nodetest.Node{c.Followers()[0], c.Leader()} {
			restart(n, n.Kill)
			restart(n, n.Stop)
			restart(n, func() { n.Kill(); n.Wipe() })
		}
		path := backup + string(rune('a'+rounds%26))
		if rounds < 26 {
			if err := readers[0].db.Backup(t.Context(), path); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		for _, r := range readers {
			r.mayGo.Add(1)
		}
		if _, err := db.RestoreBackup(t.Context(), path, c.Store(0), db.Options{}); err != nil {
			t.Fatal(err)
		}
		want := newest()
		for _, r := range readers {
			longest = max(longest, r.awaitNew(t, want))
		}
	}
	stop()
	cancel()
	all.Wait()
	absent, backs := int64(0), int64(0)
	for _, r := range readers {
		absent += r.absent.Load()
		backs += r.backs.Load()
		for i, text := range r.wrong {
			if i < 5 {
				t.Error(text)
			}
		}
		if len(r.wrong) > 5 {
			t.Error(errors.New("and more like these"), len(r.wrong))
		}
	}
	t.Logf("%d rounds, %d reads, %d unavailable, the journal went back %d times at a restart or a load; a reader saw what its node had within %v", rounds, reads(), absent, backs, longest)
	if longest > longestFreeze {
		t.Errorf("a reader saw for %v not what its node had, want at most %v", longest, longestFreeze)
	}
	sameEverywhere(t, c)
}
