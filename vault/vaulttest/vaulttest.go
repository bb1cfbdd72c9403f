// Package vaulttest creates folders of notes, and stores to import them into, for the tests
// of vault and its subpackages.
package vaulttest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/projection/projectiontest"
	"hence/vault"
)

// Folder is a vault of a test, and the store that it is imported into.
type Folder struct {
	T        *testing.T
	Dir      string
	Importer vault.Importer
}

// New creates a folder with files, given by path, and an empty store.
func New(t *testing.T, files map[string]string) Folder {
	f := Folder{T: t, Dir: filepath.Join(dbtest.Folder(t), "v"), Importer: vault.Importer{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}}}
	if err := os.Mkdir(f.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f.Write(path, files[path])
	}
	return f
}

// Write writes a file. Its modification time is later than that of all earlier writes.
func (f Folder) Write(path, text string) {
	f.T.Helper()
	projectiontest.Write(f.T, f.Dir, path, text)
}

// Touch sets the modification time of a file to one later than that of all earlier writes.
func (f Folder) Touch(path string) {
	f.T.Helper()
	projectiontest.Touch(f.T, f.Dir, path)
}

// Move renames a file.
func (f Folder) Move(from, to string) {
	f.T.Helper()
	projectiontest.Move(f.T, f.Dir, from, to)
}

// Remove deletes a file.
func (f Folder) Remove(path string) {
	f.T.Helper()
	projectiontest.Remove(f.T, f.Dir, path)
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

// View returns the folder's store, as the importer's caller sees it.
func (f Folder) View() ref.View { return ref.View{DB: f.Importer.DB, Caller: f.Importer.Caller} }

// Exec changes the store by SQL, past the importer.
func (f Folder) Exec(query string, args ...any) {
	f.T.Helper()
	dbtest.Fill(f.T, f.Importer.DB, db.S(query, args...))
}

// Edges returns the edges between memories that are not forgotten, each as "title kind
// title", sorted.
func (f Folder) Edges() []string {
	f.T.Helper()
	return projectiontest.Rows(f.T, f.Importer.DB, `
select f.title || ' ' || e.kind || ' ' || t.title
from edges e
join memories f on f.key = e.from_key and f.status <> 'forgotten'
join memories t on t.key = e.to_key and t.status <> 'forgotten'
order by 1`)
}

// Want fails the test if Edges returns other edges.
func (f Folder) Want(edges ...string) {
	f.T.Helper()
	if diff := cmp.Diff(append([]string{}, edges...), f.Edges()); diff != "" {
		f.T.Errorf("edges (-want +got):\n%s", diff)
	}
}

// ID returns the id of the memory of the file at a path.
func (f Folder) ID(path string) string {
	f.T.Helper()
	ids := projectiontest.Rows(f.T, f.Importer.DB, `select id from memories where uri = ?`, "obsidian-fs://v/"+path)
	if len(ids) != 1 {
		f.T.Fatalf("%d memories have the uri of %s", len(ids), path)
	}
	return ids[0]
}

// Symlink creates a symbolic link to target.
func Symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}

// Snapshot returns the contents of a folder, by path: "file " and its bytes for a file,
// "folder" for a folder, "link to " and its target for a symbolic link.
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

// MakeAttacked creates and imports a vault with symbolic links that lead out of it or to
// files that imports leave out. around is the folder of the vault, with the file secret.md
// outside the vault.
func MakeAttacked(t *testing.T) (f Folder, around string) {
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
