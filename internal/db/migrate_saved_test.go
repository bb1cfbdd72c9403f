package db

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
)

// copiesOf returns the paths of the copies of a store that were made before its migrations.
func copiesOf(t *testing.T, path string) []string {
	t.Helper()
	copies, err := filepath.Glob(path + ".before-schema-*")
	if err != nil {
		t.Fatal(err)
	}
	return copies
}

func TestAStoreIsSavedOnceBeforeItsMigration(t *testing.T) {
	path := olderFile(t)
	before := rowsOf(t, path)
	var mu sync.Mutex
	reported := []Migration{}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			d := openAnyVersion(context.Background(), path, Options{Migrated: func(m Migration) {
				mu.Lock()
				defer mu.Unlock()
				reported = append(reported, m)
			}})
			defer d.Close()
			if err := d.migrate(context.Background(), later); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	// Another process may run the second script, and then saves a copy too.
	if len(reported) == 0 || len(reported) > 2 {
		t.Fatalf("%d processes reported a migration: %+v", len(reported), reported)
	}
	if reported[0].To != later.version() || reported[0].WrittenBy == "" {
		t.Errorf("reported %+v", reported[0])
	}
	saved := []string{}
	for _, m := range reported {
		saved = append(saved, m.Saved)
	}
	slices.Sort(saved)
	if diff := cmp.Diff(saved, copiesOf(t, path)); diff != "" {
		t.Errorf("the copies (-told +there):\n%s", diff)
	}
	oldest := saved[slices.IndexFunc(saved, func(path string) bool { return originOf(t, path).version == current.version() })]
	sameRows(t, before, rowsOf(t, oldest), nil)
	isWhole(t, oldest)
	if info, err := os.Stat(oldest); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read the copy: %v, %v", info.Mode(), err)
	}
	if err := openAt(t, oldest).Close(); err != nil {
		t.Errorf("the Hence before does not open the copy: %v", err)
	}
}

func TestWithoutACopyThereIsNoMigration(t *testing.T) {
	path := olderFile(t)
	before := rowsOf(t, path)
	d := bare(t, path)
	d.path = filepath.Join(filepath.Dir(path), "nowhere", "a.db") // where the copy would go
	err := d.migrate(t.Context(), later)
	if fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), "there is no folder") {
		t.Errorf("migrate: %v, want not_found", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := originOf(t, path).version; got != current.version() {
		t.Errorf("the version is %d, want %d", got, current.version())
	}
	sameRows(t, before, rowsOf(t, path), nil)
}

func TestAMigrationThatFailsLeavesNoCopy(t *testing.T) {
	path := olderFile(t)
	d := bare(t, path)
	defer d.Close()
	if err := d.migrate(t.Context(), newHistory("", append(slices.Clone(current.migrations), `insert into nowhere values (1);`)...)); err == nil {
		t.Error("the migration did not fail")
	}
	if copies := copiesOf(t, path); len(copies) > 0 {
		t.Errorf("it left %v", copies)
	}
}

func TestANewStoreIsNotSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	d, err := Open(t.Context(), path, Options{Migrated: func(m Migration) { t.Errorf("told of %+v", m) }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if files, err := filepath.Glob(path + ".before-*"); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
