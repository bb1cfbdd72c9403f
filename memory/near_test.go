package memory_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
)

func TestRemember_TheSameAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		again  memory.StoreArgs
		want   fault.Code
		stores bool
		warns  string
	}{
		{"StrictRefuses", memory.StoreArgs{Content: "Same text", Dedup: "strict"}, fault.Exists, false, ""},
		{"StrictRefusesOtherCaseAndSpace", memory.StoreArgs{Content: " SAME\n text ", Title: pointer("same text"), Dedup: "strict"}, fault.Exists, false, ""},
		{"StrictRefusesAnotherFormOfLetters", memory.StoreArgs{Content: "cafe\u0301 STRASSE", Title: pointer("cafe\u0301"), Dedup: "strict"}, fault.Exists, false, ""},
		{"StrictStoresAnotherTitle", memory.StoreArgs{Content: "Same text", Title: pointer("Other"), Dedup: "strict"}, "", true, ""},
		{"StrictTellsSigns", memory.StoreArgs{Content: "Same text!", Title: pointer("Same text"), Dedup: "strict"}, "", true, "taken"},
		{"StrictStoresInAnotherNamespace", memory.StoreArgs{Content: "Same text", Namespace: "else", Dedup: "strict"}, "", true, ""},
		{"StrictRefusesWithoutATitle", memory.StoreArgs{Content: "Same text", Dedup: "strict"}, fault.Exists, false, ""},
		{"WarnReturnsIt", memory.StoreArgs{Content: "Same text"}, "", false, "nothing was stored"},
		{"WarnReturnsItInOtherCase", memory.StoreArgs{Content: "same  TEXT"}, "", false, "nothing was stored"},
		{"WarnReturnsItForKnownMetadata", memory.StoreArgs{Content: "Same text", Tags: []string{"a"}, Properties: db.Properties{"n": 1}}, "", false, "nothing was stored"},
		{"WarnReturnsItForAKnownEdge", memory.StoreArgs{Content: "Same text", Links: []memory.NewLink{{To: "Reason", Type: "depends-on"}}}, "", false, "nothing was stored"},
		{"WarnStoresATag", memory.StoreArgs{Content: "Same text", Tags: []string{"b"}}, "", true, "taken"},
		{"WarnStoresAProperty", memory.StoreArgs{Content: "Same text", Properties: db.Properties{"n": 2}}, "", true, "taken"},
		{"WarnStoresAKind", memory.StoreArgs{Content: "Same text", Kind: "decision"}, "", true, "taken"},
		{"WarnStoresValidity", memory.StoreArgs{Content: "Same text", ValidFrom: "2026-01-01"}, "", true, "taken"},
		{"WarnStoresConfidence", memory.StoreArgs{Content: "Same text", Confidence: pointer(0.2)}, "", true, "taken"},
		{"WarnStoresAnEdge", memory.StoreArgs{Content: "Same text", Links: []memory.NewLink{{To: "Reason", Type: "supports"}}}, "", true, "taken"},
		{"WarnStoresASuccessor", memory.StoreArgs{Content: "Same text", Supersedes: []string{"Same text"}}, "", true, ""},
		{"OffStores", memory.StoreArgs{Content: "Same text", Dedup: "off"}, "", true, "taken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			remember(t, s, "Reason")
			first := remember(t, s, "Same text", func(a *memory.StoreArgs) {
				a.Tags, a.Properties, a.Links = []string{"a"}, db.Properties{"n": 1}, []memory.NewLink{{To: "Reason", Type: "depends-on"}}
			})
			remember(t, s, "Caf\u00e9 Straße", func(a *memory.StoreArgs) { a.Title = pointer("Caf\u00e9") })
			got, err := s.Remember(t.Context(), c.again, nil)
			if fault.CodeOf(err) != c.want {
				t.Fatalf("Remember: %v, want %q", err, c.want)
			}
			if err != nil {
				return
			}
			if got.Created != c.stores || (got.Memory.ID != first.ID) != c.stores {
				t.Errorf("created %v as %s; the first is %s", got.Created, got.Memory.ID, first.ID)
			}
			if all := strings.Join(got.Warnings, "; "); !strings.Contains(all, c.warns) || c.warns == "" && all != "" {
				t.Errorf("warnings %q, want %q", all, c.warns)
			}
			isSame := slices.ContainsFunc(got.Near, func(n memory.Near) bool { return n.Same && n.ID == first.ID })
			if wants := strings.Contains(c.warns, "nothing") || c.warns == "taken" && c.name != "StrictTellsSigns"; isSame != wants {
				t.Errorf("near is %+v", got.Near)
			}
		})
	}
}

