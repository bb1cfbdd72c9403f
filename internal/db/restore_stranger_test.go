package db_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// A restore adopts no file whose triggers would run in every write, and none that only looks
// like a store.
func TestARestoreRefusesAStrangersTriggers(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	dbtest.SkipOnCluster(t, "it restores files")
	for name, script := range map[string]string{
		"a trigger on a table":      `create trigger zz after insert on memories begin update memories set title = 'x'; end`,
		"a trigger on a view":       `create trigger zz instead of insert on memory_list begin delete from memories; end`,
		"a trigger on the writer":   `create trigger zz after update on writer begin delete from journal; end`,
		"another form of a trigger": `drop trigger edge_inserted; create trigger edge_inserted after insert on edges begin select 1; end`,
		"a view for a table":        `drop table rejections; create view rejections as select 1 as key`,
		"a table too few":           `drop table token_map`,
	} {
		t.Run(name, func(t *testing.T) {
			file, store := filepath.Join(t.TempDir(), "theirs.db"), dbtest.New(t)
			if err := dbtest.New(t).Backup(t.Context(), file); err != nil {
				t.Fatal(err)
			}
			dbtest.Script(t, file, script)
			_, err := db.RestoreBackup(t.Context(), file, store.Path(), db.Options{})
			if fault.CodeOf(err) != fault.InvalidArgument {
				t.Errorf("it was restored: %v", err)
			}
			if strings.Contains(script, "trigger zz") && !strings.Contains(err.Error(), `trigger "zz"`) {
				t.Errorf("the trigger is not named: %v", err)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "ours.db")
	if err := dbtest.New(t).Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	dbtest.Script(t, file, `create table mine (x); create view my_view as select 1`)
	if _, err := db.RestoreBackup(t.Context(), file, dbtest.New(t).Path(), db.Options{}); err != nil {
		t.Errorf("a table of the owner's own: %v", err)
	}
}
