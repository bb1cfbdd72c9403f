package ref

import (
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// No rule for finding a memory reads all memories.
func TestEveryRuleUsesAnIndex(t *testing.T) {
	d := dbtest.New(t)
	queries := slices.Clone(titleQueries)
	for _, rule := range slices.Concat(addressRules, wordRules) {
		queries = append(queries, rule.query)
	}
	for _, query := range queries {
		plan := dbtest.Plan(t, d, selectMemory+query+andNamespace, "name", "", 6)
		if len(plan) == 0 {
			t.Fatalf("%s has no plan", query)
		}
		for _, step := range plan {
			if table, scans := strings.CutPrefix(step, "SCAN "); scans && (table == "m" || table == "t" || table == "f" || strings.HasPrefix(table, "m ")) {
				t.Errorf("%s\nreads all: %v", query, plan)
			}
		}
	}
}
