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

// There are few suspects, and many edges and memories.
func TestSuspectsAreReadFromIndexesOfTheirOwn(t *testing.T) {
	d := dbtest.New(t)
	for query, args := range map[string][]any{suspects: nil, haveManySuspects: {"", 3}} {
		for _, step := range dbtest.Plan(t, d, query, args...) {
			for _, whole := range []string{"edges_to", "memories_by_update", "SCAN edges", "SCAN memories"} {
				if strings.Contains(step, whole) && !strings.Contains(step, "one_successor") && !strings.Contains(step, "edges_of_contradiction") && !strings.Contains(step, "memories_gone") {
					t.Errorf("%q reads all rows", step)
				}
			}
		}
	}
}
