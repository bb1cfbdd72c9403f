package explore

import (
	"context"
	"sync"
	"sync/atomic"

	"hence/internal/db"
	"hence/memory"
	"hence/tools"
)

// watch polls a store's journal for new rows, because any process may write them, once for all
// listeners. It polls only while there are listeners.
type watch struct {
	mu        sync.Mutex
	listeners map[chan struct{}]bool
	stop      func() // ends the goroutine and waits for it
	polls     atomic.Int64
}

// join adds a listener. moved receives a value at once, and whenever the journal has moved. The
// caller must call leave, which removes the listener; the leave of the last one waits until the
// goroutine has ended.
func (w *watch) join(d *db.DB) (moved <-chan struct{}, leave func()) {
	signal := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners == nil {
		w.listeners = map[chan struct{}]bool{}
	}
	w.listeners[signal] = true
	if w.stop == nil {
		last := func(ctx context.Context) (int64, error) {
			w.polls.Add(1)
			return memory.Store{DB: d}.LastChange(ctx)
		}
		w.stop = tools.FollowJournal(d.Life(), last, func(_ context.Context, moved bool) {
			if moved {
				w.notifyAll()
			}
		})
	}
	signal <- struct{}{}
	return signal, func() {
		w.mu.Lock()
		delete(w.listeners, signal)
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

// notifyAll signals all listeners that the journal has moved.
func (w *watch) notifyAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for signal := range w.listeners {
		select {
		case signal <- struct{}{}:
		default: // it has not received the last signal yet
		}
	}
}
