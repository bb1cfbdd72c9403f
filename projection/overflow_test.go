package projection_test

import (
	"context"
	"testing"

	"github.com/fsnotify/fsnotify"

	"hence/projection"
)

// If there are more events than the system's queue can hold, the system drops events and
// reports that. This test simulates that it has dropped them all: no folder is watched while
// files are written, renamed and removed.
func TestWatchLooksAtEverythingWhenTheQueueOverflowed(t *testing.T) {
	w := newWorld(t, map[string]string{"kept.kv": "import=made", "gone.kv": "text=leaves", "old.kv": "text=moves to another name"})
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	ctx, cancel := context.WithCancel(t.Context())
	reports, done := make(chan projection.Report, 8), make(chan error) // more than the test expects
	go func() {
		done <- w.mirror.WatchBy(ctx, w.dir, events, func(r projection.Report, err error) {
			if err != nil {
				t.Error(err)
			}
			reports <- r
		})
	}()
	<-reports
	w.save("kept.kv", "import=made\nmore=1")
	w.save("made.kv", "new=1")
	w.remove("gone.kv")
	w.move("old.kv", "new.kv")
	events.Errors <- fsnotify.ErrEventOverflow
	if r := <-reports; r.Added != 1 || r.Updated != 1 || r.Moved != 1 || r.Removed != 1 {
		t.Errorf("after the overflow: %+v", r)
	}
	w.want("kept depends-on made")

	// From then on the folder is watched again.
	w.save("later.kv", "seen=1")
	if r := <-reports; r.Added != 1 {
		t.Errorf("after that: %+v", r)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
