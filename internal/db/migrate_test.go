package db

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"hence"
	"hence/internal/fault"
)

// later is the history of a build that is two versions newer.
var later = newHistory(hence.Schema+`create table first_step (a integer) strict;`, append(slices.Clone(current.migrations),
	fmt.Sprintf(`create table first_step (a integer) strict; insert into first_step values (1); pragma user_version = %d;`, current.version()+1),
	fmt.Sprintf(`insert into first_step values (2); pragma user_version = %d;`, current.version()+2),
)...)

func newHistory(schema string, migrations ...string) history {
	return history{schema, migrations, Hash(Object{SQL: schema}.Plain())}
}

func TestTheHashOfTheSchemaIsThatOfItsText(t *testing.T) {
	if hash := Hash(Object{SQL: hence.Schema}.Plain()); hash != schemaHash {
		t.Errorf("schema.sql has changed; set schemaHash to %q", hash)
	}
}

func openAt(t *testing.T, path string) *DB {
	t.Helper()
	d, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMigrationsRunInOrderAndOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	old := openAt(t, path)
	if _, err := old.Write(t.Context(), "me", Now(), S(`insert into memories (title) values ('kept')`)); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			d := openAnyVersion(context.Background(), path, Options{})
			defer d.Close()
			if err := d.migrate(context.Background(), later); err != nil {
				t.Error(err)
			}
			if file, err := d.engine.origin(context.Background()); err != nil || file.version != later.version() {
				t.Errorf("version = %d, %v; want %d", file.version, err, later.version())
			}
		})
	}
	all.Wait()
	if _, err := Open(t.Context(), path, Options{}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("this version opens a newer file: %v, want invalid_argument", err)
	}
	d := openAnyVersion(t.Context(), path, Options{})
	defer d.Close()
	err := d.Read(t.Context(), func(r *Reader) error {
		steps, _, err := One[int](t.Context(), r, `select count(*) from first_step`)
		if steps != 2 {
			t.Errorf("the steps were run %d times, want each once", steps)
		}
		if err != nil {
			return err
		}
		kept, _, err := One[int](t.Context(), r, `select count(*) from memories where title = 'kept'`)
		if kept != 1 {
			t.Error("the memory was lost")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFailedMigrationLeavesTheFileAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d := openAt(t, path)
	err := d.migrate(t.Context(), newHistory("", append(slices.Clone(current.migrations), `create table half (a integer) strict; insert into nowhere values (1);`)...))
	if err == nil {
		t.Fatal("the migration did not fail")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = openAt(t, path)
	defer d.Close()
	err = d.Read(t.Context(), func(r *Reader) error {
		n, _, err := One[int](t.Context(), r, `select count(*) from sqlite_master where name = 'half'`)
		if n != 0 {
			t.Error("half a migration was kept")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyStoreIsNotMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.migrate(t.Context(), later); fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("migrate: %v, want read_only", err)
	}
}
