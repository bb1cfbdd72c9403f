package tidy_test

import (
	"slices"
	"testing"

	"hence/internal/db"
	"hence/memory/tidy"
)

// The same list costs nothing twice, and is never older than the store.
func TestTheRulesLookAgainOnlyAfterAChange(t *testing.T) {
	h := newHouse(t)
	h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	looked := func() int { return tidy.Tidier(h.v).Looked() }
	before := h.tidy(tidy.Args{}).Proposals
	for range 3 {
		if again := h.tidy(tidy.Args{}).Proposals; !slices.Equal(described(again), described(before)) || looked() != 1 {
			t.Fatalf("again %v, want %v; the rules looked %d times", described(again), described(before), looked())
		}
	}
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"Stored", func() { h.keep("Deploys happen on Fridays") }},
		{"Rejected", func() { h.tidy(tidy.Args{Reject: []string{before[0].Key}}) }},
		{"Reconsidered", func() {
			if _, err := tidy.Tidier(h.v).Reconsider(t.Context(), tidy.ReconsiderArgs{Keys: []string{before[0].Key}}); err != nil {
				t.Fatal(err)
			}
		}},
		{"Opened", func() {
			if _, err := h.d.Write(t.Context(), "tester", db.Now(), db.S(`insert into opened (memory, at) select min(key), '2026-01-01T00:00:00Z' from memories`)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		h.tidy(tidy.Args{})
		was := looked()
		c.change()
		if h.tidy(tidy.Args{}); looked() != was+1 {
			t.Errorf("%s: the rules looked %d times, want once", c.name, looked()-was)
		}
	}
	was := looked()
	if proposals := h.tidy(tidy.Args{Propose: []string{"same"}}).Proposals; len(proposals) != 0 || looked() != was+1 {
		t.Errorf("of another kind %v, after %d looks", described(proposals), looked()-was)
	}
}

// A list costs no more than its limit beyond what the rules read, and what the rules do grows
// as the store does.
func TestAListDescribesOnlyWhatItShows(t *testing.T) {
	v := plant(600).store(t)
	found := 0
	for _, limit := range []int{1, 7, 200} {
		tidy.Tidier(v).Drop()
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
		if described := tidy.Tidier(v).Described(); described != min(limit, found) || len(result.Proposals) != described || all != found {
			t.Errorf("limit %d: %d described, %d listed of %d; want %d of %d", limit, described, len(result.Proposals), all, min(limit, found), found)
		}
	}
	work := func(memories int) float64 {
		v := plant(memories).store(t)
		return testing.AllocsPerRun(1, func() {
			tidy.Tidier(v).Drop()
			if _, err := tidy.Tidier(v).Tidy(t.Context(), tidy.Args{Limit: 1}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := work(500), work(2000); many > 5*few {
		t.Errorf("four times the memories take %.1f times the work", many/few)
	}
}
