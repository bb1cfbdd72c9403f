package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

// EventsPath is the address at which the page hears what changes while it is open:
// events as in https://html.spec.whatwg.org/multipage/server-sent-events.html
//
//	open     {"resumed": true}   the first one: whether all since Last-Event-ID follows
//	changed  News
//
// The ids of events are for callers of the whole store: those of a confined one would
// tell how much others write.
const EventsPath = APIPath + events

const (
	events       = "events"
	beatEvery    = 20 * time.Second // between lines that keep the connection open
	lineTime     = 10 * time.Second // for a listener to take a line
	retryEvery   = time.Second      // after the store could not be read
	maxListeners = 100              // of one caller
)

// hearing is the listeners of one caller.
type hearing struct {
	open atomic.Int64
	beat time.Duration
}

// events tells a listener what changes, until it goes, or ctx of the request is done.
func (a *API) events(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") { // not an element of a page of elsewhere
		Refuse(w, http.StatusNotAcceptable, "send Accept: text/event-stream")
		return
	}
	defer a.hearing.open.Add(-1)
	if a.hearing.open.Add(1) > maxListeners {
		w.Header().Set("Retry-After", "60")
		Refuse(w, http.StatusServiceUnavailable, "too many pages are open; close some")
		return
	}
	moved, leave := db.Keep[watch](a.db).join(a.db)
	defer leave()
	last, err := memory.Store{DB: a.db}.LastChange(r.Context())
	if err != nil {
		Refuse(w, http.StatusServiceUnavailable, "the store cannot be read")
		return
	}
	// A listener may want to hear what came after the row of the journal that it heard last.
	seen, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	resumed := err == nil && !a.caller.Confined && seen >= 0 && seen <= last
	if !resumed {
		seen = last
	}
	secure(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy would keep events back
	s := stream{w, http.NewResponseController(w)}
	if s.send("open", a.eventID(seen), map[string]bool{"resumed": resumed}) != nil {
		return
	}
	a.tellNews(r.Context(), s, moved, seen)
}

func (a *API) eventID(seq int64) string {
	if a.caller.Confined {
		return ""
	}
	return strconv.FormatInt(seq, 10)
}

// tellNews sends what changes after a row of the journal.
func (a *API) tellNews(ctx context.Context, s stream, moved <-chan struct{}, seen int64) {
	beat := time.NewTicker(a.hearing.beat)
	defer beat.Stop()
	var again <-chan time.Time
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
		case <-again:
		}
		n, last, err := reader(ref.View{DB: a.db, Caller: a.caller}).news(ctx, seen)
		again = nil
		if err != nil {
			again = time.After(retryEvery)
			continue
		}
		seen = last
		if n.Changes == 0 && !n.Replaced {
			continue
		}
		if s.send("changed", a.eventID(last), n) != nil {
			return
		}
	}
}

// stream writes events. A listener that takes none is dropped.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s stream) send(event, id string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return s.line(fmt.Sprintf("event: %s\n%sdata: %s\n\n", event, id, raw)) // JSON has no line breaks
}

func (s stream) line(text string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(lineTime)) // a recorder in a test has none
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
