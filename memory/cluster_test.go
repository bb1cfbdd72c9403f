package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// A title beyond ASCII costs a cluster no batch of its own, and the memory is found by it in other letters.
func TestATitleBeyondASCIIIsNoSecondBatch(t *testing.T) {
	fake := dbtest.NewFake(t)
	d, err := db.Open(t.Context(), fake.Name(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s := memory.Store{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "person"}}
	named, err := s.Remember(t.Context(), memory.StoreArgs{Content: "named"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(title string) error{
		"Store": func(title string) error {
			_, err := s.Remember(t.Context(), memory.StoreArgs{Title: &title, Content: "x", Dedup: "off"}, nil)
			return err
		},
		"Update": func(title string) error {
			_, err := s.Revise(t.Context(), memory.UpdateArgs{ID: named.Memory.ID, Title: &title})
			return err
		},
		"Checkpoint": func(title string) error {
			_, err := s.Checkpoint(t.Context(), memory.CheckpointArgs{Done: title, Learned: []memory.StoreArgs{{Title: &title, Content: "y"}}}, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			batches := []int{}
			for _, title := range []string{"Plain " + name, "Ærø " + name} {
				before := len(fake.Batches)
				if err := write(title); err != nil {
					t.Fatal(err)
				}
				batches = append(batches, len(fake.Batches)-before)
			}
			if batches[0] != batches[1] {
				t.Errorf("a title beyond ASCII is written in %d batches, want %d", batches[1], batches[0])
			}
			if err := d.Read(t.Context(), func(r *db.Reader) error {
				found, err := s.Caller.Find(t.Context(), r, strings.ToUpper("Ærø "+name))
				if err == nil && found.Title != "Ærø "+name {
					err = fmt.Errorf("found %q", found.Title)
				}
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
}
