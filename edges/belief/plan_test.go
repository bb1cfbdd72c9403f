package belief

import (
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// The query must be fast, because every call of Stale runs it.
func TestDoubtsAreCountedAndNotLookedFor(t *testing.T) {
	reads := slices.DeleteFunc(dbtest.Plan(t, dbtest.New(t), selectDoubts), func(step string) bool {
		return step == "SCAN CONSTANT ROW" || strings.HasPrefix(step, "SCALAR SUBQUERY")
	})
	if want := []string{"SCAN memory_counts", "SCAN edge_counts", "SCAN changed_grounds"}; !slices.Equal(reads, want) {
		t.Errorf("%q, want %q", reads, want)
	}
}
