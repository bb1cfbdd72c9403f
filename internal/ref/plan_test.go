package ref

import (
	"database/sql"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// No way to name a memory reads all memories.
func TestEveryRuleUsesAnIndex(t *testing.T) {
	d := dbtest.New(t)
	for _, rule := range rules {
		var plan []string
		err := d.Read(t.Context(), func(r *db.Reader) (err error) {
			plan, err = db.Select(t.Context(), r, func(row *sql.Rows) (step string, err error) {
				var id, parent, unused int
				return step, row.Scan(&id, &parent, &unused, &step)
			}, "explain query plan "+selectMemory+rule.query+andNamespace, "name", "")
			return err
		})
		if err != nil || len(plan) == 0 {
			t.Fatalf("%s: %v, %v", rule.query, plan, err)
		}
		for _, step := range plan {
			if table, scans := strings.CutPrefix(step, "SCAN "); scans && (table == "m" || table == "t" || table == "f" || strings.HasPrefix(table, "m ")) {
				t.Errorf("%s\nreads all: %v", rule.query, plan)
			}
		}
	}
}
