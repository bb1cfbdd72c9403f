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
	for _, rule := range slices.Concat(addressRules, wordRules, symbolRules) {
		queries = append(queries, rule.query)
	}
	for _, query := range queries {
		plan := dbtest.Plan(t, d, selectMemory+query+andNamespace, "name", "", 6)
		if len(plan) == 0 {
			t.Fatalf("%s has no plan", query)
		}
		for _, step := range plan {
			if words := strings.Fields(step); words[0] == "SCAN" && slices.Contains([]string{"m", "t", "f", "s"}, words[1]) {
				t.Errorf("%s\nreads all: %v", query, plan)
			}
		}
	}
}
