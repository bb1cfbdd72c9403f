package db_test

import (
	"os"
	"path/filepath"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

func TestScratchThatAKilledProcessLeftIsRemoved(t *testing.T) {
	d, temporary := dbtest.New(t), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	left, others := filepath.Join(temporary, "hence-scratch-1"), filepath.Join(temporary, "hence-notes-1")
	for _, folder := range []string{left, others} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "scratch.db"), []byte("a text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := db.InScratch(t.Context(), "try", d, func(outer *db.DB) error {
		return db.InScratch(t.Context(), "try again", nil, func(inner *db.DB) error {
			db.RemoveScratch()
			for path, isThere := range map[string]bool{left: false, others: true, outer.Path(): true, inner.Path(): true} {
				if _, err := os.Stat(path); (err == nil) != isThere {
					t.Errorf("%s is there: %v, want %v", path, !isThere, isThere)
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(temporary); err != nil || len(entries) != 1 {
		t.Errorf("%v are left, %v; want only the folder of another program", entries, err)
	}
}
