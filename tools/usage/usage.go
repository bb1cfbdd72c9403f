// Package usage records calls of tools: which tool, when, how long it took and how it ended.
// It never records the values of arguments. It also records when each memory was last opened,
// because package tidy proposes to forget memories that nobody opens.
package usage

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

// OK is the outcome of a call that did not fail.
const OK = "ok"

// Call describes one call of a tool.
type Call struct {
	At        time.Time
	Actor     string
	Tool      string
	Arguments map[string]string // type and size by name
	Took      time.Duration
	BytesIn   int
	BytesOut  int
	Outcome   string // OK, or the code of the error

	Opened []string // ids of the memories that memory_get returned
}

const (
	maxQueued = 4096        // capacity of the queue; calls beyond it are dropped
	maxBatch  = 200         // most calls of one batch
	maxRows   = 100_000     // most rows of the table
	pause     = time.Second // for which a batch collects calls
)

// Recorder writes calls to the store, in batches and in the background, so that a call
// neither waits for the recorder nor fails because of it.
type Recorder struct {
	db    *db.DB
	log   *slog.Logger
	calls chan Call
	stop  chan struct{}
	once  sync.Once
	done  sync.WaitGroup
}

// NewRecorder starts a recorder. It must be closed before the store.
func NewRecorder(d *db.DB, log *slog.Logger) *Recorder {
	r := &Recorder{db: d, log: log, calls: make(chan Call, maxQueued), stop: make(chan struct{})}
	r.done.Go(r.run)
	return r
}

// Record queues a call, or drops it if the queue is full.
func (r *Recorder) Record(c Call) {
	select {
	case r.calls <- c:
	default:
	}
}

// RecordOpened queues only which memories a call opened, without the call itself.
func (r *Recorder) RecordOpened(c Call) {
	if len(c.Opened) > 0 {
		r.Record(Call{At: c.At, Opened: c.Opened})
	}
}

// Close writes the queued calls and stops the recorder.
func (r *Recorder) Close() {
	r.once.Do(func() { close(r.stop) })
	r.done.Wait()
}

// run writes queued calls until the recorder is closed.
func (r *Recorder) run() {
	for {
		select {
		case c := <-r.calls:
			select { // wait for more calls, to write them in one batch
			case <-time.After(pause):
			case <-r.stop:
			}
			r.write(r.drain([]Call{c}))
		case <-r.stop:
			for {
				select {
				case c := <-r.calls:
					r.write(r.drain([]Call{c}))
				default:
					return
				}
			}
		}
	}
}

// drain appends queued calls, to at most maxBatch calls in all. It does not wait.
func (r *Recorder) drain(calls []Call) []Call {
	for len(calls) < maxBatch {
		select {
		case c := <-r.calls:
			calls = append(calls, c)
		default:
			return calls
		}
	}
	return calls
}

// write writes a batch, and deletes rows beyond the newest maxRows.
func (r *Recorder) write(calls []Call) {
	ctx := context.Background()
	batch, opened := make([]db.Stmt, 0, len(calls)+2), []string{}
	for _, c := range calls {
		opened = append(opened, c.Opened...)
		if c.Tool == "" {
			continue
		}
		shape := []byte("{}")
		if len(c.Arguments) > 0 {
			shape, _ = json.Marshal(c.Arguments) // cannot fail: they are strings
		}
		batch = append(batch, db.S(`
insert into usage (at, actor, tool, arguments, micros, bytes_in, bytes_out, outcome)
values (?, ?, ?, ?, ?, ?, ?, ?)`,
			db.Time(c.At), c.Actor, c.Tool, string(shape), c.Took.Microseconds(), c.BytesIn, c.BytesOut, c.Outcome))
	}
	batch = append(batch, db.S(`delete from usage where key <= (select max(key) from usage) - ?`, maxRows))
	own, err := r.db.ServerStore(ctx)
	switch {
	case err != nil:
	case own != r.db: // in a cluster each server counts in a file of its own, which is cheaper
		if _, err = own.Write(ctx, "hence", db.Now(), batch...); err == nil && len(opened) > 0 {
			err = memory.Store{DB: r.db, Caller: ref.Caller{Actor: "hence"}}.KeepOpened(ctx, opened)
		}
	default:
		if len(opened) > 0 {
			batch = append(batch, memory.OpenedStatement(opened, db.Now()))
		}
		_, err = r.db.Write(ctx, "hence", db.Now(), batch...)
	}
	if err != nil {
		r.log.Warn("calls were not counted", "calls", len(calls), "error", err)
	}
}
