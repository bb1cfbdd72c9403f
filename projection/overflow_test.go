//go:build ignore

package vault

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
)

// Where more happens than the system's queue holds, it drops events and says
// so. Here it is made to miss them all: nothing is watched while files are
// written, renamed and removed.
func TestWatchLooksAtEverythingWhenTheQueueOverflowed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Kept.md", "see [[Made]]")
	write("Gone.md", "leaves")
	write("Old.md", "moves to another name")

	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	d := dbtest.New(t)
	reports := make(chan Report, 8) // more than there can be
	i := Importer{DB: d, Caller: ref.Caller{Actor: "test"}}
	w := watcher{Importer: i, args: ImportArgs{Dir: dir}, dir: dir, events: events, each: func(r Report, err error) {
		if err != nil {
			t.Error(err)
		}
		reports <- r
	}, behind: func(bool) {}}
	w.forget()
	if _, w.state, err = i.importAll(t.Context(), w.args); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.run(ctx) }()

	write("Kept.md", "see [[Made]] and more")
	write("Made.md", "new")
	if err := os.Remove(filepath.Join(dir, "Gone.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "Old.md"), filepath.Join(dir, "New.md")); err != nil {
		t.Fatal(err)
	}
	events.Errors <- fsnotify.ErrEventOverflow
	if r := <-reports; r.Added != 1 || r.Updated != 1 || r.Moved != 1 || r.Removed != 1 {
		t.Errorf("after the overflow: %+v", r)
	}
	if n := dbtest.Count(t, d, `select count(*) from edges`); n != 1 {
		t.Errorf("%d edges, want that of Kept to Made", n)
	}

	// From then on the folder is watched again.
	write("Later.md", "seen")
	if r := <-reports; r.Added != 1 {
		t.Errorf("after that: %+v", r)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
