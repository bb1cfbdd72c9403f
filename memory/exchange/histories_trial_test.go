package exchange_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/doctor"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
)

// laboratory makes stores.
type laboratory struct {
	empty  []byte
	folder string
	count  atomic.Int64
}

func newLaboratory(t *testing.T) *laboratory {
	d := dbtest.New(t)
	path := d.Path()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	empty, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return &laboratory{empty: empty, folder: dbtest.Folder(t)}
}

// open opens a store that has the bytes of a file.
func (l *laboratory) open(t dbtest.TB, file []byte) *db.DB {
	t.Helper()
	path := filepath.Join(l.folder, fmt.Sprint(l.count.Add(1)))
	err := os.WriteFile(path, file, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// close removes a store, and returns the bytes of its file.
func (l *laboratory) close(t dbtest.TB, d *db.DB) []byte {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(d.Path())
	return file
}

func setClock(t dbtest.TB, d *db.DB, at time.Time) {
	t.Helper()
	if _, err := d.Write(context.Background(), "", db.Time(at), db.S(`select 1`)); err != nil {
		t.Fatal(err)
	}
}

// dateEdges gives the edges that were made just now the time of a slot: their time is that of the machine, where it
// is not the store's.
func dateEdges(t dbtest.TB, d *db.DB, slot int) {
	t.Helper()
	if _, err := d.Write(context.Background(), "", "", db.S(`update edges set created_at = ? where created_at < ?`, db.Time(momentOf(slot)), db.Time(firstMoment))); err != nil {
		t.Fatal(err)
	}
}

func prefixOf(n int) string { return fmt.Sprintf("h%05d-", n) }

// begin returns the file of a store in which number histories have the past.
func (l *laboratory) begin(t dbtest.TB, p past, number int) []byte {
	t.Helper()
	d := l.open(t, l.empty)
	setClock(t, d, firstMoment)
	var text strings.Builder
	for n := range number {
		for _, m := range p.memories {
			fmt.Fprintln(&text, db.List(map[string]any{"type": "memory", "id": prefixOf(n) + m, "title": prefixOf(n) + m, "content": prefixOf(n) + "past " + m, "created_at": firstMoment, "origin": "person"}))
		}
	}
	if _, err := lines.Import(context.Background(), ref.View{DB: d, Caller: ref.Caller{Actor: "person", Origin: "person"}}, strings.NewReader(text.String()), lines.ImportArgs{Name: "past"}); err != nil {
		t.Fatal(err)
	}
	for n := range number {
		for _, o := range p.operations {
			if err := o.doIn(d, prefixOf(n), "past "+o.from+" edited"); err != nil {
				t.Fatal(err)
			}
		}
	}
	dateEdges(t, d, -1)
	return l.close(t, d)
}

// sequences returns the sequences of operations of that length that a store takes after a past, none of
// which is refused or changes nothing.
func (l *laboratory) sequences(t dbtest.TB, p past, length int) (all [][]operation) {
	t.Helper()
	todo := [][]operation{{}}
	for range length {
		longer := [][]operation{}
		for _, s := range todo {
			for _, o := range alphabet {
				longer = append(longer, append(slices.Clone(s), o))
			}
		}
		d := l.open(t, l.begin(t, p, len(longer)))
		todo = nil
		for n, s := range longer {
			taken := true
			for i, o := range s {
				setClock(t, d, momentOf(i))
				before := dbtest.Texts(t, d, `select coalesce(max(seq), 0) from journal`)[0]
				err := o.doIn(d, prefixOf(n), "text")
				if code := fault.CodeOf(err); err != nil && !slices.Contains([]fault.Code{fault.NotFound, fault.Conflict, fault.Cycle, fault.Exists, fault.InvalidArgument}, code) {
					t.Fatal(fmt.Sprint(s, " after ", p.name, ": ", err))
				}
				taken = taken && err == nil && dbtest.Texts(t, d, `select coalesce(max(seq), 0) from journal`)[0] != before
			}
			if taken {
				todo = append(todo, s)
			}
		}
		l.close(t, d)
	}
	return todo
}

// group is some histories that happen in the same stores, in one order.
type group struct {
	past
	order
	histories    []history
	tried        int           // histories in which each store does something
	begin, first func() []byte // the files of what they have in common, and of the first store at its end
}

// groupOf returns the group of histories, all of which are tried.
func (l *laboratory) groupOf(t dbtest.TB, p past, o order, histories []history) group {
	g := group{past: p, order: o, histories: histories, tried: len(histories)}
	g.begin = sync.OnceValue(func() []byte { return l.begin(t, p, len(histories)) })
	g.first = func() []byte { return l.act(t, g.begin(), o, 0, histories) }
	return g
}

// act returns the file of a store at its end: what it begins with, and its part of the histories.
func (l *laboratory) act(t dbtest.TB, begin []byte, o order, store int, histories []history) []byte {
	t.Helper()
	d := l.open(t, begin)
	if !o.copied {
		if _, err := d.Write(context.Background(), "", "", db.S(`update store set tag = ?`, fmt.Sprint("tag", store))); err != nil {
			t.Fatal(err)
		}
	}
	for i, slot := range o.at[store] {
		setClock(t, d, momentOf(slot))
		for n, h := range histories {
			if i >= len(h[store]) {
				continue
			}
			if err := h[store][i].doIn(d, prefixOf(n), textOf(store, i)); err != nil {
				t.Fatal(fmt.Sprintf("%s: %s is refused: %v", h, h[store][i], err))
			}
		}
		dateEdges(t, d, slot)
	}
	return l.close(t, d)
}

// trial is a group with the stores in which it happened.
type trial struct {
	group
	lab    *laboratory
	begun  []*stage
	merged map[[2]*stage]*stage // by the stage into which and that from which: many ways begin with the same merges
	faults map[int][]string     // by history; of the group as a whole under -1
}

// stage is a store between two merges: its file, and what is in it, if somebody asked.
type stage struct {
	file  []byte
	lines []string
}

func (g group) try(t dbtest.TB, lab *laboratory) map[int][]string {
	t.Helper()
	r := &trial{group: g, lab: lab, merged: map[[2]*stage]*stage{}, faults: map[int][]string{}}
	r.begun = append(r.begun, &stage{file: g.first()})
	for store := 1; store < len(g.at); store++ {
		r.begun = append(r.begun, &stage{file: lab.act(t, g.begin(), g.order, store, g.histories)})
	}
	var first []string
	for _, way := range ways(len(g.at)) {
		stores := r.meet(t, way)
		state := withoutRevisions(r.linesOf(t, stores[0]))
		for store, other := range stores[1:] {
			r.compare(state, withoutRevisions(r.linesOf(t, other)), fmt.Sprintf("after %v store %d differs from store 0", way, store+1))
		}
		if first == nil {
			first = state
			r.nothingIsLost(r.linesOf(t, stores[0]))
			r.meetAgain(t, stores)
		}
		r.compare(first, state, fmt.Sprintf("after %v the stores differ from what they are after %v", way, ways(len(g.at))[0]))
	}
	return r.faults
}

func textOf(store, i int) string { return fmt.Sprintf("text %d of store %d", i, store) }

func (r *trial) fail(n int, format string, args ...any) {
	r.faults[n] = append(r.faults[n], fmt.Sprintf(format, args...))
}

// ways returns orders of merging after which every store has everything: each a list of pairs, into
// and from.
func ways(stores int) (all [][][2]int) {
	if stores == 2 {
		return [][][2]int{{{0, 1}, {1, 0}}, {{1, 0}, {0, 1}}}
	}
	for a := range 3 {
		for b := range 3 {
			if c := 3 - a - b; a != b && c >= 0 && c != a && c != b {
				all = append(all,
					[][2]int{{a, b}, {a, c}, {b, a}, {c, a}},         // all meet in a
					[][2]int{{b, a}, {c, b}, {b, c}, {a, b}},         // there and back
					[][2]int{{a, b}, {b, c}, {c, a}, {a, c}, {b, c}}, // around
				)
			}
		}
	}
	return all
}

// meet merges the stores in one way, and returns them.
func (r *trial) meet(t dbtest.TB, way [][2]int) []*stage {
	t.Helper()
	stores := slices.Clone(r.begun)
	for n, pair := range way {
		into, from := &stores[pair[0]], stores[pair[1]]
		after, isKnown := r.merged[[2]*stage{*into, from}]
		if !isKnown {
			d, other := r.lab.open(t, (*into).file), r.lab.open(t, from.file)
			mergeWay(t, d, other, n%2 == 0)
			r.lab.close(t, other)
			after = &stage{file: r.lab.close(t, d)}
			r.merged[[2]*stage{*into, from}] = after
		}
		*into = after
	}
	return stores
}

// meetAgain merges stores that have all once more, which changes nothing, and has the doctor look at the first.
func (r *trial) meetAgain(t dbtest.TB, stores []*stage) {
	t.Helper()
	for n, store := range stores {
		d, other := r.lab.open(t, store.file), r.lab.open(t, stores[(n+1)%len(stores)].file)
		if done := mergeWay(t, d, other, true); done.Changes() {
			r.fail(-1, "another merge changes %+v", done)
		}
		if n == 0 {
			r.examine(t, d)
		}
		r.lab.close(t, other)
		r.lab.close(t, d)
	}
}

// linesOf returns what is in a store.
func (r *trial) linesOf(t dbtest.TB, s *stage) []string {
	t.Helper()
	if s.lines == nil {
		d := r.lab.open(t, s.file)
		s.lines = append(withoutDerivedPurges(export(t, d)), dbtest.Texts(t, d, `select json_array('stale', id, because_id, reason) from stale order by 1`)...)
		r.lab.close(t, d)
	}
	return s.lines
}

// withoutRevisions returns lines without the number of a memory's revisions. Which stores met first decides
// how often a field changed in one; the highest number reaches the others when they next merge.
func withoutRevisions(lines []string) (plain []string) {
	for _, line := range lines {
		plain = append(plain, revision.ReplaceAllString(line, ""))
	}
	return plain
}

var revision = regexp.MustCompile(`"revision":\d+`)

// withoutDerivedPurges returns the lines of an export without the purges of texts that gave way: where the purge
// of a memory comes before the second edit of it, there was no such text, and none is remembered.
func withoutDerivedPurges(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.HasPrefix(line, `{"type":"purged"`) && historyOf(line) < 0
	})
}

