package db

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// A list may have fewer columns than a statement reads, or no rows; the other columns are null.
func TestAPortableListHasTheColumnsThatAreRead(t *testing.T) {
	one := NewGiven(64)
	one.Row("x")
	for name, list := range map[string][]byte{"no row": nil, "one column": one.Arg()} {
		t.Run(name, func(t *testing.T) {
			if list == nil {
				empty := NewGiven(0)
				list = empty.Arg()
			}
			s, err := portable(S(`select count(*) from given(?1) g where g.c12 is null`, list))
			if err != nil {
				t.Fatal(err)
			}
			bare, err := sql.Open("sqlite3", filepath.Join(t.TempDir(), "bare.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer bare.Close()
			var rows int
			if err := bare.QueryRow(s.SQL, s.Args...).Scan(&rows); err != nil || rows != min(1, len(list)) {
				t.Errorf("%d rows, %v", rows, err)
			}
		})
	}
}
