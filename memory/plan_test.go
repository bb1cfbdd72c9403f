package memory

import (
	"database/sql"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// Storing asks whether the text is there already, and must not read all
// memories for it.
func TestSameText_IsFoundByItsHash(t *testing.T) {
	d := dbtest.New(t)
	var plan []string
	err := d.Read(t.Context(), func(r *db.Reader) (err error) {
		plan, err = db.Select(t.Context(), r, func(row *sql.Rows) (step string, err error) {
			var id, parent, unused int
			return step, row.Scan(&id, &parent, &unused, &step)
		}, "explain query plan "+sameText, "hash", "default", "")
		return err
	})
	if err != nil || len(plan) == 0 || !strings.Contains(plan[0], "memories_by_hash (content_hash=?)") {
		t.Errorf("the plan is %v, %v", plan, err)
	}
}
