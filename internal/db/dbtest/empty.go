package dbtest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"hence/internal/db"
	"hence/internal/permit"
)

// Empties creates empty stores, one after the other, for property tests.
type Empties struct {
	folder string
	count  atomic.Int64
}

// NewEmpties returns an Empties whose stores are removed when the test ends.
func NewEmpties(t testing.TB) *Empties {
	t.Helper()
	return &Empties{folder: Folder(t)}
}

// Next returns another store, and a function that closes and removes it.
func (e *Empties) Next(t TB) (d *db.DB, remove func()) {
	t.Helper()
	path := filepath.Join(e.folder, strconv.FormatInt(e.count.Add(1), 10))
	d, release := openEmpty(t, func() string { return path })
	return d, func() {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		release()
		_ = os.Remove(path)
		_ = os.RemoveAll(path + "-state")
	}
}

// WordsAlone is set by packages whose tests are about words, before they open a store: their stores have
// no embedder, so that a search finds nothing by meaning.
var WordsAlone bool

// openEmpty opens an empty store: that of a cluster if OnCluster, else a file at the path that
// path returns.
func openEmpty(t TB, path func() string) (d *db.DB, release func()) {
	t.Helper()
	if OnCluster() {
		return openNode(t)
	}
	return openCopy(t, path()), func() {}
}

// openCopy opens an empty store at path. It copies one that the process creates once, because
// the schema takes longer to run than most tests.
func openCopy(t TB, path string) *db.DB {
	t.Helper()
	empty, err := emptyStore()
	if err == nil {
		err = os.WriteFile(path, empty, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := openOwn(path, path+"-state")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// openOwn opens a store as its user's own: made on this machine, with what is allowed recorded
// in the folder state.
func openOwn(name, state string) (*db.DB, error) {
	d, err := db.Open(context.Background(), name, db.Options{State: state})
	if err != nil {
		return nil, err
	}
	records, err := permit.Of(context.Background(), d, d)
	if err == nil {
		err = records.Adopt()
	}
	return d, err
}

// emptyStore returns the bytes of an empty store, or of the file that the environment variable
// HENCE_BESIDE names, if a benchmark is to run on that store.
var emptyStore = sync.OnceValues(func() (empty []byte, err error) {
	if beside := os.Getenv("HENCE_BESIDE"); beside != "" {
		return os.ReadFile(beside)
	}
	dir, err := makeFolder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "empty.db")
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	if WordsAlone {
		if err := runShell(path, `delete from embedders; pragma wal_checkpoint(truncate)`); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(path)
})

// Folder creates a folder that is removed when the test ends. If possible it is in memory, so
// that a test that writes files does not wait for the disk.
func Folder(t Cleaner) string {
	t.Helper()
	dir, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// makeFolder creates a folder, in memory (/dev/shm) if there is enough space, because closing a
// store waits for the disk.
func makeFolder() (string, error) {
	const inMemory = "/dev/shm"
	if freeBytes(inMemory) > 1<<30 {
		if dir, err := os.MkdirTemp(inMemory, "hence-test-"); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", "hence-test-")
}
