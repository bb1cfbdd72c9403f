// Package dbtest opens stores for tests.
package dbtest

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"hence/internal/db"
)

// New returns an empty store, which is closed and removed when the test, or the check of rapid,
// ends. It is a file, because each connection to ":memory:" has a database of its own.
func New(t Cleaner) *db.DB {
	t.Helper()
	d, release := openEmpty(t, func() string { return filepath.Join(Folder(t), "hence.db") })
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		release()
	})
	return d
}

// Script runs an SQL script on a file, as the sqlite3 shell would: with foreign keys off, and
// without an actor in the table writer.
func Script(t testing.TB, path, script string) {
	t.Helper()
	if err := TryScript(t, path, script); err != nil {
		t.Fatal(err)
	}
}

// TryScript is Script for a script that may fail, and returns its error.
func TryScript(t TB, path, script string) error {
	t.Helper()
	if n := nodeOf(path); n != nil {
		return n.run(script)
	}
	return runShell(path, script)
}

// runShell runs a script on a file.
func runShell(path, script string) error {
	shell, err := sql.Open("sqlite3", path)
	if err != nil {
		return err
	}
	defer shell.Close()
	_, err = shell.Exec(script)
	return err
}

// HoldWriter begins a transaction that writes to a file, as another process would. It ends with release, or with
// the test.
func HoldWriter(t testing.TB, path string) (release func()) {
	t.Helper()
	other, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	write, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() {
		_ = write.Rollback()
		_ = other.Close()
	})
	t.Cleanup(release)
	return release
}

// RefuseAfter makes the store at path refuse every batch after the next n. It returns a function
// that ends this.
func RefuseAfter(t testing.TB, path string, n int) (end func()) {
	t.Helper()
	shell, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	last := n
	if nodeOf(path) != nil {
		last++ // a cluster counts the script below as a batch
	}
	var done int
	if err := shell.QueryRow(`select batch from writer`).Scan(&done); err != nil {
		t.Fatal(err)
	}
	Script(t, path, fmt.Sprintf(`create trigger refusing before update of batch on writer
		when new.batch > %d and new.batch > old.batch and new.actor <> 'sqlite3'
		begin select raise(abort, 'here it is killed'); end`, last+done))
	return func() {
		t.Helper()
		Script(t, path, `drop trigger refusing`)
	}
}

// TB has the methods that testing.TB and rapid.T have in common.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Cleaner is a TB that can remove folders and stores when the test ends.
type Cleaner interface {
	TB
	Cleanup(f func())
	Error(args ...any)
}

// Texts returns the results of a query of one column of texts, never nil.
func Texts(t TB, d *db.DB, query string, args ...any) (texts []string) {
	t.Helper()
	err := d.Read(context.Background(), func(r *db.Reader) (err error) {
		texts, err = db.Select(context.Background(), r, db.Value[string], query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// UpTo returns a JSON array of the numbers from 1 to last, from which a statement can make rows.
func UpTo(last int) string {
	numbers := make([]int, last)
	for i := range numbers {
		numbers[i] = i + 1
	}
	return db.List(numbers)
}

// Plan returns the steps of the engine's plan for a query.
func Plan(t TB, d *db.DB, query string, args ...any) (steps []string) {
	t.Helper()
	err := d.Read(context.Background(), func(r *db.Reader) (err error) {
		steps, err = db.Select(context.Background(), r, func(row *sql.Rows) (step string, err error) {
			var id, parent, unused int
			return step, row.Scan(&id, &parent, &unused, &step)
		}, "explain query plan "+query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// Count returns the number that a query returns.
func Count(t testing.TB, d *db.DB, query string, args ...any) int {
	t.Helper()
	var n int
	err := d.Read(t.Context(), func(r *db.Reader) (err error) {
		n, _, err = db.One[int](t.Context(), r, query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// rapidChecks is how often rapid checks a property unless it is told otherwise.
const rapidChecks = 100

// CheckTimes sets how often rapid checks a property whose single check is dear. The command line
// (see internal/repeattest) may ask for fewer checks, or for more than rapidChecks; a number
// between is for properties that are cheap to check. On a cluster, where each statement runs on
// three nodes, the quarter of n is enough: the property is also checked on a file.
func CheckTimes(t testing.TB, n int) {
	t.Helper()
	if OnCluster() {
		n = max(2, n/4)
	}
	checks := flag.Lookup("rapid.checks")
	asked := checks.Value.String()
	times, err := strconv.Atoi(asked)
	if err != nil {
		t.Fatal(err)
	}
	if times > rapidChecks || times <= n {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(asked) })
}
