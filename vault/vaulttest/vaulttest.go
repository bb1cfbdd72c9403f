// Package vaulttest makes folders of notes, and stores to import them into, for
// the tests of vault and its rooms.
package vaulttest

import (
	"database/sql"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// View is the folder's store, as the importer's caller sees it.
func (f Folder) View() ref.View { return ref.View{DB: f.Importer.DB, Caller: f.Importer.Caller} }

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

// Snapshot is all that lies in a folder: files with their bytes, folders, links
// with where they lead.
func Snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text := "folder"
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
			text = "link to " + text
		case !d.IsDir():
			var source []byte
			source, err = os.ReadFile(path)
			text = "file " + string(source)
		}
		all[path] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Contents is everything that a store holds of a vault, without what may
// differ from one store to another: keys, ids, times, revisions, the side from
// which a symmetric edge was declared, and what was forgotten.
func Contents(t testing.TB, d *db.DB) map[string][]string {
	return map[string][]string{
		"memories": Rows(t, d, `
select uri, namespace, kind, title, content, aliases, tags, properties, status, origin, actor, content_hash, sectioned
from memories
where status <> 'forgotten'
order by uri`),
		"sections": Rows(t, d, `
select m.uri, s.ordinal, s.heading, s.level, s.start_line, s.end_line, s.body
from sections s
join memories m on m.key = s.memory
where m.status <> 'forgotten'
order by m.uri, s.ordinal`),
		"edges": Rows(t, d, `
select
  iif(e.kind in ('contradicts', 'relates-to'), min(f.uri, t.uri), f.uri) as a,
  e.kind,
  e.rel,
  iif(e.kind in ('contradicts', 'relates-to'), max(f.uri, t.uri), t.uri) as b,
  e.origin,
  e.actor,
  e.weight,
  e.note,
  e.valid_from,
  e.valid_to,
  e.declared
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
order by a, e.kind, e.rel, b`),
		"sites": Rows(t, d, `
select
  n.uri, s.line, s.start_byte, s.end_byte, s.origin, s.kind, s.rel, s.backward, s.target, s.target_key, s.anchor, s.display,
  s.context, s.lenient, s.resolved_by, s.candidates, s.refused, o.uri, e.kind, e.rel
from sites s
join memories n on n.key = s.note
left join edges e on e.key = s.edge
left join memories o on o.key = e.from_key + e.to_key - s.note
order by n.uri, s.start_byte, s.line, s.kind, s.rel, s.target`),
		"files": Rows(t, d, `
select f.path, f.size, f.modified, f.file_hash, f.warnings, f.unspaced, m.uri
from files f
join memories m on m.key = f.memory
order by f.path`),
	}
}

// OpenStore opens an empty store that is closed with one check of rapid.
func OpenStore(t *testing.T, rt *rapid.T) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "hence.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Attacked makes a vault with a secret beside it and ways out of it.
func Attacked(t *testing.T) (f Folder, around string) {
	f = New(t, map[string]string{
		"a.md": "see [[b]]", "sub/b.md": "x", "private/diary.md": "dear", ".henceignore": "private/\n*.draft.md\n",
		".obsidian/app.json": "{}", ".trash/a.md": "gone", ".hidden.md": "h",
		".obsidian/plugins/p/main.js": "code", ".git/hooks/post-commit": "#!/bin/sh", "page.txt": "plain",
	})
	around = filepath.Dir(f.Dir)
	if err := os.WriteFile(filepath.Join(around, "secret.md"), []byte("the secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"out.md": "../secret.md", "outside": "..", "absolute.md": filepath.Join(around, "secret.md"), "inside": "sub", "chain.md": "out.md",
		"readme.md": ".obsidian/plugins/p/main.js", "hook.md": ".git/hooks/post-commit", "trashed.md": ".trash/a.md", "diary.md": "private/diary.md",
		"plain.md": "page.txt", "git": ".git", "viafolder.md": "git/hooks/post-commit", "second.md": "diary.md", "sub/up.md": "../inside/../private/diary.md",
		"round.md": "round.md",
	} {
		if err := os.Symlink(to, filepath.Join(f.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	f.Imports()
	return f, around
}
