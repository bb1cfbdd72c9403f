package db_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

func TestVectorsAreAtHand(t *testing.T) {
	d := dbtest.New(t)
	err := d.Read(t.Context(), func(r *db.Reader) error {
		far, _, err := db.One[float64](t.Context(), r, `select vec_distance_l2('[0, 3]', '[4, 0]')`)
		if far != 5 {
			t.Errorf("distance = %v, want 5", far)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := filepath.Join(dir, "newer.db")
	dbtest.Script(t, newer, `pragma application_id = 0x48656e63; create table a (b); pragma user_version = 999;`)
	foreign := filepath.Join(dir, "foreign.db")
	dbtest.Script(t, foreign, `create table songs (title);`)
	for _, c := range []struct {
		name string
		path string
		o    db.Options
		want fault.Code
	}{
		{"NewFile", filepath.Join(dir, "a", "b", "new.db"), db.Options{}, ""},
		{"EmptyFile", write("empty.db", ""), db.Options{}, ""},
		{"NameWithQuestionMark", filepath.Join(dir, "what? #1 100%.db"), db.Options{}, ""},
		{"Folder", dir, db.Options{}, fault.InvalidArgument},
		{"NotADatabase", write("text.db", "this is a shopping list, and no database at all; it is long enough to have a header's length.\n......"), db.Options{}, fault.InvalidArgument},
		{"AnotherProgramsDatabase", foreign, db.Options{}, fault.InvalidArgument},
		{"NewerSchema", newer, db.Options{}, fault.InvalidArgument},
		{"InMemory", ":memory:", db.Options{}, fault.InvalidArgument},
		{"InMemoryReadOnly", ":memory:", db.Options{ReadOnly: true}, fault.InvalidArgument},
		{"FileOfThatName", filepath.Join(dir, ":memory:"), db.Options{}, ""},
		{"ReadOnlyMissing", filepath.Join(dir, "none.db"), db.Options{ReadOnly: true}, fault.NotFound},
		{"FolderThatIsAFile", filepath.Join(write("file", "x"), "in.db"), db.Options{}, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := db.Open(t.Context(), c.path, c.o)
			if got := fault.CodeOf(err); got != c.want {
				t.Fatalf("Open: %v, want code %q", err, c.want)
			}
			if err == nil {
				if _, statErr := os.Stat(c.path); statErr != nil {
					t.Error(statErr)
				}
				d.Close()
			}
		})
	}
}

func TestReadOnlyStoreRefusesWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	d, err = db.Open(t.Context(), path, db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	_, err = d.Write(t.Context(), "me", db.Now(), db.S(`insert into memories (title) values ('a')`))
	if fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("Write: %v, want read_only", err)
	}
}

func TestWriteIsWholeOrNothing(t *testing.T) {
	d := dbtest.New(t)
	late := fault.New(fault.Conflict, "too late")
	_, err := d.Write(t.Context(), "me", db.Now(),
		db.S(`insert into memories (title) values ('kept?')`),
		db.Expect(`exists (select 1 from memories where title = ?)`, late, "never written"),
	)
	if err != late {
		t.Errorf("Write: %v, want the expectation's error", err)
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 0 {
		t.Errorf("%d memories were kept of a refused batch", n)
	}
	changed, err := d.Write(t.Context(), "me", db.Now(),
		db.S(`insert into memories (title) values ('a'), ('b')`),
		db.Expect(`exists (select 1 from memories where title = ?)`, late, "a"),
		db.S(`update memories set title = 'c', revision = 2 where title = 'none'`),
	)
	if err != nil {
		t.Fatal(err)
	}
	if changed[0] != 2 || changed[2] != 0 {
		t.Errorf("changed = %v, want 2 rows, then none", changed)
	}
}

func TestReadSeesOneSnapshot(t *testing.T) {
	d := dbtest.New(t)
	err := d.Read(t.Context(), func(r *db.Reader) error {
		for i := range 2 {
			n, _, err := db.One[int](t.Context(), r, `select count(*) from memories`)
			if err != nil || n != 0 {
				t.Errorf("read %d: %d memories, %v; want none", i, n, err)
			}
			if _, err := d.Write(t.Context(), "me", db.Now(), db.S(`insert into memories (title) values ('a')`)); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestManyProcessesOpenAndWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			d, err := db.Open(context.Background(), path, db.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			for range 20 {
				if _, err := d.Write(context.Background(), "me", db.Now(), db.S(`insert into memories (title) values ('a')`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 160 {
		t.Errorf("%d memories, want 160", n)
	}
}

// SQLite does not wait for the lock with which a new file gets its write-ahead log, so Open must.
func TestOpenWaitsForAnotherWriterOfANewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	release := dbtest.HoldWriter(t, path)
	time.AfterFunc(200*time.Millisecond, release)
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

func TestClosedStoreRefusesAtOnce(t *testing.T) {
	d, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if err := d.Read(ctx, func(*db.Reader) error { return nil }); err == nil || ctx.Err() != nil {
		t.Errorf("read: %v", err)
	}
	if _, err := d.Write(ctx, "me", db.Now(), db.S(`insert into memories (title) values ('a')`)); err == nil || ctx.Err() != nil {
		t.Errorf("write: %v", err)
	}
}

func TestPanicLeavesNoTransactionOpen(t *testing.T) {
	d := dbtest.New(t)
	for range 20 { // more often than there are connections
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = d.Read(t.Context(), func(*db.Reader) error { panic("a bug") })
		}()
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 0 {
		t.Errorf("%d memories", n)
	}
}
