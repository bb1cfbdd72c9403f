// Package usage records calls of tools: which tool, when, how long it took and how it ended.
// It never records the values of arguments. It also records when each memory was last opened,
// because package tidy proposes to forget memories that nobody opens.
package usage

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
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
	db  *db.DB
	log *slog.Logger

	writing sync.Mutex // held while a batch is written
	mu      sync.Mutex // guards the rest
	queue   []Call
	closed  bool
}

// NewRecorder returns a recorder. It must be closed before the store.
func NewRecorder(d *db.DB, log *slog.Logger) *Recorder { return &Recorder{db: d, log: log} }

// Record queues a call, or drops it if the queue is full or the recorder is closed.
func (r *Recorder) Record(c Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.queue) == maxQueued {
		return
	}
	if r.queue = append(r.queue, c); len(r.queue) == 1 { // the batch waits for more
		time.AfterFunc(pause, r.flush)
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
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.flush()
}

// flush writes the queued calls.
func (r *Recorder) flush() {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	calls := r.queue
	r.queue = nil
	r.mu.Unlock()
	for batch := range slices.Chunk(calls, maxBatch) {
		r.write(batch)
	}
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
