// Package projectiontest changes folders, and reads what a store holds of them, for the
// tests of projection and of the packages that use it.
package projectiontest

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
)

// Clock is the time of the last file that a test wrote. Write and Touch add a second.
var Clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes a file, younger than all before it.
func Write(t testing.TB, dir, path, text string) {
	t.Helper()
	full := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	Touch(t, dir, path)
}

// Touch makes a file younger than all before it.
func Touch(t testing.TB, dir, path string) {
	t.Helper()
	Clock = Clock.Add(time.Second)
	if err := os.Chtimes(filepath.Join(dir, path), Clock, Clock); err != nil {
		t.Fatal(err)
	}
}

// Move renames a file.
func Move(t testing.TB, dir, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

// Remove deletes a file.
func Remove(t testing.TB, dir, path string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, path)); err != nil {
		t.Fatal(err)
	}
}

// Rows returns the rows of a query, each as one line with its columns separated by " | ".
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

// Contents returns all rows about a store's memories, sections, edges, sites and files, by
// table, in the form of Rows. It leaves out data that may differ from one store to another:
// keys, ids, times, revisions, the direction of a symmetric edge, and forgotten memories.
func Contents(t testing.TB, d *db.DB) map[string][]string {
	return map[string][]string{
		"memories": Rows(t, d, `
select uri, namespace, kind, title, content, aliases, tags, properties, status, origin, actor, content_hash, sectioned
from memories
where status <> 'forgotten'
order by uri`),
		"sections": Rows(t, d, `
select m.uri, s.ordinal, s.heading, s.level, s.start_line, s.end_line, t.body, s.words
from sections s
join section_text t on t.key = s.key
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
  (select c.context from site_contexts c where c.site = s.key), s.lenient, s.resolved_by, s.candidates, s.refused, o.uri, e.kind, e.rel
from sites s
join memories n on n.key = s.note
left join edges e on e.key = s.edge
left join memories o on o.key = e.from_key + e.to_key - s.note
order by n.uri, s.start_byte, s.line, s.kind, s.rel, s.target`),
		"files": Rows(t, d, `
select f.path, f.size, f.modified, f.file_hash, f.warnings, m.uri
from files f
join memories m on m.key = f.memory
order by f.path`),
	}
}
