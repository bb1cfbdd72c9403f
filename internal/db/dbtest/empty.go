package dbtest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"hence/internal/db"
)

// Empties makes empty stores, one after the other, for property tests: it runs
// the schema once, and copies the file.
type Empties struct {
	folder  string
	pattern []byte
	made    atomic.Int64
}

// NewEmpties returns a maker whose stores go with the test.
func NewEmpties(t testing.TB) *Empties {
	t.Helper()
	e := &Empties{folder: folder(t)}
	path := filepath.Join(e.folder, "pattern")
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if e.pattern, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return e
}

// Next returns another store, and what closes and removes it.
func (e *Empties) Next(t TB) (d *db.DB, remove func()) {
	t.Helper()
	path := filepath.Join(e.folder, strconv.FormatInt(e.made.Add(1), 10))
	if err := os.WriteFile(path, e.pattern, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d, func() {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path)
	}
}

// folder is one that goes with the test: in the machine's memory where there
// is such a place, because closing a store waits for the disk.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "hence-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
