package tidy_test

import (
	"testing"

	"hence/memory/tidy"
)

// A list costs no more than its limit beyond what the rules read, and what the rules do grows
// as the store does.
func TestAListDescribesOnlyWhatItShows(t *testing.T) {
	v := plant(600).store(t)
	found := 0
	for _, limit := range []int{1, 7, 200} {
		result, err := tidy.Tidier(v).Tidy(t.Context(), tidy.Args{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		all := len(result.Proposals)
		for _, left := range result.NotShown {
			all += left.Count
		}
		if found == 0 {
			found = all
		}
		if described := tidy.Tidier(v).Described(t.Context(), tidy.Args{Limit: limit}); described != min(limit, found) || len(result.Proposals) != described || all != found {
			t.Errorf("limit %d: %d described, %d listed of %d; want %d of %d", limit, described, len(result.Proposals), all, min(limit, found), found)
		}
	}
	work := func(memories int) float64 {
		v := plant(memories).store(t)
		return testing.AllocsPerRun(1, func() {
			if _, err := tidy.Tidier(v).Tidy(t.Context(), tidy.Args{Limit: 1}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := work(500), work(2000); many > 5*few {
		t.Errorf("four times the memories take %.1f times the work", many/few)
	}
}
