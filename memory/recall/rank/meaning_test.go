package rank

import (
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// The texts and vectors that a question is compared with are looked up by their keys, however many the store has.
func TestCompareWords_LooksUpWhatItCompares(t *testing.T) {
	for query, args := range map[string][]any{selectComparedTexts: {"[1]", 100}, selectComparedParts: {"[1]", 256, 50}, selectIndexed: {1}} {
		for _, step := range dbtest.Plan(t, dbtest.New(t), query, args...) {
			if strings.HasPrefix(step, "SCAN") && !strings.HasPrefix(step, "SCAN k VIRTUAL TABLE") || strings.HasPrefix(step, "MATERIALIZE") {
				t.Errorf("%s\nof %s", step, query)
			}
		}
	}
}
