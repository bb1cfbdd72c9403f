package journal

import (
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// No statement that puts the rows of a merge back looks at them again for each row of the store.
func TestAnUndoOfAMergeReadsEachKeptRowOnce(t *testing.T) {
	d := dbtest.New(t)
	for _, statement := range slices.Concat(restoredRows, restoredMarks) {
		plan := dbtest.Plan(t, d, statement, 1)
		for i, step := range plan {
			if strings.HasPrefix(step, "CORRELATED") && strings.Contains(strings.Join(plan[i:], "\n"), "before_merges") {
				t.Errorf("%s\nreads them again and again: %q", statement, plan)
			}
		}
	}
}