// A memory that was superseded or forgotten is not in the way of its text.
func TestRemember_WhatIsGoneIsNotTheSame(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "text")
	remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{old.ID} })
	got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "text", Dedup: "strict"}, nil)
	if err != nil || !got.Created {
		t.Fatalf("Remember: %+v, %v", got, err)
	}
	if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: got.Memory.ID}); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Remember(t.Context(), memory.StoreArgs{Content: "text"}, nil); err != nil || !again.Created {
		t.Fatalf("Remember: %+v, %v", again, err)
	}
}

// A memory that is over or not yet valid is not in the way of its text: the same stored again
// holds now.
func TestRemember_WhatDoesNotHoldIsNotTheSame(t *testing.T) {
	over := func(a *memory.StoreArgs) { a.ValidTo = "2026-01-31" }
	future := func(a *memory.StoreArgs) { a.ValidFrom = "2999-01-01" }
	title := func(a *memory.StoreArgs) { a.Title = pointer("Pager") }
	item := func(option func(*memory.StoreArgs), content string) memory.StoreArgs {
		a := memory.StoreArgs{Content: content}
		option(&a)
		return a
	}
	const text = "The pager is with ops"
	for _, c := range []struct {
		name     string
		there    func(*memory.StoreArgs)
		again    memory.StoreArgs
		recalled bool
		stores   bool
	}{
		{"OverInWarn", over, memory.StoreArgs{Content: text}, false, true},
		{"OverInOtherCase", over, memory.StoreArgs{Content: "the PAGER  is with ops"}, false, true},
		{"OverInStrict", over, memory.StoreArgs{Content: text, Dedup: "strict"}, false, true},
		{"OverOfAnotherKind", over, memory.StoreArgs{Content: text, Kind: "decision"}, false, true},
		{"OverUnderATitle", func(a *memory.StoreArgs) { over(a); title(a) }, item(title, text), false, true},
		{"OverAndRecalled", over, memory.StoreArgs{Content: text}, true, true},
		{"NotYetInWarn", future, memory.StoreArgs{Content: text}, false, true},
		{"NotYetInStrict", future, memory.StoreArgs{Content: text, Dedup: "strict"}, false, true},
		{"NotYetAndRecalled", future, memory.StoreArgs{Content: text}, true, true},
		{"ValidUntilLater", func(a *memory.StoreArgs) { a.ValidFrom, a.ValidTo = "2026-01-01", "2999-01-01" }, memory.StoreArgs{Content: text}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			old := remember(t, s, text, c.there)
			ctx := t.Context()
			if c.recalled {
				ctx = memory.WithRecalled(ctx, []string{old.ID})
			}
			got, err := s.Remember(ctx, c.again, nil)
			if err != nil || got.Created != c.stores {
				t.Fatalf("Remember: %+v, %v", got, err)
			}
			if slices.ContainsFunc(got.Near, func(n memory.Near) bool { return n.Same && n.ID == old.ID }) == c.stores {
				t.Errorf("near is %+v", got.Near)
			}
			c.again.Dedup = ""
			if again, err := s.Remember(t.Context(), c.again, nil); err != nil || again.Created {
				t.Errorf("the same once more: %+v, %v", again, err)
			}
		})
		t.Run(c.name+"InACheckpoint", func(t *testing.T) {
			s := newStore(t)
			got := checkpointed(t, s, memory.CheckpointArgs{Learned: []memory.StoreArgs{item(c.there, text), c.again}})
			if got.Memories[1].Created != c.stores {
				t.Errorf("%+v", got.Memories)
			}
		})
	}
}

// Many who tell the same thing at once leave one memory.
func TestRemember_TheSameAtOnce(t *testing.T) {
	s := newStore(t)
	var wg sync.WaitGroup
	created := make([]bool, 8)
	for i := range created {
		wg.Go(func() {
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "told by all"}, nil)
			if err != nil {
				t.Error(err)
			}
			created[i] = got.Created
		})
	}
	wg.Wait()
	if n := dbtest.Count(t, s.DB, `select count(*) from memories`); n != 1 {
		t.Errorf("%d memories, created %v", n, created)
	}
}

