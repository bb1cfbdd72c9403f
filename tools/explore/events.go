package explore

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/tools"
)

// EventsPath is the address of a stream of changes to the page while it is open, as in
// https://html.spec.whatwg.org/multipage/server-sent-events.html. Its events are:
//
//	open     {"resumed": true}   the first event; resumed: all changes since Last-Event-ID follow
//	changed  News
//
// Events have an id only for callers of the whole store, because it would show a confined
// caller how much others write.
const EventsPath = APIPath + events

const (
	events       = "events"
	beatEvery    = 20 * time.Second // between lines that keep the connection open
	lineTime     = 10 * time.Second // for a listener to receive a line
	retryEvery   = time.Second      // after the store could not be read
	maxListeners = 100              // of one caller
)

// listeners counts the open streams of one caller.
type listeners struct {
	open atomic.Int64
	beat time.Duration // between lines that keep a stream open
}

// events answers with a stream of changes, until the listener closes it or the store is closed.
func (a *API) events(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") { // such as an element of a foreign page
		Refuse(w, http.StatusNotAcceptable, "send Accept: text/event-stream")
		return
	}
	defer a.listeners.open.Add(-1)
	if a.listeners.open.Add(1) > maxListeners {
		w.Header().Set("Retry-After", "60")
		Refuse(w, http.StatusServiceUnavailable, "too many pages are open; close some")
		return
	}
	lastChange := memory.Store{DB: a.db}.LastChange
	last, err := lastChange(r.Context())
	if err != nil {
		Refuse(w, http.StatusServiceUnavailable, "the store cannot be read")
		return
	}
	// A listener that reconnects names the last row of the journal that it has received.
	sent, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	resumed := err == nil && !a.caller.Confined && sent >= 0 && sent <= last
	if !resumed {
		sent = last
	}
	secure(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // keeps a proxy from holding events back
	s := stream{w, http.NewResponseController(w)}
	if s.send("open", a.eventID(sent), map[string]bool{"resumed": resumed}) != nil {
		return
	}
	moved := make(chan struct{}, 1) // any process may write the journal, so it is polled
	moved <- struct{}{}
	stop := tools.FollowJournal(r.Context(), lastChange, func(_ context.Context, hasMoved bool) {
		if hasMoved && len(moved) == 0 {
			moved <- struct{}{}
		}
	})
	defer stop()
	a.sendNews(r.Context(), s, moved, sent)
}

// eventID returns the id of an event for a row of the journal, "" for a confined caller.
func (a *API) eventID(seq int64) string {
	if a.caller.Confined {
		return ""
	}
	return strconv.FormatInt(seq, 10)
}

// sendNews sends the changes after the row sent of the journal, until ctx is done or the stream
// breaks.
func (a *API) sendNews(ctx context.Context, s stream, moved <-chan struct{}, sent int64) {
	beat := time.NewTicker(a.listeners.beat)
	defer beat.Stop()
	var retry <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.db.Life().Done():
			return
		case <-beat.C:
			if s.line(":\n\n") != nil {
				return
			}
			continue
		case <-moved:
		case <-retry:
		}
		n, last, err := reader(ref.View{DB: a.db, Caller: a.caller}).news(ctx, sent)
		retry = nil
		if err != nil {
			retry = time.After(retryEvery)
			continue
		}
		sent = last
		if n.Changes == 0 && !n.Replaced {
			continue
		}
		if s.send("changed", a.eventID(last), n) != nil {
			return
		}
	}
}

// stream writes events. A write fails if the listener does not receive it within lineTime.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s stream) send(event, id string, data any) error {
	if id != "" {
		id = "id: " + id + "\n"
	}
	return s.line(fmt.Sprintf("event: %s\n%sdata: %s\n\n", event, id, db.List(data))) // JSON has no line breaks
}

func (s stream) line(text string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(lineTime)) // fails in tests with a recorder
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}

// News sums up changes of memories and edges that a caller may read.
type News struct {
	Changes  int       `json:"changes"`            // number of changes, at most 200
	More     bool      `json:"more,omitempty"`     // there are earlier ones
	Mine     bool      `json:"mine,omitempty"`     // the caller made all of them
	Replaced bool      `json:"replaced,omitempty"` // the store was replaced by a backup
	IDs      []string  `json:"ids"`                // memories that changed, or whose edges did
	Main     *NewsItem `json:"told,omitempty"`     // the most telling change
}

// NewsItem is one change of a memory, or of an edge.
type NewsItem struct {
	Actor     string `json:"actor"`
	Action    string `json:"action"`
	ref.Named        // the memory, or the one at the start of the edge; no Title if it was purged
	What      string `json:"what,omitempty"` // the fields that changed, or the edge
	other     string // id of the memory at the end of the edge
}

// maxNews is the limit of changes in one event.
const maxNews = 200

// newsOrder lists actions from the least to the most telling. Other actions only follow from
// these.
var newsOrder = []string{"unlink", "link", "reinstate", "supersede", "verify", "restore", "forget", "purge", "update", "store"}

// news returns the changes after a row of the journal, and the number of the last row that they
// cover, which must not be sent to a confined caller.
func (q reader) news(ctx context.Context, after int64) (n News, last int64, err error) {
	n.IDs = []string{}
	last = after
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		if last, _, err = db.One[int64](ctx, r, `select coalesce(max(seq), 0) from journal`); err != nil || last == after {
			return err
		}
		if last < after {
			n.Replaced = true
			return nil
		}
		rows, err := db.Select(ctx, r, db.Fields(func(t *NewsItem) []any {
			return []any{&t.Actor, &t.Action, &t.ID, &t.other, &t.Title, &t.What}
		}), selectNews, q.Caller.Namespace, after, maxNews+1)
		if n.More = len(rows) > maxNews; n.More {
			rows = rows[:maxNews]
		}
		n.sumUp(rows, q.Caller)
		return err
	})
	return n, last, err
}

// sumUp sets the fields of n from changes, the latest first.
func (n *News) sumUp(rows []NewsItem, caller ref.Caller) {
	n.Changes = len(rows)
	n.Mine = n.Changes > 0
	best := -1
	for i, t := range rows {
		n.Mine = n.Mine && t.Actor == caller.Actor
		for _, id := range []string{t.ID, t.other} {
			if id != "" && !slices.Contains(n.IDs, id) {
				n.IDs = append(n.IDs, id)
			}
		}
		if rank := slices.Index(newsOrder, t.Action); rank > best {
			best = rank
			n.Main = &rows[i]
		}
	}
	if n.Main != nil {
		n.Main.Title, n.Main.What = secret.Mask(n.Main.Title), secret.Mask(n.Main.What)
	}
}

// selectNews selects changes, the latest first, so that it can stop after the limit.
const selectNews = `
select
  j.actor,
  j.action,
  iif(j.thing = 'memory', j.id, coalesce(j.from_id, '')),
  iif(j.thing = 'memory', '', coalesce(j.to_id, '')),
  coalesce(j.title, ''),
  j.what
from change_list j
where j.seq > ?2
  and ?1 in ('', j.namespace)
order by j.seq desc
limit ?3`