func (r *trial) examine(t dbtest.TB, d *db.DB) {
	t.Helper()
	report, err := doctor.Doctor{DB: d}.Examine(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if !f.Healthy && f.Check != "unfinished files" && f.Check != "permissions" {
			r.fail(-1, "the doctor finds %s: %q", f.Check, f.Problems)
		}
	}
}

func mergeWay(t dbtest.TB, into, from *db.DB, byStore bool) merge.Merged {
	t.Helper()
	s, a := ref.View{DB: into, Caller: ref.Caller{Actor: "merger"}}, lines.ImportArgs{Name: "OTHER"}
	var done merge.Merged
	var err error
	if byStore {
		done, err = merge.Stores(context.Background(), s, ref.View{DB: from}, a)
	} else {
		done, err = merge.Lines(context.Background(), s, strings.NewReader(export(t, from)), a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// compare finds the histories in whose lines two states differ.
func (r *trial) compare(first, other []string, what string) {
	if slices.Equal(first, other) {
		return
	}
	for _, side := range []struct {
		sign      string
		here, not []string
	}{{"-", first, other}, {"+", other, first}} {
		there := map[string]bool{}
		for _, line := range side.not {
			there[line] = true
		}
		for _, line := range side.here {
			if !there[line] {
				r.fail(historyOf(line), "%s: %s%s", what, side.sign, line)
			}
		}
	}
	if len(r.faults) == 0 {
		r.fail(-1, "%s: the same lines in another order", what)
	}
}

// historyOf returns the number of the history to which a line belongs, -1 if none.
func historyOf(line string) (n int) {
	_, rest, ok := strings.Cut(line, `"h`)
	if !ok {
		return -1
	}
	if _, err := fmt.Sscanf(rest, "%05d-", &n); err != nil {
		return -1
	}
	return n
}

// panicking is a test in a goroutine that Fatal must not end.
type panicking struct{ dbtest.TB }

func (panicking) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// tryAlone is try in a goroutine of its own.
func (g group) tryAlone(t dbtest.TB, lab *laboratory) (faults map[int][]string) {
	defer func() {
		if wrong := recover(); wrong != nil {
			faults = map[int][]string{-1: {fmt.Sprint(wrong)}}
		}
	}()
	return g.try(panicking{t}, lab)
}
