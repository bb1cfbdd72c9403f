package vault_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
	"hence/vault/writing"
)

// BenchmarkWrite measures writes in a vault of benchNotes notes, including their import, and
// as a yardstick an import of the vault without changes.
func BenchmarkWrite(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "v")
	writeBenchVault(b, dir)
	v := ref.View{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench"}}
	i, w := vault.Importer{DB: v.DB, Caller: v.Caller}, writing.New(v)
	benchImport(b, i, dir)
	notes, err := filepath.Glob(filepath.Join(dir, "folder 7", "*.md"))
	if err != nil || len(notes) == 0 {
		b.Fatal(err)
	}
	slices.Sort(notes)
	path := "folder 7/" + filepath.Base(notes[0])
	b.Run("Yardstick", func(b *testing.B) {
		for b.Loop() {
			benchImport(b, i, dir)
		}
	})
	b.Run("Create", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			a := writing.CreateNoteArgs{Path: fmt.Sprintf("folder 7/made %d", n), Content: fmt.Sprintf("# New\n\nThe note after [[made %d]].\n", n-1)}
			if _, err := w.CreateNote(b.Context(), a); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Update", func(b *testing.B) {
		line := "one more line\n"
		for b.Loop() {
			if _, err := w.UpdateNote(b.Context(), writing.UpdateNoteArgs{Path: path, Mode: "append", Content: &line}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Move", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			r, err := w.MoveNote(b.Context(), writing.MoveNoteArgs{FromPath: path, ToPath: fmt.Sprintf("folder 8/moved %d", n)})
			if err != nil {
				b.Fatal(err)
			}
			path = r.ToPath
			b.ReportMetric(float64(r.TotalCount), "rewrites")
		}
	})
}
