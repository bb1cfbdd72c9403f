package receipts

import (
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func openBook(t testing.TB) *Book {
	t.Helper()
	b, err := Open(t.Context(), t.TempDir(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// What was shown is read as it was written, and outside bytes are read as far as they can be.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Shown {
			s := Shown{Key: rapid.Int64Range(0, 1<<40).Draw(t, "key"), Check: rapid.Byte().Draw(t, "check"), Revision: rapid.IntRange(1, 1<<20).Draw(t, "revision")}
			s.From, s.Why = rapid.IntRange(0, 1<<30).Draw(t, "from"), rapid.SampledFrom(reasons).Draw(t, "why")
			s.To = rapid.SampledFrom([]int{-1, s.From, s.From + rapid.IntRange(0, 1<<20).Draw(t, "size")}).Draw(t, "to")
			if s.To == -1 {
				s.To = s.From - 1
			}
			return s
		})).Draw(t, "all")
		want := append([]Shown{}, all...)
		for i := range want {
			if want[i].To < want[i].From {
				want[i].To = -1
			}
		}
		if diff := cmp.Diff(want, append([]Shown{}, unpack(pack(all))...)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5})
	f.Fuzz(func(_ *testing.T, packed []byte) { unpack(packed) })
}

// A receipt takes at most 300 bytes and 8 for each memory, with its index entries, in a store of
// 100,000 memories.
func TestAdd_Size(t *testing.T) {
	b := openBook(t)
	const receipts, rows = 2000, 10
	size := func() int {
		n := 0
		if err := b.db.QueryRow(`select page_count * page_size - freelist_count * page_size from pragma_page_count, pragma_page_size, pragma_freelist_count`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before, all := size(), []Receipt{}
	for i := range receipts {
		r := Receipt{
			Session: fmt.Sprintf("019ab3e0-0000-7000-8000-%012d", i/50), Actor: "claude-code", At: noon.Add(time.Duration(i) * time.Second), Tool: "memory_search",
			Took: 3 * time.Millisecond, BytesIn: 80, BytesOut: 4000, Outcome: OK, Arguments: `{"query":"when does the night ferry leave the harbour","limit":10,"kinds":["fact"]}`,
			Hash: HashOf([]byte{byte(i)}), Stamp: Stamp{Store: strings.Repeat("a", 32), Seen: 250_000},
		}
		for j := range rows {
			from := j % 3 * 700
			r.Shown = append(r.Shown, Shown{Key: int64(i*7919+j*104729) % 100_000, Check: byte(j), Revision: 1 + j%3, From: from, To: from + 180, Why: "results"})
		}
		all = append(all, r)
	}
	if err := b.Add(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	if each := (size() - before) / receipts; each > 300+8*rows {
		t.Errorf("a receipt takes %d bytes", each)
	} else {
		t.Logf("a receipt takes %d bytes", each)
	}
}

// What agents gave is masked and cut; receipts of another store, or of another namespace, are not told.
func TestOf(t *testing.T) {
	b := openBook(t)
	secret := "ghp_" + "b7Kq2XvT9mRz4LpW8sYd3HnC6gFj5A0eXw12"
	for i, r := range []Receipt{
		{Session: "s1", Agent: "h", Tool: "memory_get", Arguments: "token " + secret + strings.Repeat(" word", 400), Outcome: "not_found", LeftOut: -1, Hash: HashOf(nil)},
		{Session: "s1", Tool: "memory_get", Stamp: Stamp{Seen: 3, Shown: []Shown{{Key: 4, Revision: 1, To: -1, Why: "rules"}}}},
		{Session: "s2", Namespace: "x", Tool: "expand"},
	} {
		r.Stamp.Store, r.At, r.Took = "one", noon.Add(time.Duration(i)*time.Minute), time.Millisecond
		if err := b.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	one := Scope{Store: "one"}
	all, err := b.Of(t.Context(), one, "s1", time.Time{})
	if err != nil || len(all) != 2 || all[0].Outcome != "not_found" || all[0].LeftOut != -1 || len(all[0].Arguments) > maxArguments+8 || strings.Contains(all[0].Arguments, secret) {
		t.Fatalf("%+v, %v", all, err)
	}
	if diff := cmp.Diff([]Shown{{Key: 4, Revision: 1, To: -1, Why: "rules"}}, all[1].Shown); diff != "" || all[1].Outcome != OK {
		t.Error(diff)
	}
	for _, c := range []struct {
		scope Scope
		want  string
	}{{one, "s2 s1"}, {Scope{"one", "x"}, "s2"}, {Scope{Store: "two"}, ""}} {
		sessions, err := b.Sessions(t.Context(), c.scope, 10)
		got := []string{}
		for _, s := range sessions {
			got = append(got, s.ID)
		}
		if strings.Join(got, " ") != c.want || err != nil {
			t.Errorf("%+v: %v, %v", c.scope, got, err)
		}
	}
	if id, err := b.Find(t.Context(), one, Last); id != "s2" || err != nil {
		t.Errorf("the last is %s, %v", id, err)
	}
	if _, err := b.Find(t.Context(), one, "s3"); err == nil {
		t.Error("an unknown session is found")
	}
	stats, err := b.Count(t.Context(), one, "")
	if err != nil || stats.Calls != 3 || stats.Tools[0].Name != "memory_get" || stats.Tools[0].Failures != 1 || stats.Tools[0].P95Millis != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	if err := b.Keep(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(t.Context(), Receipt{Session: "s1", At: time.Now(), Stamp: Stamp{Store: "one"}}); err != nil {
		t.Fatal(err)
	}
	if n, _ := b.Of(t.Context(), one, "", time.Time{}); len(n) != 0 {
		t.Errorf("%d are kept although they are off", len(n))
	}
	if b.Keep(t.Context(), -1) == nil {
		t.Error("they are kept for -1 days")
	}
}

// An erased text is in no byte of the file or its log; what does not hold it stays.
func TestErase(t *testing.T) {
	state := t.TempDir()
	b, err := Open(t.Context(), state, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for i := range 200 {
		r := Receipt{Session: "s", At: time.Now(), Tool: "memory_search", Arguments: fmt.Sprint("zebra crossing ", i), Stamp: Stamp{Store: "one"}}
		if i%2 == 0 {
			r.Arguments = fmt.Sprint("Quagga stable ", strings.Repeat("x", i))
		}
		if err := b.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	n, err := b.Erase(t.Context(), "one", func(r Receipt) bool { return strings.Contains(r.Arguments, "Quagga") })
	if n != 100 || err != nil {
		t.Fatalf("%d erased, %v", n, err)
	}
	for _, suffix := range []string{"", "-wal"} {
		if raw, err := os.ReadFile(Path(state) + suffix); err == nil && strings.Contains(string(raw), "Quagga") {
			t.Errorf("the file%s still has it", suffix)
		}
	}
	if all, err := b.Of(t.Context(), Scope{Store: "one"}, "s", time.Time{}); len(all) != 200 || all[0].Arguments != erased || all[1].Arguments != "zebra crossing 1" || err != nil {
		t.Errorf("%d stay, %v", len(all), err)
	}
}

// What is older than it is kept, and all of it once none is kept, is in no byte of the file or its log.
func TestKeep_LeavesNoByte(t *testing.T) {
	state := t.TempDir()
	b, err := Open(t.Context(), state, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for i := range 50 {
		r := Receipt{Session: "Quagga session", At: time.Now().AddDate(0, 0, -10), Tool: "memory_search", Arguments: fmt.Sprint("Quagga stable ", strings.Repeat("x", i)), Stamp: Stamp{Store: "one"}}
		if err := b.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, days := range []int{5, 0} {
		if err := b.Keep(t.Context(), days); err != nil {
			t.Fatal(err)
		}
		for _, suffix := range []string{"", "-wal"} {
			if raw, err := os.ReadFile(Path(state) + suffix); err == nil && strings.Contains(string(raw), "Quagga") {
				t.Errorf("with %d days the file%s still has it", days, suffix)
			}
		}
	}
}

// What waits in a queue while a text is erased has it no more when it is written, whoever's queue it is; what
// comes after, and other stores' receipts, keep their arguments.
func TestErase_Queued(t *testing.T) {
	state := t.TempDir()
	b, err := Open(t.Context(), state, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	other, err := Open(t.Context(), state, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	r := NewRecorder(other, slog.New(slog.DiscardHandler), nil)
	queued := func(store, arguments string, at time.Time) {
		r.Record(Receipt{Session: "s", At: at, Tool: "memory_search", Arguments: arguments, Stamp: Stamp{Store: store}})
	}
	r.writing.Lock() // nothing is written before the erasure
	queued("one", "Quagga stable", time.Now())
	queued("one", "Quagga of yesterday", time.Now().AddDate(0, 0, -1))
	queued("two", "zebra crossing", time.Now())
	if _, err := b.Erase(t.Context(), "one", func(Receipt) bool { return false }); err != nil {
		t.Fatal(err)
	}
	queued("one", "okapi", time.Now().Add(time.Minute))
	r.writing.Unlock()
	r.Close()
	for _, suffix := range []string{"", "-wal"} {
		if raw, err := os.ReadFile(Path(state) + suffix); err == nil && strings.Contains(string(raw), "Quagga") {
			t.Errorf("the file%s has it again", suffix)
		}
	}
	for store, want := range map[string][]string{"one": {erased, erased, "okapi"}, "two": {"zebra crossing"}} {
		got := []string{}
		all, err := b.Of(t.Context(), Scope{Store: store}, "s", time.Time{})
		for _, one := range all {
			got = append(got, one.Arguments)
		}
		if slices.Sort(got); !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %q, %v", store, got, err)
		}
	}
}

// What is older than it is kept goes.
func TestSweep(t *testing.T) {
	b := openBook(t)
	ctx := t.Context()
	for _, days := range []int{100, 30, 3} {
		at := time.Now().AddDate(0, 0, -days)
		r := Receipt{Session: fmt.Sprint(days), At: at, Tool: "x", Stamp: Stamp{Store: "one"}}
		if err := b.write(ctx, func(tx *sql.Tx) error { return add(ctx, tx, r) }); err != nil {
			t.Fatal(err)
		}
		if err := b.PutMarks(ctx, r.Session, "", at, "seen", "", []string{"id"}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.db.Exec(`update sessions set last = ? where id = ?`, at.UnixMilli(), r.Session); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Sweep(ctx, time.Now()); err != nil {
		t.Fatal(err)
	}
	got := ""
	if err := b.db.QueryRow(`
select (select group_concat(id, ' ') from (select id from sessions order by key)) || ', ' || (select count(*) from receipts) || ', ' || (select count(*) from marks)`).Scan(&got); err != nil || got != "30 3, 2, 1" {
		t.Errorf("kept: %s, %v", got, err)
	}
}

// Of many processes one gets a right, and what they note is not lost.
func TestClaim_AtTheSameMoment(t *testing.T) {
	state := t.TempDir()
	for key := range 5 {
		var all sync.WaitGroup
		var got atomic.Int32
		for i := range 8 {
			all.Go(func() {
				b, err := Open(t.Context(), state, time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				defer b.Close()
				if won, err := b.Claim(t.Context(), "s", "", noon, fmt.Sprint(key), time.Minute, noon); err != nil {
					t.Error(err)
				} else if won {
					got.Add(1)
				}
				if err := b.PutMarks(t.Context(), "s", "", noon, "seen", "", []string{fmt.Sprint(key, i)}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d get the right %d", got.Load(), key)
		}
	}
	b, err := Open(t.Context(), state, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if began, marks, err := b.ReadMarks(t.Context(), "s", ""); err != nil || len(marks) != 45 || !began.Equal(noon) {
		t.Errorf("%v, %d marks, %v", began, len(marks), err)
	}
}

// A file that is not a database is replaced by an empty one, the file is private, and what cannot be opened is said.
func TestOpen(t *testing.T) {
	state := t.TempDir()
	if err := os.WriteFile(Path(state), []byte(strings.Repeat("noise", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Open(t.Context(), state, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	if info, err := os.Stat(Path(state)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v", info, err)
	}
	for _, bad := range []string{"", Path(state)} {
		if b, err := Open(t.Context(), bad, 0); err == nil {
			t.Errorf("%q is opened: %v", bad, b)
		}
	}
	var none *Book
	if days, err := none.Days(t.Context()); days != 0 || err != nil || none.Add(t.Context(), Receipt{}) != nil || none.Close() != nil {
		t.Error("no book keeps something")
	}
}

// The stamp has the memories by id and by short id, each in its order, and not what is gone.
func TestStampOf(t *testing.T) {
	d := dbtest.New(t)
	if _, err := d.Write(t.Context(), "ada", db.Now(),
		db.S(`insert into memories (id, title) values ('019ab3e0-0000-7000-8000-00000000000a', 'a'), ('b', 'b')`),
		db.S(`update memories set title = 'c' where id = 'b'`)); err != nil {
		t.Fatal(err)
	}
	s, err := StampOf(t.Context(), d, Written, []ref.Shown{{ID: "b", Why: "rules"}, {ID: "gone"}, {ID: "0000000a", Range: ref.Range{From: 2, To: 5}}})
	if err != nil || len(s.Shown) != 2 || s.Shown[0].Revision != 2 || s.Shown[0].Why != "rules" || s.Shown[1].To != 5 || s.Seen != 3 || len(s.Store) != 32 {
		t.Fatalf("%+v, %v", s, err)
	}
	// One that was changed after the row that was the last before the answer is only named.
	changed, err := StampOf(t.Context(), d, 2, []ref.Shown{{ID: "b", Range: ref.Range{To: -1}}, {ID: "0000000a", Range: ref.Range{From: 2, To: 5}}})
	if err != nil || changed.Shown[0].To != 0 || changed.Shown[1].To != 5 {
		t.Errorf("%+v, %v", changed, err)
	}
	if !s.Shown[0].Is("b") || s.Shown[0].Is("a") {
		t.Error("a memory is not told from another")
	}
}

// Close writes what waits, and what was opened is told once for a batch, also without a book.
func TestRecorder(t *testing.T) {
	b, opened := openBook(t), 0
	for _, book := range []*Book{b, nil} {
		r := NewRecorder(book, slog.New(slog.DiscardHandler), func(ids []string) { opened += len(ids) })
		for range 1000 {
			r.Record(Receipt{Session: "s", At: time.Now(), Tool: "x", Opened: []string{"a"}})
		}
		r.Close()
		r.Close() // a second time does no harm
		r.Record(Receipt{})
	}
	if all, err := b.Of(t.Context(), Scope{}, "s", time.Time{}); len(all) != 1000 || err != nil || opened != 2000 {
		t.Errorf("%d are kept, %d opened, %v", len(all), opened, err)
	}
}

// While another process writes, a batch waits for its turn, also for longer than a call would, and the end of
// a server does not.
func TestRecorder_OfALockedFile(t *testing.T) {
	state := t.TempDir()
	open := func() *Book {
		b, err := Open(t.Context(), state, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	book, other := open(), open()
	opened := []string{}
	record := func() *Recorder {
		return NewRecorder(book, slog.New(slog.DiscardHandler), func(ids []string) { opened = append(opened, ids...) })
	}
	lock, err := other.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	patient, hurried := record(), record()
	for _, r := range []*Recorder{patient, hurried} {
		for range 3 * maxBatch {
			r.Record(Receipt{Stamp: Stamp{Store: "a"}, Session: "s", At: time.Now(), Tool: "memory_get"})
		}
	}
	patient.Record(Receipt{Stamp: Stamp{Store: "a"}, Session: "s", At: time.Now(), Tool: "memory_get", Opened: []string{"x"}})
	patient.flush()
	began := time.Now()
	hurried.Close()
	if took := time.Since(began); took > 20*patience {
		t.Errorf("closing takes %v", took)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	patient.Close()
	if all, err := book.Of(t.Context(), Scope{Store: "a"}, "s", time.Time{}); err != nil || len(all) != 3*maxBatch+1 || !slices.Equal(opened, []string{"x"}) {
		t.Errorf("%d receipts, %v, opened: %q", len(all), err, opened)
	}
}
