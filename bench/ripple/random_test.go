package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestHenceInRandomEpisodes: after thirty events drawn by chance, Hence says of each statement
// what the reference says. It needs the program that make build makes.
func TestHenceInRandomEpisodes(t *testing.T) {
	t.Parallel()
	binary, err := filepath.Abs("../../bin/hence")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("there is no bin/hence")
	}
	for seed := range uint64(10) {
		r, err := newRunner(system{Name: "Hence", open: opens(binary, openHence)}, t.TempDir(), false)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(seed)
		events := random(rand.New(rand.NewPCG(seed, 3)), 30)
		for i := range events {
			if events[i].text != "" {
				events[i].text = w.text(w.matters[events[i].matter])
			}
		}
		a, _, err := r.told(&episode{world: w}, events, false)
		if err != nil {
			t.Fatal(err)
		}
		s := a.reference.now()
		for _, id := range s.those(func(int) bool { return true }) {
			answer, err := a.adapter.Do(Request{Do: "rests", Handle: a.handles[id]})
			if got, want := a.found(answer, false), s.restsOn(id); err != nil || !slices.Equal(got, want) {
				t.Errorf("seed %d: on %d rest %v, not %v (%v)", seed, id, want, got, err)
			}
			if !s.holds(id) {
				continue
			}
			got, want := a.read(id).Marks, marks(false, s.doubtful(id), len(s.clash(id)) > 0, false)
			if !slices.Equal(got, want) {
				t.Errorf("seed %d: %d is %v, not %v; routes %v", seed, id, want, got, s.routes(id))
			}
			why, err := a.adapter.Do(Request{Do: "why", Handle: a.handles[id]})
			for _, route := range why.Routes {
				if err != nil || !slices.ContainsFunc(s.routes(id), func(there []int) bool { return slices.Equal(a.named(there), route) }) {
					t.Errorf("seed %d: there is no route %v from %d (%v)", seed, route, id, err)
				}
			}
		}
		if t.Failed() {
			t.Fatal(fmt.Sprint(events))
		}
		if err := a.adapter.Close(); err != nil {
			t.Error(err)
		}
	}
}
