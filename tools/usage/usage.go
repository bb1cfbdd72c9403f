// Package usage keeps count of how the tools are used: which, how often, how
// long, and what came of it. What was said is never kept.
package usage

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"hence/internal/db"
)

// OK is the outcome of a call that did not fail.
const OK = "ok"

// Call is what became of one call of a tool.
type Call struct {
	At        time.Time
	Actor     string
	Tool      string
	Arguments map[string]string // the type and the size of each
	Took      time.Duration
	BytesIn   int
	BytesOut  int
	Outcome   string // OK, or the code of the error
}

const (
	waiting  = 4096    // calls that wait to be written; what comes on top is not kept
	together = 200     // calls written in one batch
	kept     = 100_000 // calls that the table holds
	pause    = time.Second
)

// Recorder writes calls to the store, in batches and in the background: no
// call waits for it, and none fails because of it.
type Recorder struct {
	db    *db.DB
	log   *slog.Logger
	calls chan Call
	stop  chan struct{}
	once  sync.Once
	done  sync.WaitGroup
}

// NewRecorder starts a recorder. Close it before the store.
func NewRecorder(d *db.DB, log *slog.Logger) *Recorder {
	r := &Recorder{db: d, log: log, calls: make(chan Call, waiting), stop: make(chan struct{})}
	r.done.Go(r.run)
	return r
}

// Record keeps a call, unless too many wait already.
func (r *Recorder) Record(c Call) {
	select {
	case r.calls <- c:
	default:
	}
}

// Close writes what waits.
func (r *Recorder) Close() {
	r.once.Do(func() { close(r.stop) })
	r.done.Wait()
}

func (r *Recorder) run() {
	for {
		select {
		case c := <-r.calls:
			r.write(r.gather(c))
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

// gather waits a moment for more calls, so that a batch is worth its lock.
func (r *Recorder) gather(first Call) []Call {
	select {
	case <-time.After(pause):
	case <-r.stop:
	}
	return r.drain([]Call{first})
}

func (r *Recorder) drain(all []Call) []Call {
	for len(all) < together {
		select {
		case c := <-r.calls:
			all = append(all, c)
		default:
			return all
		}
	}
	return all
}

func (r *Recorder) write(all []Call) {
	batch := make([]db.Stmt, 0, len(all)+1)
	for _, c := range all {
		shape := []byte("{}")
		if len(c.Arguments) > 0 {
			shape, _ = json.Marshal(c.Arguments) // strings always have JSON
		}
		batch = append(batch, db.S(`
insert into usage (at, actor, tool, arguments, micros, bytes_in, bytes_out, outcome)
values (?, ?, ?, ?, ?, ?, ?, ?)`,
			db.Time(c.At), c.Actor, c.Tool, string(shape), c.Took.Microseconds(), c.BytesIn, c.BytesOut, c.Outcome))
	}
	batch = append(batch, db.S(`delete from usage where key <= (select max(key) from usage) - ?`, kept))
	if _, err := r.db.Write(context.Background(), "hence", db.Now(), batch...); err != nil {
		r.log.Warn("calls were not counted", "calls", len(all), "error", err)
	}
}
