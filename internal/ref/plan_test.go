package ref

import (
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// No way to name a memory reads all memories.
func TestEveryRuleUsesAnIndex(t *testing.T) {
	d := dbtest.New(t)
	for _, rule := range rules {
		plan := dbtest.Plan(t, d, selectMemory+rule.query+andNamespace, "name", "")
		if len(plan) == 0 {
			t.Fatalf("%s has no plan", rule.query)
		}
		for _, step := range plan {
			if table, scans := strings.CutPrefix(step, "SCAN "); scans && (table == "m" || table == "t" || table == "f" || strings.HasPrefix(table, "m ")) {
				t.Errorf("%s\nreads all: %v", rule.query, plan)
			}
		}
	}
}
