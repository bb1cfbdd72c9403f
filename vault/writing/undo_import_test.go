package writing_test

import (
	"fmt"
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
	"hence/vault/writing"

	"github.com/google/go-cmp/cmp"
)

func TestUndoOfAFirstImportPutsTheVaultAway(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
	f.Imports()
	f.Imports() // changes nothing, so that the journal has no row for it
	files := snapshot(t, f.Dir)
	r := f.undoes(0)
	if r.Operation != "import" || r.Forgotten == nil || r.Forgotten.Memories != 2 || r.By == 0 {
		t.Errorf("Undo = %+v", r)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from memories where status <> 'forgotten'`) + dbtest.Count(t, f.Importer.DB, `select count(*) from mirrors`); n != 0 {
		t.Errorf("%d memories and vaults are left", n)
	}
	if diff := cmp.Diff(files, snapshot(t, f.Dir)); diff != "" {
		t.Errorf("the folder has changed:\n%s", diff)
	}
	if _, err := f.undo(r.By); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "hence import") {
		t.Errorf("Undo of the undo: %v", err)
	}
	if _, ok, err := f.writer().Undo(t.Context(), journal.UndoArgs{}); ok || err != nil {
		t.Errorf("Undo: %v, %v; want nothing of a vault", ok, err)
	}
	f.Imports()
	f.undoes(0)
}

func TestUndoOfAnotherImportSaysWhatHasNoWayBack(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
	_, err := memory.Store{DB: f.Importer.DB, Caller: f.Importer.Caller}.Remember(t.Context(), memory.StoreArgs{Content: "first of all"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Imports()
	text := "more"
	must(t)(f.update(writing.UpdateNoteArgs{Path: "b", Mode: "append", Content: &text}))
	written := dbtest.Count(t, f.Importer.DB, `select upto from batches where operation = 'update_note'`)
	f.Write("a.md", "see nothing")
	f.Imports()
	_, err = f.undo(0)
	if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "the notes are what their files say") ||
		!strings.Contains(err.Error(), "hence forget --vault v") || !strings.HasSuffix(err.Error(), "; hence log lists what was before it") {
		t.Errorf("Undo: %v", err)
	}
	first := int64(dbtest.Count(t, f.Importer.DB, `select upto from batches where first = 1`))
	if _, err := f.undo(first); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "hence forget --vault v") {
		t.Errorf("Undo of the first import: %v, want conflict", err)
	}
	f.undoes(int64(written))
	if f.text("b.md") != "x" {
		t.Errorf("b.md is %q", f.text("b.md"))
	}
	// The undo of the journal refuses changes to a vault.
	_, err = journal.Journal{DB: f.Importer.DB, Caller: f.Importer.Caller}.Undo(t.Context(), journal.UndoArgs{})
	if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "on the command line") {
		t.Errorf("the journal's Undo: %v", err)
	}
}

func TestAnImportIsOneLineOfTheLog(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
	f.Imports()
	store := memory.Store{DB: f.Importer.DB, Caller: f.Importer.Caller}
	title := "One"
	if _, err := store.Remember(t.Context(), memory.StoreArgs{Content: "one", Title: &title}, nil); err != nil {
		t.Fatal(err)
	}
	must(t)(f.create("c", "[[a]]"))
	if _, err := (edges.Graph{DB: f.Importer.DB, Caller: f.Importer.Caller}).Link(t.Context(), edges.LinkArgs{From: "One", To: f.ID("a.md"), Type: "causes"}); err != nil {
		t.Fatal(err)
	}
	f.undoes(int64(dbtest.Count(t, f.Importer.DB, `select upto from batches where operation = 'create_note'`)))
	log := func(c ref.Caller, a journal.LogArgs) (lines []string) {
		r, err := journal.Journal{DB: f.Importer.DB, Caller: c}.Log(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Changes {
			lines = append(lines, fmt.Sprintf("%s %s %s undone %v", c.Action, c.Title, c.What, c.UndoneBy > 0))
		}
		return lines
	}
	want := []string{
		"undo c.md 2 changes undone false", "link One causes → a undone false", "create_note c.md 2 changes undone true",
		"store One  undone false", "import v 3 changes undone false",
	}
	if diff := cmp.Diff(want, log(f.Importer.Caller, journal.LogArgs{Batches: true})); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
	paged := []string{}
	for before := int64(0); ; {
		r, err := journal.Journal{DB: f.Importer.DB, Caller: f.Importer.Caller}.Log(t.Context(), journal.LogArgs{Batches: true, Limit: 2, Before: before})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Changes {
			paged = append(paged, fmt.Sprintf("%s %s %s undone %v", c.Action, c.Title, c.What, c.UndoneBy > 0))
		}
		if before = r.Next; before == 0 {
			break
		}
	}
	if diff := cmp.Diff(want, paged); diff != "" {
		t.Errorf("the log by pages (-want +got):\n%s", diff)
	}
	if all := log(f.Importer.Caller, journal.LogArgs{Limit: 100}); len(all) != dbtest.Count(t, f.Importer.DB, `select count(*) from journal`) {
		t.Errorf("every change: %q", all)
	}
	if lines := log(ref.Caller{Namespace: "other"}, journal.LogArgs{Batches: true}); len(lines) > 0 {
		t.Errorf("another namespace sees %q", lines)
	}
}
