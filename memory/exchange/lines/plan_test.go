package lines

import (
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

func TestAnEdgeIsUpdatedWithoutReadingAll(t *testing.T) {
	for _, step := range dbtest.Plan(t, dbtest.New(t), updateEdge, "[]") {
		if strings.HasPrefix(step, "SCAN edges") {
			t.Errorf("the plan has the step %q", step)
		}
	}
}
