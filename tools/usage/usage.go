// Package usage records calls of tools: which tool, when, how long it took and how it ended.
// It never records arguments. It also records when each memory was last opened,
// because package tidy proposes to forget memories that nobody opens.
package usage

import (
	"cmp"
	"context"
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
	At       time.Time
	Actor    string
	Tool     string
	Took     time.Duration
	BytesIn  int
	BytesOut int
	Outcome  string // OK, or the code of the error

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
		batch = append(batch, db.S(`
insert into usage (at, actor, tool, micros, bytes_in, bytes_out, outcome)
values (?, ?, ?, ?, ?, ?, ?)`,
			db.Time(c.At), c.Actor, c.Tool, c.Took.Microseconds(), c.BytesIn, c.BytesOut, c.Outcome))
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

// Stats counts the calls since a time, by tool.
type Stats struct {
	Since string `json:"since,omitempty"` // "": all recorded calls
	Calls int    `json:"calls"`
	Tools []Tool `json:"tools"` // the most used first
}

// Tool describes how one tool was used.
type Tool struct {
	Name      string         `json:"tool"`
	Calls     int            `json:"calls"`
	Failures  int            `json:"failures"`
	Outcomes  map[string]int `json:"outcomes"` // calls by outcome
	P50Millis float64        `json:"p50_ms"`
	P95Millis float64        `json:"p95_ms"`
	BytesIn   int            `json:"bytes_in"`
	BytesOut  int            `json:"bytes_out"`
	LastAt    string         `json:"last_at"`
}

// Read returns the statistics of the calls since a time in the format of db.Time ("": all).
func Read(ctx context.Context, d *db.DB, since string) (Stats, error) {
	type row struct {
		tool, outcome, at    string
		micros, bytesIn, out int
	}
	d, err := d.ServerStore(ctx)
	if err != nil {
		return Stats{}, err
	}
	rows, err := db.Select(ctx, d, db.Fields(func(c *row) []any {
		return []any{&c.tool, &c.outcome, &c.at, &c.micros, &c.bytesIn, &c.out}
	}), `
select
  tool,
  outcome,
  at,
  micros,
  bytes_in,
  bytes_out
from usage
where at >= ?
order by micros`, since)
	if err != nil {
		return Stats{}, err
	}
	tools, times := map[string]*Tool{}, map[string][]int{}
	for _, c := range rows {
		t := tools[c.tool]
		if t == nil {
			t = &Tool{Name: c.tool, Outcomes: map[string]int{}}
			tools[c.tool] = t
		}
		t.Calls++
		if c.outcome != OK {
			t.Failures++
		}
		t.Outcomes[c.outcome]++
		t.BytesIn += c.bytesIn
		t.BytesOut += c.out
		t.LastAt = max(t.LastAt, c.at)
		times[c.tool] = append(times[c.tool], c.micros)
	}
	result := Stats{Since: since, Calls: len(rows), Tools: []Tool{}}
	for name, t := range tools {
		t.P50Millis, t.P95Millis = quantile(times[name], 50), quantile(times[name], 95)
		result.Tools = append(result.Tools, *t)
	}
	slices.SortFunc(result.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return result, nil
}

// quantile returns a percentile of times by the nearest-rank method, in milliseconds. micros
// are microseconds in ascending order.
func quantile(micros []int, percent int) float64 {
	rank := (len(micros)*percent + 99) / 100 // from 1
	return float64(micros[max(rank, 1)-1]) / 1000
}
