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
	"hence/memory/exchange"
	"hence/memory/journal"
)

// importLines takes in memories and edges between them, and calls between after
// each batch but the last.
func importLines(t *testing.T, d *db.DB, memories int, between func()) {
	t.Helper()
	var lines strings.Builder
	for n := range memories {
		fmt.Fprintf(&lines, `{"type":"memory","id":"m%d","title":"M %d"}`+"\n", n, n)
		if n > 0 {
			fmt.Fprintf(&lines, `{"type":"edge","from":"m%d","to":"m%d","edge_type":"%s"}`+"\n", n, n-1, []string{"causes", "supersedes"}[n%2])
		}
	}
	checked := lines.Len()
	_, err := exchange.Store{DB: d, Caller: ref.Caller{Actor: "importer"}}.Import(t.Context(), strings.NewReader(lines.String()), exchange.ImportArgs{
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
	importLines(t, d, 2500, func() {
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

func TestUndoOfAHugeImportIsRefused(t *testing.T) {
	w, d := newWorld(t)
	importLines(t, d, 4100, func() {})
	_, err := w.Undo(t.Context(), journal.UndoArgs{})
	if fault.CodeOf(err) != fault.TooLarge || !strings.Contains(err.Error(), "backup") {
		t.Errorf("Undo: %v, want too_large", err)
	}
}
