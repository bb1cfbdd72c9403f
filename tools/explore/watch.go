package explore

import (
	"context"
	"sync"
	"sync/atomic"

	"hence/internal/db"
	"hence/memory"
	"hence/tools"
)

// watch looks for new rows of a store's journal, which any process may write, once for
// all who listen. It looks only while somebody does.
type watch struct {
	mu        sync.Mutex
	listeners map[chan struct{}]bool
	stop      func() // ends the goroutine and waits for it
	looks     atomic.Int64
}

// join returns a channel that has a value after the journal has moved, and once in the
// beginning. leave must be called; the goroutine has ended when the last one has left.
func (w *watch) join(d *db.DB) (moved <-chan struct{}, leave func()) {
	heard := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners == nil {
		w.listeners = map[chan struct{}]bool{}
	}
	w.listeners[heard] = true
	if w.stop == nil {
		last := func(ctx context.Context) (int64, error) {
			w.looks.Add(1)
			return memory.Store{DB: d}.LastChange(ctx)
		}
		w.stop = tools.FollowJournal(d.Life(), last, func(_ context.Context, moved bool) {
			if moved {
				w.tell()
			}
		})
	}
	heard <- struct{}{}
	return heard, func() {
		w.mu.Lock()
		delete(w.listeners, heard)
		stop := w.stop
		if len(w.listeners) > 0 || stop == nil {
			w.mu.Unlock()
			return
		}
		w.stop = nil
		w.mu.Unlock()
		stop()
	}
}

func (w *watch) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for heard := range w.listeners {
		select {
		case heard <- struct{}{}:
		default: // it has not come to the last one yet
		}
	}
}
