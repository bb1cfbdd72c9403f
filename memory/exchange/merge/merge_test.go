package merge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
)

// A merge that was planned on an edit by the shell without stamps is not written.
func TestAPlanIsNotWrittenIfStampsWaited(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	d, s := dbtest.New(t), ref.View{}
	s.DB = d
	if _, err := lines.Import(t.Context(), s, strings.NewReader(`{"type":"memory","id":"a","title":"a"}`), lines.ImportArgs{Name: "FILE"}); err != nil {
		t.Fatal(err)
	}
	m := New(s, lines.ImportArgs{Name: "FILE"})
	if err := m.compare(t.Context(), strings.NewReader(`{"type":"memory","id":"b","title":"b"}`)); err != nil {
		t.Fatal(err)
	}
	dbtest.Script(t, d.Path(), `update memories set content = 'by hand' where id = 'a'`)
	plan := func() (p *plan) {
		err := d.Read(t.Context(), func(r *db.Reader) (err error) {
			p, err = m.plan(context.Background(), r)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if err := m.write(t.Context(), plan().statements(m)...); !errors.Is(err, lines.ErrMoved) {
		t.Errorf("written while stamps wait: %v", err)
	}
	if err := m.run(t.Context()); err != nil || m.done.Memories.Added != 1 {
		t.Errorf("%+v, %v, want one memory added", m.done, err)
	}
}
