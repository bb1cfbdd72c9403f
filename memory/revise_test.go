package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/journal"
)

func TestReviseChangesWhatIsGivenAndCountsIt(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "word", func(a *memory.StoreArgs) { a.Properties = map[string]any{"keep": int64(1), "drop": "x"} })
	got, err := s.Revise(t.Context(), memory.UpdateArgs{
		ID: m.ID, Content: pointer("other"), Properties: map[string]any{"drop": nil, "new": true}, ExpectedRevision: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Memory.Content != "" || got.Memory.Revision != 2 {
		t.Errorf("the answer is %+v, want revision 2 without the content", got.Memory)
	}
	n := stored(t, s, m.ID)
	if n.Title != "word" || n.Content != "other" || n.Revision != 2 || n.ContentHash != db.Hash("other") {
		t.Errorf("memory = %+v", n)
	}
	if diff := cmp.Diff(db.Properties{"keep": int64(1), "new": true}, n.Properties); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Pinned: pointer(true), ExpectedRevision: 1}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("Revise of an old revision: %v, want conflict", err)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Title: pointer("")}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("Revise with an empty title: %v, want invalid_argument", err)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Properties: map[string]any{}}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("Revise of nothing: %v, want invalid_argument", err)
	}
	for query, want := range map[string]int{"word": 1, "other": 1, "body:word": 0} {
		if n := dbtest.Count(t, s.DB, `select count(*) from section_search where section_search match ?`, query); n != want {
			t.Errorf("the index finds %q %d times, want %d", query, n, want)
		}
	}
}

func TestAPropertyThatIsNullIsNotThere(t *testing.T) {
	for _, c := range []struct {
		name        string
		given, want db.Properties
	}{
		{"Alone", map[string]any{"gone": nil}, map[string]any{}},
		{"AmongOthers", map[string]any{"gone": nil, "kept": 1.5, "text": "null"}, map[string]any{"kept": 1.5, "text": "null"}},
		{"WithinAnObject", map[string]any{"o": map[string]any{"gone": nil, "kept": false}}, map[string]any{"o": map[string]any{"kept": false}}},
		{"InAListItStays", map[string]any{"l": []any{nil, "x", nil}}, map[string]any{"l": []any{nil, "x", nil}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			stored := remember(t, s, "stored", func(a *memory.StoreArgs) { a.Properties = c.given })
			updated, err := s.Revise(t.Context(), memory.UpdateArgs{ID: remember(t, s, "updated").ID, Properties: c.given})
			if err != nil {
				t.Fatal(err)
			}
			for name, m := range map[string]memory.Memory{"stored": stored, "updated": updated.Memory} {
				if diff := cmp.Diff(c.want, m.Properties); diff != "" {
					t.Errorf("properties as %s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestForgetIsReversibleAndPurgeIsNot(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "old")
	newer := remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{old.ID} })
	for _, m := range []memory.Memory{old, newer} {
		if got, err := s.Forget(t.Context(), memory.ForgetArgs{ID: m.ID, Reason: "wrong"}); err != nil || got.Status != "forgotten" {
			t.Fatalf("Forget = %+v, %v", got, err)
		}
	}
	restored, err := s.Restore(t.Context(), memory.RestoreArgs{ID: old.ID})
	if err != nil || restored.Memory.Status != memory.Superseded || restored.Memory.ForgetReason != "" {
		t.Errorf("Restore = %+v, %v; want it superseded as before", restored.Memory, err)
	}
	if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: newer.ID, Purge: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), memory.GetArgs{ID: newer.ID}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Open of what was purged: %v, want not_found", err)
	}
	got, err := s.Open(t.Context(), memory.GetArgs{ID: old.ID})
	if err != nil || got.Memories[0].Status != memory.Current {
		t.Errorf("what the purged memory replaced is %+v, %v; want it current again", got.Memories, err)
	}
}

func TestUpdateOfANoteIsForItsFile(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "note")
	dbtest.Script(t, s.DB.Path(), `update memories set uri = 'obsidian-fs://v/note.md', origin = 'vault'`)
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Content: pointer("x")}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("Revise of a note's text: %v, want invalid_argument", err)
	}
	if got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Pinned: pointer(true), Source: "person"}); err != nil || !got.Memory.Pinned {
		t.Errorf("Revise of a note's pin = %+v, %v", got.Memory, err)
	}
}

func TestReviseSaysThatATitleIsTaken(t *testing.T) {
	s := newStore(t)
	remember(t, s, "taken")
	m := remember(t, s, "mine")
	for title, want := range map[string]int{"Taken": 1, "mine": 0, "free": 0} {
		got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Title: pointer(title)})
		if err != nil || len(got.Warnings) != want || want > 0 && !strings.Contains(got.Warnings[0], "the title is taken already") {
			t.Errorf("%s: %q, %v", title, got.Warnings, err)
		}
	}
}

// An update sets, and by null removes, when and how surely a memory holds.
func TestReviseOfWhatHolds(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "m", func(a *memory.StoreArgs) { a.ValidFrom, a.Confidence = "2026-02-01", pointer(0.5) })
	for _, c := range []struct{ change, from, to, confidence string }{
		{`{"valid_to": "2026-03"}`, "2026-02-01T00:00:00.000Z", "2026-03-31T23:59:59.999Z", "0.5"},
		{`{"importance": 0.7}`, "2026-02-01T00:00:00.000Z", "2026-03-31T23:59:59.999Z", "0.5"},
		{`{"valid_from": null, "confidence": 0.9}`, "", "2026-03-31T23:59:59.999Z", "0.9"},
		{`{"valid_from": "2026-01-01", "valid_to": "2026-01-02T00:00:00Z"}`, "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "0.9"},
		{`{"valid_from": "", "valid_to": null, "confidence": null}`, "", "", ""},
	} {
		a := memory.UpdateArgs{}
		if err := args.Decode("update", []byte(`{"id": "m", `+c.change[1:]), &a); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Revise(t.Context(), a); err != nil {
			t.Fatalf("%s: %v", c.change, err)
		}
		got, confidence := stored(t, s, m.ID), ""
		if got.Confidence != nil {
			confidence = fmt.Sprint(*got.Confidence)
		}
		if got.ValidFrom != c.from || got.ValidTo != c.to || confidence != c.confidence {
			t.Errorf("%s: it holds from %q to %q, confidence %q", c.change, got.ValidFrom, got.ValidTo, confidence)
		}
	}
	for _, c := range []memory.UpdateArgs{
		{ValidFrom: pointer("2026-02-01"), ValidTo: pointer("2026-01-01")}, {ValidTo: pointer("soon")}, {Confidence: pointer(1.5)},
	} {
		c.ID = "m"
		if _, err := s.Revise(t.Context(), c); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v, want invalid_argument", c, err)
		}
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "m", ValidTo: pointer("2026-01-01")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "m", ValidFrom: pointer("2026-05-01")}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("an end that is there already: %v, want invalid_argument", err)
	}
	if _, err := journal.Journal(s).Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s, m.ID); got.ValidTo != "" {
		t.Errorf("after undo it holds to %q", got.ValidTo)
	}
}
