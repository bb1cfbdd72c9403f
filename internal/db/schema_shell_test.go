package db_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/internal/db"
)

// tb has the methods that testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// shell is a store as the sqlite3 shell opens it: one plain connection, foreign keys off, and no
// actor in the table writer.
type shell struct {
	path string
	sql  *sql.DB
}

func newShell(t testing.TB) shell {
	t.Helper()
	if testing.Short() {
		t.Skip("one connection runs it, so that the race detector has nothing to see; make test runs it")
	}
	path := filepath.Join(t.TempDir(), "hence.db")
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	bare, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	bare.SetMaxOpenConns(1)
	t.Cleanup(func() { bare.Close() })
	return shell{path, bare}
}

func (s shell) do(t tb, script string, args ...any) {
	t.Helper()
	if _, err := s.sql.Exec(script, args...); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// rows returns the result of a query as the shell prints it, one line per row.
func (s shell) rows(t tb, query string, args ...any) []string {
	t.Helper()
	rows, err := s.sql.Query(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		words := make([]string, len(columns))
		for i, v := range values {
			words[i] = v.String
		}
		lines = append(lines, strings.Join(words, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func (s shell) want(t testing.TB, query string, lines ...string) {
	t.Helper()
	if diff := gocmp.Diff(append([]string{}, lines...), s.rows(t, query)); diff != "" {
		t.Errorf("%s: -want +got\n%s", query, diff)
	}
}

// memories returns a script that inserts memories with the given ids, and keys from 1.
func memories(ids ...string) string {
	script := ""
	for _, id := range ids {
		script += fmt.Sprintf("insert into memories (id, title, content) values ('%[1]s', 'Title %[1]s', 'text of %[1]s');\n", id)
	}
	return script
}

// edge returns a statement that inserts an edge with the id from-kind-to.
func edge(from, kind, to string) string {
	return fmt.Sprintf(`
insert into edges (id, from_key, to_key, kind)
select '%[1]s-%[2]s-%[3]s', f.key, t.key, '%[2]s'
from memories f, memories t
where f.id = '%[1]s' and t.id = '%[3]s';
`, from, kind, to)
}