// What a session recalled and tells again, word for word, is the memory that it is,
// whatever its title, unless metadata or an edge comes with it.
func TestRemember_WhatWasRecalledComesBack(t *testing.T) {
	s := newStore(t)
	recalled := remember(t, s, "Retry rule", func(a *memory.StoreArgs) {
		a.Content, a.Tags = "Retry five times, then stop.", []string{"net"}
	})
	other := remember(t, s, "Other")
	for _, c := range []struct {
		name   string
		ids    []string
		again  memory.StoreArgs
		stores bool
	}{
		{"WordForWord", []string{other.ID, recalled.ID}, memory.StoreArgs{Content: "Retry five  times, then stop."}, false},
		{"TitledAnew", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Title: pointer("Retries")}, false},
		{"TaggedAsItIs", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Tags: []string{"net"}, Title: pointer("Retries")}, false},
		{"TaggedAnew", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Tags: []string{"x"}, Title: pointer("Tagged")}, true},
		{"Weighed", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Importance: pointer(0.9), Title: pointer("Weighed")}, true},
		{"OfAKind", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Kind: "decision", Title: pointer("Decided")}, true},
		{"SaidByAPerson", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Source: "person", Title: pointer("Said")}, true},
		{"Linked", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Links: []memory.NewLink{{To: "Other", Type: "supports"}}}, true},
		{"InOtherWords", []string{recalled.ID}, memory.StoreArgs{Content: "Retry five times and stop."}, true},
		{"NotRecalled", []string{other.ID}, memory.StoreArgs{Content: "Retry five times, then stop.", Title: pointer("Anew")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Remember(memory.WithRecalled(t.Context(), c.ids), c.again, nil)
			if err != nil || got.Created != c.stores || !c.stores && got.Memory.ID != recalled.ID {
				t.Errorf("%+v, %v", got, err)
			}
			if c.stores { // the cases that follow do not find it
				if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: got.Memory.ID, Purge: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// The store itself adds to a new memory the tag of the project, and the source of the stranger whose text it repeats.
// Neither is a reason to store a recalled memory a second time.
func TestRemember_WhatWasRecalledComesBackFromElsewhere(t *testing.T) {
	s := newStore(t)
	page := remember(t, s, "Page", func(a *memory.StoreArgs) { a.Source = "web" })
	recalled := remember(t, s, "Retries", func(a *memory.StoreArgs) {
		a.Content, a.Tags = "Retry failed uploads five times, then stop for good.", []string{"project/quay"}
		a.Links = []memory.NewLink{{To: page.ID, Type: "derived-from"}}
	})
	s.Caller.Project = "pier"
	got, err := s.Remember(memory.WithRecalled(t.Context(), []string{recalled.ID}), memory.StoreArgs{Content: stored(t, s, recalled.ID).Content}, nil)
	if err != nil || got.Created || got.Memory.ID != recalled.ID {
		t.Errorf("%+v, %v", got, err)
	}
}

// The answer has the nearest that there are, without what the new memory replaced, and
// says which are linked.
func TestRemember_Near(t *testing.T) {
	s := newStore(t)
	near := []memory.Near{}
	for _, word := range []string{"a", "b", "c", "d", "e"} {
		n := memory.Near{Snippet: word}
		n.ID, n.Title = remember(t, s, word).ID, word
		near = append(near, n)
	}
	asked := ""
	got, err := s.Remember(t.Context(), memory.StoreArgs{
		Title: pointer("New"), Content: "said", Supersedes: []string{"a"}, Links: []memory.NewLink{{From: "c", Type: "supports"}},
	}, func(_ context.Context, namespace, text string) ([]memory.Near, error) {
		asked = namespace + ": " + text
		return slices.Clone(near[:4]), nil
	})
	if err != nil || asked != "default: New\nsaid" {
		t.Fatalf("asked %q, %v", asked, err)
	}
	near[2].Linked = true
	if !slices.Equal(got.Near, near[1:4]) {
		t.Errorf("near is %+v", got.Near)
	}
}
