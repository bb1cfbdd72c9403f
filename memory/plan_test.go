package memory

import (
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// Storing asks whether the text is there already, and what it repeats, and must not read
// all memories of the namespace for it.
func TestStoringReadsFewMemories(t *testing.T) {
	d := dbtest.New(t)
	for _, c := range []struct {
		query string
		args  []any
		by    string // the index of memories
	}{
		{sameText, []any{"hash", "default", "", db.Now()}, "memories_by_hash (content_hash=?)"},
		{selectRepeatable, []any{`["id"]`, "default"}, "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"},
		{selectEchoes, []any{`["id"]`, "default", 1}, "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"},
	} {
		plan := dbtest.Plan(t, d, c.query, c.args...)
		if !slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, c.by) }) {
			t.Errorf("%s\nis planned %q", c.query, plan)
		}
	}
}
