package erase_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/memory"
	"hence/memory/erase"
	"hence/vault"
)

// What a file is called, its note's title or a part of it, is in the answer and in no row.
func TestTheReceiptDoesNotNameTheFile(t *testing.T) {
	w := ends(t, 21)
	title := w.text(&w.gone, 2)
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, title+".md"), []byte("It says "+w.text(&w.gone, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (vault.Importer{DB: w.v.DB, Caller: person}).Import(t.Context(), vault.ImportArgs{Dir: notes}); err != nil {
		t.Fatal(err)
	}
	done := w.erase(erase.Args{ID: title + ".md"})
	if left := w.left(w.gone); len(left) > 0 || len(done.Receipt.Found) > 0 {
		t.Errorf("left %q; %+v", left, done.Receipt)
	}
	if !strings.HasSuffix(done.Erased[0].File, title+".md") || !strings.Contains(fmt.Sprint(done.Receipt.OutOfReach), "the file of "+done.Erased[0].ID) {
		t.Errorf("the file is not named: %+v", done)
	}
	// A team's file is called by the title too, and git's command names it.
	if err := os.MkdirAll(filepath.Join(w.folder, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	title = w.text(&w.gone, 2)
	id := w.store(memory.StoreArgs{Title: &title, Content: w.text(&w.gone, 2)})
	w.team()
	done = w.erase(erase.Args{ID: id})
	if said := fmt.Sprint(done.Receipt.OutOfReach); !strings.Contains(said, strings.ReplaceAll(title, " ", "-")) {
		t.Errorf("the file in git's history is not named: %s", said)
	}
	all, err := erase.Store(w.v).Receipts(t.Context())
	if left := w.left(w.gone); err != nil || len(left) > 0 || !strings.Contains(fmt.Sprint(all[1].OutOfReach), "the history of git") {
		t.Errorf("%v, left %q; %+v", err, left, all)
	}
}
