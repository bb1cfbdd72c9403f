package receipts

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"time"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/secret"
)

// OK is the outcome of a call that did not fail.
const OK = "ok"

// Receipt describes an answer that an agent was given.
type Receipt struct {
	Key       int64
	Session   string // as its client, or its server, calls it
	Agent     string // the helper's id; "": the session's own agent
	Namespace string // that the caller is confined to
	Actor     string
	At        time.Time
	Tool      string // hook:<event>, prompt:brief or resource for what is not a tool
	Took      time.Duration
	BytesIn   int
	BytesOut  int
	Outcome   string // OK, or the code of the error

	Arguments string   // as given
	Hash      []byte   // see HashOf
	LeftOut   int      // rows that the budget left out; -1: some
	Stamp              // of what was shown
	Opened    []string // ids of the memories that the call opened
}

// Stamp is what an answer has of a store.
type Stamp struct {
	Store string // its tag
	Seen  int64  // the last row of its journal then
	Shown []Shown
}

const (
	maxArguments = 1000                   // bytes of arguments that are kept
	maxQueued    = 4096                   // capacity of the queue; receipts beyond it are dropped
	maxBatch     = 200                    // most receipts of one transaction
	pause        = time.Second            // for which a batch collects receipts
	patience     = 100 * time.Millisecond // for which a batch waits for another process
)

// HashOf returns what a receipt has of an answer.
func HashOf(answer []byte) []byte {
	sum := sha256.Sum256(answer)
	return sum[:16]
}

// Seen returns the last row of a store's journal, which is read before an answer is.
func Seen(ctx context.Context, q db.Source) (seen int64, err error) {
	seen, _, err = db.One[int64](ctx, q, `select coalesce(max(seq), 0) from journal`)
	return seen, err
}

// Written is in place of a row of the journal for an answer that tells of its own writes.
const Written = math.MaxInt64

// StampOf returns the stamp of an answer that shows memories of a store. A memory that is not there
// any more is left out. One that was changed after seen, or that a call which waits would change, may be shown as it was
// before or after: the stamp says only that it was named.
func StampOf(ctx context.Context, q db.Source, seen int64, shown []ref.Shown) (s Stamp, err error) {
	type row struct {
		key       int64
		revision  int
		id        string
		isChanged bool
	}
	err = q.Read(ctx, func(r *db.Reader) error {
		if s.Store, err = db.Tag(ctx, r); err != nil {
			return err
		}
		if s.Seen, err = Seen(ctx, r); err != nil || len(shown) == 0 {
			return err
		}
		ids, texts := lists.Map(shown, func(one ref.Shown) string { return one.ID }), lists.Map(shown, func(one ref.Shown) string { return one.Text })
		rows := map[int]row{}
		err = db.Each(ctx, r, func(scanned *sql.Rows) error {
			var at int
			var one row
			err := scanned.Scan(&at, &one.key, &one.id, &one.revision, &one.isChanged)
			rows[at] = one
			return err
		}, `
select
  i.key,
  m.key,
  m.id,
  m.revision,
  exists (select 1 from journal j where j.id = m.id and j.seq > ?2) or (?3 ->> i.key <> '' and ?3 ->> i.key <> m.content)
from json_each(?1) i
cross join memories m on m.key = coalesce(
  (select key from memories where id = i.value),
  (select key from memories where length(i.value) = 8 and substr(id, -8) = i.value)
)`, db.List(ids), seen, db.List(texts))
		for i, one := range shown {
			known, ok := rows[i]
			switch {
			case !ok && one.Text != "":
				known := Waited(one.ID)
				known.Revision, known.From, known.To, known.Why = Sum(one.Text), one.From, one.To, one.Why
				s.Shown = append(s.Shown, known)
			case ok:
				if known.isChanged {
					one.Range = ref.Range{}
				}
				s.Shown = append(s.Shown, Shown{known.key, checkOf(known.id), known.revision, one.From, one.To, one.Why})
			}
		}
		return err
	})
	return s, err
}

