package exchange_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/briefing"
	"hence/memory/journal"
)

// ranAhead makes all that is in the store that of a clock that was an hour fast, and has been set right since.
func ranAhead(t *testing.T, d *db.DB) {
	t.Helper()
	at := time.Now().Add(time.Hour)
	setClock(t, d, at)
	for _, table := range []db.Stmt{db.S(`update memories set created_at = ?1, updated_at = ?1`, db.Time(at)), db.S(`update edges set created_at = ?`, db.Time(at))} {
		if _, err := d.Write(t.Context(), "", "", table); err != nil {
			t.Fatal(err)
		}
	}
}

// A clock is set back between operations, and the store is closed and opened between some of them. Its journal, its stamps,
// its sessions and its undo go by the order of what happened.
func TestAClockThatGoesBackwards(t *testing.T) {
	dbtest.SkipOnCluster(t, "it opens the file again")
	ctx, lab, c := t.Context(), newLaboratory(t), ref.Caller{Actor: "ada", Origin: "person"}
	d := lab.open(t, lab.empty)
	again := func() { d = lab.open(t, lab.close(t, d)) }
	s := func() memory.Store { return memory.Store{DB: d, Caller: c} }
	store := func(text string) string {
		t.Helper()
		stored, err := s().Remember(ctx, memory.StoreArgs{Content: text, Dedup: "off"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return stored.Memory.ID
	}
	edit := func(id, text string) {
		t.Helper()
		if _, err := s().Revise(ctx, memory.UpdateArgs{ID: id, Content: &text}); err != nil {
			t.Fatal(err)
		}
	}
	link := func(from, to string) {
		t.Helper()
		if _, err := (edges.Graph{DB: d, Caller: c}).Link(ctx, edges.LinkArgs{From: from, To: to, Type: "depends-on"}); err != nil {
			t.Fatal(err)
		}
	}
	checkpoint := func(goal string) (follows string) {
		t.Helper()
		done, err := s().Checkpoint(ctx, memory.CheckpointArgs{Goal: goal}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if done.Session.Follows != nil {
			follows = done.Session.Follows.Title
		}
		return follows
	}

	first := store("first")
	edit(first, "first, edited by the fast clock")
	third := store("third")
	link(third, first)
	checkpoint("one")
	ranAhead(t, d)
	again()
	second := store("second")
	link(second, first)
	edit(first, "first, edited by the right clock")
	relink := func() {
		t.Helper()
		if _, err := (edges.Graph{DB: d, Caller: c}).Unlink(ctx, edges.UnlinkArgs{From: third, To: first, Type: "depends-on"}); err != nil {
			t.Fatal(err)
		}
		again()
		link(third, first)
	}
	relink() // first linked and unlinked by the fast clock, and by the right one
	relink()
	unlinked, err := (edges.Graph{DB: d, Caller: c}).Unlink(ctx, edges.UnlinkArgs{From: second, To: first, Type: "depends-on"})
	if err != nil {
		t.Fatal(unlinked, err)
	}
	again()
	link(second, first)
	if got := checkpoint("two"); !strings.HasSuffix(got, ": one") {
		t.Errorf("session two follows %q, want one", got)
	}
	if got := checkpoint("three"); !strings.HasSuffix(got, ": two") {
		t.Errorf("session three follows %q, want two", got)
	}
	brief, err := briefing.Briefer{DB: d, Caller: c}.Brief(ctx, briefing.Args{})
	if err != nil {
		t.Fatal(err)
	}
	if brief.LeftOff == nil || brief.LeftOff.Goal != "three" {
		t.Errorf("the briefing begins at %+v, want session three", brief.LeftOff)
	}

	for name, query := range map[string]string{
		"the journal's times go back":                            `select j.seq || ' ' || j.at from journal j join journal k on k.seq = j.seq - 1 where j.at < k.at`,
		"the batches of the journal go back":                     `select j.seq from journal j join journal k on k.seq = j.seq - 1 where j.batch < k.batch`,
		"a removal is later than the edge that was linked again": `select e.id from edges e join removals r on r.edge = e.key where r.at >= max(e.created_at, coalesce((select at from stamps where id = e.id and field = 'said'), ''))`,
		"a stamp is older than the one before it":                `select id || field from stamps where exists (select 1 from json_each(past) where value >= at and value not like '=%')`,
	} {
		if got := dbtest.Texts(t, d, query); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	if ids := dbtest.Texts(t, d, `select id from memories union all select id from edges`); len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
		t.Error("an id came twice")
	}

	// Another machine, whose clock was right all the time, edits the text that it has seen, and unlinks the edge.
	other := lab.open(t, lab.empty)
	if _, err := other.Write(ctx, "", "", db.S(`update store set tag = 'other'`)); err != nil {
		t.Fatal(err)
	}
	both := func() {
		t.Helper()
		mergeWay(t, other, d, false)
		mergeWay(t, d, other, true)
		if a, b := export(t, d), export(t, other); a != b {
			t.Errorf("two stores differ:\n%s\n%s", a, b)
		}
	}
	both()
	text := "first, edited elsewhere"
	if _, err := (memory.Store{DB: other, Caller: c}).Revise(ctx, memory.UpdateArgs{ID: first, Content: &text}); err != nil {
		t.Fatal(err)
	}
	if _, err := (edges.Graph{DB: other, Caller: c}).Unlink(ctx, edges.UnlinkArgs{From: second, To: first, Type: "depends-on"}); err != nil {
		t.Fatal(err)
	}
	both()
	for _, d := range []*db.DB{d, other} {
		if got := dbtest.Texts(t, d, `select content from memories where id = ?`, first); got[0] != text {
			t.Errorf("the text is %q, want that of the last writer, who had seen the others", got)
		}
		if got := dbtest.Texts(t, d, `select f.id from edges e join memories f on f.key = e.from_key where e.kind = 'depends-on'`); !slices.Equal(got, []string{third}) {
			t.Errorf("%q depend on the first memory, want the third, whose edge was linked last; the second's was unlinked last", got)
		}
		if n := dbtest.Count(t, d, `select count(*) from memories where status = 'superseded'`); n != 0 {
			t.Error("a text that its editor had seen gave way as if not")
		}
	}

	// Undo takes back what was done last, whatever the clock said.
	again()
	edit(second, "second, edited")
	undone, err := journal.Journal{DB: d, Caller: c}.Undo(ctx, journal.UndoArgs{})
	if err != nil {
		t.Fatal(err)
	}
	if got := dbtest.Texts(t, d, `select content from memories where id = ?`, second); got[0] != "second" {
		t.Errorf("undo took back %+v, and the text is %q", undone, got)
	}
	lab.close(t, d)
	lab.close(t, other)
}
