package journal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/memory"
	"hence/memory/journal"
)

func TestPastTellsWhatHappenedToAMemory(t *testing.T) {
	w, _ := newWorld(t)
	m, other := remember(t, w, "m"), remember(t, w, "other")
	text, title := "new text", "M"
	if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Content: &text, Title: &title}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Link(t.Context(), edges.LinkArgs{From: other.ID, To: m.ID, Type: "supersedes"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Link(t.Context(), edges.LinkArgs{From: m.ID, To: other.ID, Type: "causes", Rel: "led-to"}); err != nil {
		t.Fatal(err)
	}
	past, err := w.ReadPast(t.Context(), journal.PastArgs{ID: m.ID})
	if err != nil {
		t.Fatal(err)
	}
	said := []string{}
	for _, s := range past.Steps {
		line := fmt.Sprint(s.Number, " ", s.Action, " ", s.Fields)
		if s.Edge != nil {
			line = fmt.Sprint(s.Action, " ", s.Edge.Type, " ", s.Edge.Rel, " ", s.Edge.Out, " ", s.Edge.Other.Title)
		}
		if s.Undone {
			line += ", undone"
		}
		said = append(said, line)
	}
	want := []string{"link causes led-to true other", "4 reinstate []", "3 supersede [], undone", "2 update [title content]", "1 store []"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if cut, err := w.ReadPast(t.Context(), journal.PastArgs{ID: m.ID, Limit: 2}); err != nil || len(cut.Steps) != 2 || !cut.Truncated {
		t.Errorf("the latest two: %+v, %v", cut, err)
	}
}

func TestPastAndEditOfOthersAreNotFound(t *testing.T) {
	w, d := newWorld(t)
	m := remember(t, w, "m", func(a *memory.StoreArgs) { a.Namespace = "theirs" })
	guest := journal.Journal{DB: d, Caller: ref.Caller{Actor: "guest", Namespace: "ours", Confined: true}}
	if _, err := guest.ReadPast(t.Context(), journal.PastArgs{ID: m.ID}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Past: %v", err)
	}
	if _, err := guest.Edit(t.Context(), journal.EditArgs{ID: m.ID, Number: 1}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Edit: %v", err)
	}
	for _, number := range []int{2, 1000} {
		if _, err := w.Edit(t.Context(), journal.EditArgs{ID: m.ID, Number: number}); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("change %d: %v", number, err)
		}
	}
}

// Each edit has the values before and after it, whatever was changed before and later.
func TestEditHasTheValuesOfItsTime(t *testing.T) {
	w, _ := newWorld(t)
	number := 0
	rapid.Check(t, func(t *rapid.T) {
		number++
		title := fmt.Sprint("m", number)
		m := remember(t, w, title, func(a *memory.StoreArgs) { a.Dedup = "off" })
		type state struct {
			title, content string
			number         int64
		}
		states := []state{{title, "text of " + title, 0}}
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			s := states[len(states)-1]
			a := memory.UpdateArgs{ID: m.ID}
			if rapid.Bool().Draw(t, "title") {
				s.title = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "to")
				a.Title = &s.title
			}
			if rapid.Bool().Draw(t, "content") {
				s.content = rapid.SampledFrom([]string{"one\ntwo", "two", "null", "", "7"}).Draw(t, "to")
				a.Content = &s.content
			}
			if rapid.Bool().Draw(t, "number") {
				s.number = int64(1)<<60 + rapid.Int64Range(1, 3).Draw(t, "to")
				a.Properties = db.Properties{"n": s.number}
			}
			if s == states[len(states)-1] || s.content == "" {
				continue // nothing to change, or an empty text, which is refused
			}
			if _, err := w.Revise(context.Background(), a); err != nil {
				t.Fatal(err)
			}
			states = append(states, s)
		}
		for n := 1; n < len(states); n++ {
			edit, err := w.Edit(context.Background(), journal.EditArgs{ID: m.ID, Number: n + 1})
			if err != nil {
				t.Fatal(err)
			}
			was, is := states[n-1], states[n]
			want := []journal.Field{}
			add := func(name string, before, after any) {
				if !cmp.Equal(before, after) {
					want = append(want, journal.Field{Name: name, Before: before, After: after})
				}
			}
			add("content", was.content, is.content)
			add("properties", properties(was.number), properties(is.number))
			add("title", was.title, is.title)
			if diff := cmp.Diff(want, edit.Fields); diff != "" {
				t.Fatalf("edit %d (-want +got):\n%s", n, diff)
			}
		}
	})
}

func properties(n int64) map[string]any {
	if n == 0 {
		return map[string]any{}
	}
	return map[string]any{"n": n}
}
