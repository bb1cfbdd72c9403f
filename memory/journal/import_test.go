package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/journal"
)

// importLines takes in memories, of which five make a batch, and edges between
// them. It calls between after each batch but the last.
func importLines(t *testing.T, d *db.DB, memories int, between func()) {
	t.Helper()
	blank := strings.Repeat(" ", 200_000)
	var given strings.Builder
	for n := range memories {
		fmt.Fprintf(&given, `{"type":"memory","id":"m%d","title":"M %d","content":"a%sb"}`+"\n", n, n, blank)
		if n > 0 {
			fmt.Fprintf(&given, `{"type":"edge","from":"m%d","to":"m%d","edge_type":"%s"}`+"\n", n, n-1, []string{"causes", "supersedes"}[n%2])
		}
	}
	checked := given.Len()
	_, err := lines.Import(t.Context(), ref.View{DB: d, Caller: ref.Caller{Actor: "importer"}}, strings.NewReader(given.String()), lines.ImportArgs{
		Progress: func(done, total int) {
			if done > checked && done < total {
				between()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An import is taken back whole, whatever others wrote between its batches,
// and so is what took it back.
func TestUndoOfAnImportTakesAllOfItBack(t *testing.T) {
	w, d := newWorld(t)
	others := 0
	importLines(t, d, 12, func() {
		others++
		remember(t, w, fmt.Sprint("other ", others))
	})
	if others < 2 {
		t.Fatalf("others wrote %d times between its batches, want twice", others)
	}
	whole := state(t, d)
	undone, err := w.Undo(t.Context(), journal.UndoArgs{})
	if err != nil {
		t.Fatal(err)
	}
	left := dbtest.Texts(t, d, `select title from memories where status <> 'forgotten' order by title`)
	if len(left) != others || left[0] != "other 1" || dbtest.Count(t, d, `select count(*) from edges`) != 0 {
		t.Errorf("%d memories are left (%.200q), want the %d of others", len(left), left, others)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: undone.By}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, state(t, d)); diff != "" {
		t.Errorf("after an undo of the undo (-before +after):\n%.2000s", diff)
	}
}

func TestUndoTakesBackWhatAFailedImportLeft(t *testing.T) {
	w, d := newWorld(t)
	text := `{"type":"memory","id":"a","title":"A"}
{"type":"edge","from":"a","to":"nowhere","edge_type":"causes"}`
	_, err := lines.Import(t.Context(), ref.View{DB: d}, strings.NewReader(text), lines.ImportArgs{})
	if err == nil || !strings.Contains(err.Error(), "hence undo takes it back") {
		t.Fatalf("Import: %v, want a word of undo", err)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, d, `select count(*) from memories where status <> 'forgotten'`); n != 0 {
		t.Errorf("%d memories are left", n)
	}
}

// Notes of another store come as lines, with uris and with the places of their
// links; no file here says anything else, so they go and come back like the rest.
func TestUndoOfAnImportTakesNotesOfAnotherStoreBack(t *testing.T) {
	const number = `{"type":"memory","id":"a","title":"A","uri":"obsidian-fs://v/a.md"}
{"type":"memory","id":"b","title":"B","uri":"obsidian-fs://v/b.md"}
{"type":"memory","id":"c","title":"C"}
{"type":"memory","id":"d","title":"D","status":"superseded"}
{"type":"edge","id":"e1","from":"a","to":"b","edge_type":"links-to","origin":"wikilink","sites":[{"line":3,"anchor":"#h","context":"x"},{"line":4,"anchor":"","context":"y"}]}
{"type":"edge","id":"e2","from":"c","to":"a","edge_type":"supersedes","origin":"frontmatter","sites":[{"line":1,"anchor":"","context":"z","backward":true}]}
{"type":"edge","id":"e3","from":"b","to":"c","edge_type":"causes","declared":true,"sites":[{"line":7,"anchor":"","context":"u"}]}
{"type":"edge","id":"e4","from":"a","to":"c","edge_type":"causes"}
`
	w, d := newWorld(t)
	x := ref.View{DB: d, Caller: ref.Caller{Actor: "importer"}}
	if _, err := lines.Import(t.Context(), x, strings.NewReader(number), lines.ImportArgs{}); err != nil {
		t.Fatal(err)
	}
	whole := append(state(t, d), places(t, d)...)
	undone, err := w.Undo(t.Context(), journal.UndoArgs{})
	if err != nil {
		t.Fatal(err)
	}
	if left := dbtest.Texts(t, d, `select title from memories where status <> 'forgotten' union all select id from edges`); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	if n := dbtest.Count(t, d, `select count(*) from dangling_links`); n != 0 {
		t.Errorf("%d links dangle", n)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: undone.By}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, append(state(t, d), places(t, d)...)); diff != "" {
		t.Errorf("after an undo of the undo (-before +after):\n%s", diff)
	}
}

// places are the sites of edges.
func places(t *testing.T, d *db.DB) []string {
	t.Helper()
	return dbtest.Texts(t, d, `
select json_array(e.id, s.note, s.kind, s.backward, s.origin, s.target, s.target_key, s.anchor, s.line, s.context, s.resolved_by)
from sites s
join edges e on e.key = s.edge
order by e.id, s.line`)
}

func TestUndoOfAHugeBatchIsRefused(t *testing.T) {
	w, d := newWorld(t)
	dbtest.Fill(t, d, db.S(`
insert into memories (title)
with n (i) as (select 0 union all select i + 1 from n where i < ?)
select 'm' || i from n`, journal.MaxUndone))
	_, err := w.Undo(t.Context(), journal.UndoArgs{})
	if fault.CodeOf(err) != fault.TooLarge || !strings.Contains(err.Error(), "backup") {
		t.Errorf("Undo: %v, want too_large", err)
	}
}
