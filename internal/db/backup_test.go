package db_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

func insert(t *testing.T, d *db.DB, title string) {
	t.Helper()
	if _, err := d.Write(t.Context(), "", db.Now(), db.S(`insert into memories (title) values (?)`, title)); err != nil {
		t.Error(err)
	}
}

func titles(t *testing.T, path string) []string {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return dbtest.Texts(t, d, `select title from memories order by title`)
}

func TestBackupIsOfOneMomentWhileOthersWrite(t *testing.T) {
	d := dbtest.New(t)
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			// Each batch inserts two rows, so a backup must have an even number.
			if _, err := d.Write(context.Background(), "", db.Now(),
				db.S(`insert into memories (title) values (?)`, fmt.Sprint("a", n)),
				db.S(`insert into memories (title) values (?)`, fmt.Sprint("b", n))); err != nil {
				t.Error(err)
			}
		}
	})
	for n := range 5 {
		path := filepath.Join(folder, fmt.Sprint(n))
		if err := d.Backup(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, path); len(got)%2 != 0 {
			t.Errorf("the backup has %d memories", len(got))
		}
	}
	stop()
	writing.Wait()
	files, err := filepath.Glob(filepath.Join(folder, ".*"))
	if err != nil || len(files) > 0 {
		t.Errorf("what is left beside the backups: %q, %v", files, err)
	}
}

func TestBackupTakesNoFilesPlace(t *testing.T) {
	d := dbtest.New(t)
	path := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Backup(t.Context(), path); fault.CodeOf(err) != fault.Exists {
		t.Errorf("Backup over a file: %v, want exists", err)
	}
	if text, err := os.ReadFile(path); string(text) != "precious" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if err := d.Backup(t.Context(), filepath.Join(t.TempDir(), "no", "folder")); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Backup to nowhere: %v, want not_found", err)
	}
}

func TestRestoreBackupShowsToWhoHasTheStoreOpen(t *testing.T) {
	d := dbtest.New(t)
	insert(t, d, "then")
	backup := filepath.Join(t.TempDir(), "backup")
	if err := d.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	insert(t, d, "later")
	saved, err := db.RestoreBackup(t.Context(), backup, d.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := dbtest.Texts(t, d, `select title from memories`); len(got) != 1 || got[0] != "then" {
		t.Errorf("the store holds %q", got)
	}
	insert(t, d, "after")
	if got := titles(t, saved); len(got) != 2 {
		t.Errorf("what was there is saved as %q", got)
	}
	if got := titles(t, backup); len(got) != 1 {
		t.Errorf("the backup itself now holds %q", got)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if saved, err := db.RestoreBackup(t.Context(), backup, fresh, db.Options{}); err != nil || saved != "" {
		t.Errorf("RestoreBackup to a new file = %q, %v", saved, err)
	}
	if got := titles(t, fresh); len(got) != 1 {
		t.Errorf("the new file holds %q", got)
	}
}

func TestRestoreBackupRefusesWhatIsNoStore(t *testing.T) {
	d := dbtest.New(t)
	insert(t, d, "mine")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("not a database at all, but long enough to look at; "+string(make([]byte, 4096))), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "foreign")
	dbtest.Script(t, foreign, `create table t (a)`)
	for path, want := range map[string]fault.Code{
		other: fault.InvalidArgument, foreign: fault.InvalidArgument, d.Path(): fault.InvalidArgument, other + "x": fault.NotFound,
	} {
		if _, err := db.RestoreBackup(t.Context(), path, d.Path(), db.Options{}); fault.CodeOf(err) != want {
			t.Errorf("RestoreBackup of %s: %v, want %s", path, err, want)
		}
	}
	if _, err := db.RestoreBackup(t.Context(), d.Path(), d.Path()+"2", db.Options{ReadOnly: true}); err == nil {
		t.Error("a read-only store was restored")
	}
	if got := dbtest.Texts(t, d, `select title from memories`); len(got) != 1 {
		t.Errorf("the store holds %q", got)
	}
}

func TestVacuumGivesRoomBack(t *testing.T) {
	d := dbtest.New(t)
	if _, err := d.Write(t.Context(), "", db.Now(),
		db.S(`insert into memories (title, content) select 'm' || value, hex(randomblob(4000)) from json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]')`),
		db.S(`delete from memories where title <> 'm1'`)); err != nil {
		t.Fatal(err)
	}
	before, after, err := d.Vacuum(t.Context())
	if err != nil || after >= before {
		t.Errorf("Vacuum = %d → %d, %v", before, after, err)
	}
	insert(t, d, "after")
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("Check = %q, %v", problems, err)
	}
}

func TestCloseLeavesOneFile(t *testing.T) {
	folder := t.TempDir()
	d, err := db.Open(t.Context(), filepath.Join(folder, "hence.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	insert(t, d, "m")
	dbtest.Texts(t, d, `select title from memories`)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("beside the closed store there is %v, %v", files, err)
	}
}
