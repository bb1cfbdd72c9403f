package db

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// The engine calls the authorizer while it prepares a statement.
func TestAStatementIsPlannedOnce(t *testing.T) {
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "hence.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	plans := 0
	ask := func(limit int) {
		t.Helper()
		err := d.engine.read(t.Context(), func(c *conn) error {
			return Each(context.Background(), &Reader{c}, func(*sql.Rows) error { return nil }, `select id from memories where kind = ? limit ?`, "note", limit)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = d.engine.read(t.Context(), func(c *conn) error {
		return c.Raw(func(driver any) error {
			driver.(*sqlite3.SQLiteConn).RegisterAuthorizer(func(int, string, string, string) int {
				plans++
				return sqlite3.SQLITE_OK
			})
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if ask(1); plans == 0 {
		t.Fatal("the authorizer was not asked")
	}
	plans = 0
	if ask(2); plans > 0 {
		t.Errorf("another value has the statement planned again")
	}
}
