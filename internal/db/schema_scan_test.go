package db_test

import (
	"database/sql"
	"maps"
	"slices"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// TestTriggersScanNoTableThatGrows reads the bytecode of single writes and of their triggers. With a
// loop over all rows of a table, a thousand such writes would read the table a thousand times.
func TestTriggersScanNoTableThatGrows(t *testing.T) {
	dbtest.SkipOnCluster(t, "it explains statements on a file of its own")
	d := dbtest.New(t)
	shell, err := sql.Open("sqlite3", d.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	tables := map[int]string{} // by the page where they begin
	readRows(t, shell, `select rootpage, tbl_name from sqlite_schema`, func(row *sql.Rows) error {
		var page int
		var name string
		err := row.Scan(&page, &name)
		tables[page] = name
		return err
	})
	small := []string{"", "writer", "home", "store", "embedders"} // one row, or a few
	upkeep := []string{}
	for _, s := range db.Upkeep {
		upkeep = append(upkeep, s.SQL)
	}
	for _, write := range append(upkeep,
		`insert into memories (id, title) values ('a', 't')`,
		`insert into memories (id, title, origin) values ('a', 't', 'code')`,
		`update memories set title = 't' where key = 1`,
		`update memories set content = 'c' where key = 1`,
		`update memories set tags = '[]', aliases = '[]', properties = '{}' where key = 1`,
		`update memories set status = 'forgotten', forgotten_at = updated_at where key = 1`,
		`update memories set uri = 'u', valid_to = updated_at, verified_at = updated_at where key = 1`,
		`insert into edges (id, from_key, to_key, kind) values ('e', 1, 2, 'supersedes')`,
		`update edges set note = 'n', weight = 0.5, basis = '{}' where key = 1`,
		`update edges set declared = 'site' where key = 1`,
		`delete from edges where key = 1`,
	) {
		for _, table := range findScans(t, shell, tables, write) {
			if !slices.Contains(small, table) {
				t.Errorf("%s scans %s", write, table)
			}
		}
	}
}

// findScans returns the tables over all rows of which the bytecode of a statement, or of one of its
// triggers, loops.
func findScans(t *testing.T, shell *sql.DB, tables map[int]string, statement string) (all []string) {
	table, begun := map[int]string{}, map[int]int{} // by cursor, in one program
	last := -1
	readRows(t, shell, "explain "+statement, func(row *sql.Rows) error {
		var address, cursor, page int
		var operation string
		var rest any
		if err := row.Scan(&address, &operation, &cursor, &page, &rest, &rest, &rest, &rest); err != nil {
			return err
		}
		if address <= last { // another program begins
			clear(table)
			clear(begun)
		}
		last = address
		switch operation {
		case "OpenRead", "OpenWrite", "ReopenIdx":
			table[cursor] = tables[page]
		case "Rewind":
			begun[cursor] = address
		case "DecrJumpZero": // of an exists, which the first row ends
			maps.DeleteFunc(begun, func(_, at int) bool { return address-at <= 2 })
		case "Next":
			if _, loops := begun[cursor]; loops {
				all = append(all, table[cursor])
			}
		}
		return nil
	})
	return all
}

func readRows(t *testing.T, shell *sql.DB, query string, read func(row *sql.Rows) error) {
	t.Helper()
	rows, err := shell.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
