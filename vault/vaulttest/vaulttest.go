// Package vaulttest makes folders of notes, and stores to import them into, for
// the tests of vault and its rooms.
package vaulttest

import (
	"database/sql"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
)

// Folder is a vault of a test, and the store that it is imported into.
type Folder struct {
	T        *testing.T
	Dir      string
	Importer vault.Importer
}

// New makes a folder of files, by path, and an empty store.
func New(t *testing.T, files map[string]string) Folder {
	f := Folder{T: t, Dir: filepath.Join(t.TempDir(), "v"), Importer: vault.Importer{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}}}
	if err := os.Mkdir(f.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f.Write(path, files[path])
	}
	return f
}

// Clock makes every file written by a test younger than the one before.
var Clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes a file, younger than all before it.
func (f Folder) Write(path, text string) {
	f.T.Helper()
	full := filepath.Join(f.Dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.T.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		f.T.Fatal(err)
	}
	Clock = Clock.Add(time.Second)
	if err := os.Chtimes(full, Clock, Clock); err != nil {
		f.T.Fatal(err)
	}
}

// Move renames a file.
func (f Folder) Move(from, to string) {
	f.T.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(f.Dir, to)), 0o755); err != nil {
		f.T.Fatal(err)
	}
	if err := os.Rename(filepath.Join(f.Dir, from), filepath.Join(f.Dir, to)); err != nil {
		f.T.Fatal(err)
	}
}

// Remove deletes a file.
func (f Folder) Remove(path string) {
	f.T.Helper()
	if err := os.Remove(filepath.Join(f.Dir, path)); err != nil {
		f.T.Fatal(err)
	}
}

// Imports imports the folder.
func (f Folder) Imports() vault.Report {
	f.T.Helper()
	report, err := f.Importer.Import(f.T.Context(), vault.ImportArgs{Dir: f.Dir})
	if err != nil {
		f.T.Fatal(err)
	}
	return report
}

// Exec changes the store as somebody else would.
func (f Folder) Exec(query string, args ...any) {
	f.T.Helper()
	if _, err := f.Importer.DB.Write(f.T.Context(), "somebody", db.Now(), db.S(query, args...)); err != nil {
		f.T.Fatal(err)
	}
}

// Edges returns the edges between memories that are not forgotten.
func (f Folder) Edges() []string {
	f.T.Helper()
	return Rows(f.T, f.Importer.DB, `
select f.title || ' ' || e.kind || ' ' || t.title
from edges e
join memories f on f.key = e.from_key and f.status <> 'forgotten'
join memories t on t.key = e.to_key and t.status <> 'forgotten'
order by 1`)
}

// Want compares the edges with those that are wanted.
func (f Folder) Want(edges ...string) {
	f.T.Helper()
	if diff := cmp.Diff(append([]string{}, edges...), f.Edges()); diff != "" {
		f.T.Errorf("edges (-want +got):\n%s", diff)
	}
}

// ID returns the id of the memory of a file.
func (f Folder) ID(uri string) string {
	f.T.Helper()
	found := Rows(f.T, f.Importer.DB, `select id from memories where uri = ?`, "obsidian-fs://v/"+uri)
	if len(found) != 1 {
		f.T.Fatalf("%d memories have the uri of %s", len(found), uri)
	}
	return found[0]
}

// Symlink makes a symbolic link.
func Symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}

// Rows returns what a query answers, a line a row, columns between bars.
func Rows(t testing.TB, d *db.DB, query string, args ...any) []string {
	t.Helper()
	var lines []string
	err := d.Read(t.Context(), func(r *db.Reader) (err error) {
		lines, err = db.Select(t.Context(), r, func(row *sql.Rows) (string, error) {
			names, err := row.Columns()
			if err != nil {
				return "", err
			}
			values := make([]any, len(names))
			for i := range values {
				values[i] = new(sql.NullString)
			}
			if err := row.Scan(values...); err != nil {
				return "", err
			}
			parts := []string{}
			for _, v := range values {
				parts = append(parts, v.(*sql.NullString).String)
			}
			return strings.Join(parts, " | "), nil
		}, query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// CheckTimes sets how often rapid repeats the checks of a test that is slow,
// unless the command line says.
func CheckTimes(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() != checks.DefValue {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
}
