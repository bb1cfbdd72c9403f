package tidy_test

import (
	"slices"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/memory/tidy"
)

// What a merge left to be settled is proposed until it is settled: a text that gave way,
// also one of several steps, and an edge that would close a cycle.
func TestWhatAMergeLeftIsProposed(t *testing.T) {
	script := `
insert into memories (id, title, tags, status) values
  ('plan', 'Plan', '[]', 'current'),
  ('text', 'Plan (other edit)', '["conflicting-edit"]', 'current'),
  ('older', 'Plan (other edit) (other edit)', '["conflicting-edit"]', 'current'),
  ('other', 'Other', '[]', 'current'),
  ('kept', 'Kept', '["conflicting-edit"]', 'current');
insert into edges (id, from_key, to_key, kind)
select f.id || t.id, f.key, t.key, 'supersedes'
from memories f
join memories t on (f.id, t.id) in (values ('plan', 'text'), ('text', 'older'));
insert into edges (id, from_key, to_key, kind)
select 'there', f.key, t.key, 'depends-on'
from memories f
join memories t on (f.id, t.id) = ('plan', 'other');
insert into unsettled (id, namespace, from_id, to_id, why, line) values
  ('out', 'default', 'other', 'plan', 'cycle', '{"id":"out","from":"other","to":"plan","edge_type":"depends-on","rel":"needs","created_at":"2031-01-01T00:00:00.000Z"}'),
  ('waits', 'default', 'other', 'nowhere', 'missing', '{"id":"waits","from":"other","to":"nowhere","edge_type":"causes","rel":""}');`
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), script)
	tidier := tidy.Tidier(ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}})
	propose := func(caller ref.Caller) (all []tidy.Proposal) {
		t.Helper()
		done, err := tidy.Tidier(ref.View{DB: d, Caller: caller}).Tidy(t.Context(), tidy.Args{Propose: []string{"conflict"}})
		if err != nil {
			t.Fatal(err)
		}
		return done.Proposals
	}
	titles := func(all []tidy.Proposal) (names []string) {
		for _, p := range all {
			names = append(names, p.Memories[0].Title+" / "+p.Memories[1].Title+" / "+p.Call.Tool)
		}
		slices.Sort(names)
		return names
	}
	all := propose(tidier.Caller)
	want := []string{"Other / Plan / memory_unlink", "Plan / Plan (other edit) (other edit) / memory_forget", "Plan / Plan (other edit) / memory_forget"}
	if got := titles(all); !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if got := propose(ref.Caller{Actor: "eve", Namespace: "elsewhere"}); len(got) > 0 {
		t.Errorf("a caller of another namespace is told %+v", got)
	}
	var reject, accept []string
	for _, p := range all {
		if p.Memories[1].Title == "Plan (other edit) (other edit)" {
			reject = append(reject, p.Key)
		} else {
			accept = append(accept, p.Key)
		}
	}
	if _, err := tidier.Tidy(t.Context(), tidy.Args{Accept: accept}); err != nil {
		t.Fatal(err)
	}
	if got := titles(propose(tidier.Caller)); !slices.Equal(got, want[1:2]) {
		t.Errorf("%q, want %q", got, want[1:2])
	}
	if _, err := tidier.Tidy(t.Context(), tidy.Args{Reject: reject}); err != nil {
		t.Fatal(err)
	}
	if got := propose(tidier.Caller); len(got) > 0 {
		t.Errorf("settled, and proposed again: %+v", got)
	}
	if got := dbtest.Texts(t, d, `select status from memories where id = 'text' union all select kind || ' ' || rel from unlinked union all select id from unsettled`); !slices.Equal(got, []string{"forgotten", "depends-on needs", "waits"}) {
		t.Errorf("%q", got)
	}
	undo := journal.Journal{DB: d, Caller: tidier.Caller}
	if _, err := undo.Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Fatal(err)
	}
	if got := titles(propose(tidier.Caller)); len(got) != 2 {
		t.Errorf("undone, and proposed: %q", got)
	}
	if n := dbtest.Count(t, d, `select count(*) from unlinked`); n > 0 {
		t.Errorf("undo leaves %d removals", n)
	}
	if _, err := undo.Undo(t.Context(), journal.UndoArgs{Seq: int64(dbtest.Count(t, d, `select max(seq) from journal`))}); err != nil {
		t.Fatal(err)
	}
	if got := propose(tidier.Caller); len(got) > 0 {
		t.Errorf("settled again, and proposed: %+v", got)
	}
}