// Add writes receipts now, unless none are kept. It deletes what is older than it is kept.
func (b *Book) Add(ctx context.Context, all ...Receipt) error {
	days, err := b.Days(ctx)
	if err != nil || days == 0 {
		return err
	}
	err = b.write(ctx, func(tx *sql.Tx) error {
		for _, r := range all {
			if err := add(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := b.Sweep(ctx, time.Now()); !db.IsBusy(err) { // else the next call sweeps
		return err
	}
	return nil
}

func add(ctx context.Context, tx *sql.Tx, r Receipt) error {
	of, err := session(ctx, tx, r.Session, r.Agent, r.At, r.At)
	if err != nil {
		return err
	}
	var store int64
	if err := tx.QueryRowContext(ctx, `insert into stores (tag) values (?) on conflict do update set tag = tag returning key`, r.Store).Scan(&store); err != nil {
		return err
	}
	arguments, _ := budget.Cut(secret.Mask(r.Arguments), maxArguments)
	// The arguments of a call from before an erasure may have the text that is nowhere else any more.
	_, err = tx.ExecContext(ctx, `
insert into receipts (session, store, namespace, actor, at, tool, outcome, micros, bytes_in, bytes_out, arguments, seen, hash, left_out, shown)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, iif(?5 > (select erased from stores where key = ?2), ?11, ?16), ?12, ?13, ?14, ?15)`,
		of, store, r.Namespace, r.Actor, r.At.UnixMilli(), r.Tool, outcome(r.Outcome), r.Took.Microseconds(), r.BytesIn, r.BytesOut,
		arguments, r.Seen, append([]byte{}, r.Hash...), r.LeftOut, append([]byte{}, pack(r.Shown)...), erased)
	return err
}

// outcome returns the outcome as the file has it, in which most have none.
func outcome(o string) string {
	if o == OK {
		return ""
	}
	return o
}

// Recorder writes receipts in batches and in the background, so that a call neither waits for them
// nor fails because of them.
type Recorder struct {
	book *Book
	log  *slog.Logger
	kept func(opened []string) // called with what the calls of a batch opened, if that is anything

	writing sync.Mutex // held while a batch is written
	mu      sync.Mutex // guards the rest
	queue   []Receipt
	closed  bool
}

// NewRecorder returns a recorder. It must be closed before the book. With a nil book it only tells kept.
// From now on the book hardly waits for other processes, so that the end of a server does not.
func NewRecorder(b *Book, log *slog.Logger, kept func(opened []string)) *Recorder {
	if b != nil {
		if _, err := b.db.Exec(`pragma busy_timeout = ` + strconv.Itoa(int(patience.Milliseconds()))); err != nil {
			log.Warn("receipts may make the end of this server wait", "error", err)
		}
	}
	return &Recorder{book: b, log: log, kept: kept}
}

// Record queues a receipt, or drops it if the queue is full or the recorder is closed.
func (r *Recorder) Record(one Receipt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.queue) == maxQueued {
		return
	}
	if r.queue = append(r.queue, one); len(r.queue) == 1 { // the batch waits for more
		time.AfterFunc(pause, r.flush)
	}
}

// Close writes the queued receipts and stops the recorder.
func (r *Recorder) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.flush()
}

// flush writes the queued receipts.
func (r *Recorder) flush() {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	queue := r.queue
	r.queue = nil
	r.mu.Unlock()
	opened := []string{}
	for i := range queue {
		opened = append(opened, queue[i].Opened...)
		queue[i].Opened = nil
	}
	for r.book != nil && len(queue) > 0 {
		batch := queue[:min(len(queue), maxBatch)]
		err := r.book.Add(context.Background(), batch...)
		if db.IsBusy(err) && r.putBack(queue) {
			break
		}
		if err != nil {
			r.log.Warn("receipts were not kept", "calls", len(queue), "error", err)
			break
		}
		queue = queue[len(batch):]
	}
	if len(opened) > 0 {
		r.kept(opened)
	}
}

// putBack queues receipts again that could not be written because another process writes, unless the
// recorder is closed.
func (r *Recorder) putBack(queue []Receipt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.queue = append(queue, r.queue...)
	r.queue = r.queue[:min(len(r.queue), maxQueued)]
	time.AfterFunc(pause, r.flush)
	return true
}
