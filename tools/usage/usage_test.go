package usage_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/tools/usage"
)

var quiet = slog.New(slog.DiscardHandler)

func TestRecorder_Stats(t *testing.T) {
	d := dbtest.New(t)
	r := usage.NewRecorder(d, quiet)
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for i := range 100 {
		r.Record(usage.Call{
			At: start.Add(time.Duration(i) * time.Minute), Actor: "claude", Tool: "memory_get",
			Took: time.Duration(i+1) * time.Millisecond, BytesIn: 10, BytesOut: 100, Outcome: usage.OK,
		})
	}
	r.Record(usage.Call{At: start, Tool: "memory_store", Took: time.Second, Outcome: "conflict"})
	r.Close()
	r.Close() // a second time does no harm
	got, err := usage.Read(t.Context(), d, "")
	if err != nil {
		t.Fatal(err)
	}
	want := usage.Stats{Calls: 101, Tools: []usage.Tool{
		{
			Name: "memory_get", Calls: 100, Outcomes: map[string]int{"ok": 100}, P50Millis: 50, P95Millis: 95,
			BytesIn: 1000, BytesOut: 10_000, LastAt: "2026-05-01T13:39:00.000Z",
		},
		{Name: "memory_store", Calls: 1, Failures: 1, Outcomes: map[string]int{"conflict": 1}, P50Millis: 1000, P95Millis: 1000, LastAt: "2026-05-01T12:00:00.000Z"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if got, err := usage.Read(t.Context(), d, db.Time(start.Add(99*time.Minute))); err != nil || got.Calls != 1 {
		t.Errorf("since the last minute: %+v, %v", got, err)
	}
}

// Close writes all queued calls, however many they are.
func TestRecorder_CloseWritesWhatWaits(t *testing.T) {
	d := dbtest.New(t)
	r := usage.NewRecorder(d, quiet)
	for range 1000 {
		r.Record(usage.Call{Tool: "x", Outcome: usage.OK})
	}
	r.Close()
	if n := dbtest.Count(t, d, `select count(*) from usage`); n != 1000 {
		t.Errorf("%d calls are kept, want 1000", n)
	}
}

// The table keeps the newest rows.
func TestRecorder_DropsTheOldest(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into usage (key, at, actor, tool, micros, bytes_in, bytes_out, outcome)
values (1, '2026-01-01T00:00:00.000Z', '', 'old', 1, 1, 1, 'ok'), (100000, '2026-01-01T00:00:00.000Z', '', 'young', 1, 1, 1, 'ok')`)
	r := usage.NewRecorder(d, quiet)
	r.Record(usage.Call{Tool: "new", Outcome: usage.OK})
	r.Close()
	if got := dbtest.Texts(t, d, `select tool from usage order by key`); fmt.Sprint(got) != `[young new]` {
		t.Errorf("the table has %v", got)
	}
}

// A call does not fail if the store cannot be written.
func TestRecorder_ClosedStore(t *testing.T) {
	d := dbtest.New(t)
	readOnly, err := db.Open(t.Context(), d.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	r := usage.NewRecorder(readOnly, quiet)
	start := time.Now()
	for range 20_000 { // to write them takes 100 s, 200 in a batch a second
		r.Record(usage.Call{Tool: "x", Outcome: usage.OK})
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("twenty thousand records took %v", took)
	}
	r.Close()
}

// The days on which memories were last opened are written with the calls, or alone if calls
// are not counted.
func TestRecorder_Opened(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (id, title) values ('a', 'a'), ('b', 'b'), ('c', 'c');
insert into opened select key, '2020-01-01T00:00:00.000Z' from memories where id = 'a';
insert into opened select key, strftime('%Y-%m-%dT00:00:00.000Z', 'now') from memories where id = 'b'`)
	r := usage.NewRecorder(d, quiet)
	r.RecordOpened(usage.Call{Tool: "memory_get", Opened: []string{"a", "b", "purged since"}})
	r.RecordOpened(usage.Call{Tool: "memory_list"})
	r.Record(usage.Call{Tool: "memory_get", Opened: []string{"c", "c"}, Outcome: usage.OK})
	r.Close()
	today := db.Now()[:len("2006-01-02")]
	got := dbtest.Texts(t, d, `select m.id || ' ' || o.at from opened o join memories m on m.key = o.memory order by m.id`)
	if len(got) != 3 || got[0][2:12] != today || got[1] != "b "+today+"T00:00:00.000Z" || got[2][2:12] != today {
		t.Errorf("opened: %v, want a and c today, and b as it was", got)
	}
	if n := dbtest.Count(t, d, `select count(*) from usage`); n != 1 {
		t.Errorf("%d calls are counted, want 1", n)
	}
	if n := dbtest.Count(t, d, `select count(*) from journal where action <> 'store'`); n != 0 {
		t.Errorf("%d changes in the journal", n)
	}
}
