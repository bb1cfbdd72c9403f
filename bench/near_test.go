package main

import (
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/near"
)

// The answer to a new fact shows the older one of its subject: always in the wordings of the
// recipe, mostly in others.
func TestNearShowsTheOlderFact(t *testing.T) {
	for how, c := range map[string]struct {
		changing
		least float64
	}{
		"Recipe":     {changing{subjects: makeChanging().subjects[:150]}, 1},
		"OtherForms": {makeUnseen(), 0.875},
	} {
		t.Run(how, func(t *testing.T) {
			s := memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
			older, shown := map[string]string{}, tally{}
			for round := range mostRounds {
				for _, one := range c.subjects {
					if round >= len(one.facts) {
						continue
					}
					got, err := s.Remember(t.Context(), memory.StoreArgs{Content: one.facts[round]}, near.Finder(s).Near)
					if err != nil {
						t.Fatal(err)
					}
					isShown := false
					for _, n := range got.Near {
						isShown = isShown || n.ID == older[one.name]
					}
					if older[one.name] != "" {
						shown.add(isShown)
					}
					older[one.name] = got.Memory.ID
				}
			}
			if float64(shown.right) < c.least*float64(shown.asked) {
				t.Errorf("shown %s, want a share of %.3f", shown, c.least)
			}
		})
	}
}
