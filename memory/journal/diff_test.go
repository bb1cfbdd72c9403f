package journal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/memory/journal"
)

func TestDiffTellsWhatIsDifferent(t *testing.T) {
	w, d := newWorld(t)
	a, b, c := remember(t, w, "a"), remember(t, w, "b"), remember(t, w, "c")
	for _, to := range []string{b.ID, c.ID} {
		if _, err := w.Link(t.Context(), edges.LinkArgs{From: a.ID, To: to, Type: "causes"}); err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Script(t, d.Path(), `update journal set at = '2026-01-01T00:00:00.000Z'`)
	changes := []func() error{
		func() error {
			remember(t, w, "new", func(x *memory.StoreArgs) { x.Supersedes = []string{a.ID} })
			return nil
		},
		func() error {
			_, err := w.Revise(t.Context(), memory.UpdateArgs{ID: b.ID, Title: new("B")})
			return err
		},
		func() error {
			_, err := w.Revise(t.Context(), memory.UpdateArgs{ID: c.ID, Title: new("C")})
			return err
		},
		func() error {
			_, err := w.Revise(t.Context(), memory.UpdateArgs{ID: c.ID, Title: new("c")})
			return err
		},
		func() error {
			_, err := w.Unlink(t.Context(), edges.UnlinkArgs{From: a.ID, To: b.ID, Type: "causes"})
			return err
		},
	}
	for _, change := range changes {
		if err := change(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := w.Diff(t.Context(), journal.DiffArgs{Since: "2026-01-02T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	said := []string{}
	for _, m := range got.Added {
		said = append(said, "added "+m.Title)
	}
	for _, m := range got.Changed {
		for _, f := range m.Fields {
			said = append(said, m.Title+" "+f.Name+": "+f.Before.(string)+" → "+f.After.(string))
		}
	}
	for _, e := range got.Linked {
		said = append(said, "linked "+e.From+" "+string(e.Type)+" "+e.To)
	}
	for _, e := range got.Unlinked {
		said = append(said, "unlinked "+e.From+" "+string(e.Type)+" "+e.To)
	}
	want := []string{"added new", "a status: current → superseded", "B title: b → B", "linked new supersedes a", "unlinked a causes B"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("the difference (-want +got):\n%s", diff)
	}
}

func TestDiffOfANamespaceTellsWhatWasPurged(t *testing.T) {
	w, d := newWorld(t)
	remember(t, w, "a")
	dbtest.Script(t, d.Path(), `update journal set at = '2026-01-01T00:00:00.000Z'`)
	if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: "a", Purge: true}); err != nil {
		t.Fatal(err)
	}
	for namespace, want := range map[string]int{"default": 1, "other": 0} {
		w.Journal.Caller.Namespace = namespace
		if got, err := w.Diff(t.Context(), journal.DiffArgs{Since: "2026-01-02T00:00:00Z"}); err != nil || len(got.Purged) != want {
			t.Errorf("of %s: %+v, %v; want %d purged", namespace, got, err, want)
		}
	}
}

func TestDiffTellsNothingOfWhatCameAndWent(t *testing.T) {
	for _, c := range []struct {
		name string
		goes func(w world) error
	}{
		{"Forgotten", func(w world) error {
			_, err := w.Forget(t.Context(), memory.ForgetArgs{ID: "new"})
			return err
		}},
		{"Undone", func(w world) error {
			_, err := w.Undo(t.Context(), journal.UndoArgs{})
			return err
		}},
		{"Purged", func(w world) error {
			_, err := w.Forget(t.Context(), memory.ForgetArgs{ID: "new", Purge: true})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := newWorld(t)
			remember(t, w, "a")
			dbtest.Script(t, d.Path(), `update journal set at = '2026-01-01T00:00:00.000Z'`)
			remember(t, w, "new", func(x *memory.StoreArgs) { x.Links = []memory.NewLink{{To: "a", Type: "supports"}} })
			if err := c.goes(w); err != nil {
				t.Fatal(err)
			}
			got, err := w.Diff(t.Context(), journal.DiffArgs{Since: "2026-01-02T00:00:00Z"})
			if n := len(got.Added) + len(got.Changed) + len(got.Purged) + len(got.Linked) + len(got.Unlinked); err != nil || n > 0 {
				t.Errorf("Diff = %+v, %v; want nothing", got, err)
			}
		})
	}
}

// The two numbers are one to a float.
func TestDiffTellsWholeNumbersApart(t *testing.T) {
	w, d := newWorld(t)
	m := remember(t, w, "m", func(a *memory.StoreArgs) { a.Properties = db.Properties{"id": int64(1234567890123456789)} })
	dbtest.Script(t, d.Path(), `update journal set at = '2026-01-01T00:00:00.000Z'`)
	if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Properties: db.Properties{"id": int64(1234567890123456788)}}); err != nil {
		t.Fatal(err)
	}
	got, err := w.Diff(t.Context(), journal.DiffArgs{Since: "2026-01-02T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got.Changed)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"before":{"id":1234567890123456789},"after":{"id":1234567890123456788}`; !strings.Contains(string(text), want) {
		t.Errorf("%s, want %s", text, want)
	}
}
