package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/memory"
)

// Purging a memory also purges the texts of it that lost in merges, even in a merge by a
// store that did not know of the purge.
func TestAPurgedMemoryLeavesNoOtherText(t *testing.T) {
	one, other, third := newPerson(t), newPerson(t), newPerson(t)
	one.store("Zeb")
	for _, p := range []person{other, third} {
		mergeFrom(t, p.DB, one.DB)
	}
	for n, p := range []person{one, other, third} {
		p.edit("Zeb", []string{"first", "second", "third"}[n])
	}
	syncBoth(t, one.DB, other.DB)
	conflict := mergeFrom(t, third.DB, other.DB)
	if len(conflict.Settle) == 0 {
		t.Fatal("no text gave way")
	}
	done, err := memory.Store{DB: one.DB, Caller: one.caller()}.Forget(t.Context(), memory.ForgetArgs{ID: "Zeb", Purge: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"with it went 1 text that gave way in a merge"}
	if kept := one.DB.KeepsErased(); kept != "" { // by the logs of a cluster's nodes
		want = append(want, kept)
	}
	if !slices.Equal(done.Warnings, want) {
		t.Errorf("%q, want %q", done.Warnings, want)
	}
	for _, p := range []person{other, third} {
		syncBoth(t, one.DB, p.DB)
	}
	syncBoth(t, one.DB, other.DB)
	for _, p := range []person{one, other, third} {
		if lines := export(t, p.DB); strings.Contains(lines, `"type":"memory"`) {
			t.Errorf("a text is left:\n%s", lines)
		}
	}
}

// A losing text without its tag is a memory of its own, and is not purged.
func TestAnOtherTextThatWasSettledOutlivesItsMemory(t *testing.T) {
	one, other := newPerson(t), newPerson(t)
	one.store("Zeb")
	mergeFrom(t, other.DB, one.DB)
	one.edit("Zeb", "first")
	other.edit("Zeb", "second")
	syncBoth(t, one.DB, other.DB)
	if _, err := (memory.Store{DB: other.DB, Caller: other.caller()}).Revise(t.Context(), memory.UpdateArgs{ID: "Zeb (other edit)", Tags: &[]string{}}); err != nil {
		t.Fatal(err)
	}
	if _, err := (memory.Store{DB: other.DB, Caller: other.caller()}).Forget(t.Context(), memory.ForgetArgs{ID: "Zeb", Purge: true}); err != nil {
		t.Fatal(err)
	}
	syncBoth(t, one.DB, other.DB)
	if got := dbtest.Texts(t, one.DB, `select title || ' ' || status from memories`); !slices.Equal(got, []string{"Zeb (other edit) current"}) {
		t.Errorf("%q", got)
	}
}

func TestTheShellPurgesAMemoryAndItsOtherTextIsNotCurrent(t *testing.T) {
	one := newPerson(t)
	one.take(`{"type":"memory","id":"a","title":"Zeb"}
{"type":"memory","id":"b","title":"Zeb (other edit)","tags":["conflicting-edit"],"status":"superseded"}
{"type":"edge","from":"a","to":"b","edge_type":"supersedes"}`)
	dbtest.Script(t, one.Path(), `delete from memories where id = 'a'`)
	if got := dbtest.Texts(t, one.DB, `select status from memories`); !slices.Equal(got, []string{"forgotten"}) {
		t.Errorf("%q", got)
	}
}
