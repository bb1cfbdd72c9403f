package explore

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/tools"
)

// event is an event that a listener received.
type event struct{ name, id, data string }

// listener receives the events of an API.
type listener struct {
	t    *testing.T
	body io.ReadCloser
	in   *bufio.Scanner
	stop context.CancelFunc
}

// listen opens a stream, and reads its first event.
func listen(t *testing.T, url, lastID string) (*listener, event) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+EventsPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t, answer.Body, bufio.NewScanner(answer.Body), stop}
	t.Cleanup(l.close)
	if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || got != "text/event-stream" || answer.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", answer.StatusCode, got)
	}
	return l, l.next()
}

func (l *listener) close() {
	l.stop()
	_ = l.body.Close()
}

// next waits for an event.
func (l *listener) next() (e event) {
	l.t.Helper()
	for l.in.Scan() {
		name, value, _ := strings.Cut(l.in.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if e.data != "" {
				return e
			}
		}
	}
	l.t.Fatalf("the stream ended: %v", l.in.Err())
	return e
}

func (l *listener) news() (n News, e event) {
	l.t.Helper()
	e = l.next()
	if err := json.Unmarshal([]byte(e.data), &n); err != nil || e.name != "changed" {
		l.t.Fatalf("%+v: %v", e, err)
	}
	return n, e
}

// serveAPI returns an API and the address of an HTTP server for it.
func serveAPI(t *testing.T, d *db.DB, c ref.Caller) (*API, string) {
	t.Helper()
	api := New(d, c, tools.Options{Log: slog.New(slog.DiscardHandler)}, func() bool { return false })
	s := httptest.NewServer(api)
	t.Cleanup(s.Close)
	return api, s.URL
}

func TestEvents_TellWhatChanged(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	_, url := serveAPI(t, d, ref.Caller{Actor: "bob", Origin: "person"})
	l, first := listen(t, url, "")
	if first.name != "open" || first.data != `{"resumed":false}` || first.id == "" {
		t.Fatalf("the first event is %+v", first)
	}
	a.get("call/memory_update", `{"id": "Decision", "content": "rests on other ground"}`)
	n, e := l.news()
	if n.Main == nil || n.Main.Actor != "ada" || n.Main.Action != "update" || n.Main.Title != "Decision" || n.Main.What != "content" || n.Mine || n.Changes != 1 || len(n.IDs) != 1 || n.IDs[0] != n.Main.ID {
		t.Errorf("heard %+v of %s", n, e.data)
	}
	l.close()
	a.get("call/memory_store", `{"namespace": "ours", "title": "Third", "content": "x", "links": [{"to": "Decision", "type": "supports"}]}`)
	back, first := listen(t, url, e.id)
	if first.data != `{"resumed":true}` || first.id != e.id {
		t.Errorf("after coming back: %+v", first)
	}
	if n, e = back.news(); n.Main == nil || n.Main.Action != "store" || n.Main.Title != "Third" || n.Changes != 2 || len(n.IDs) != 2 {
		t.Errorf("missed while away: %s", e.data)
	}
	if _, first := listen(t, url, "99999"); first.data != `{"resumed":false}` {
		t.Errorf("after a row that is not there: %+v", first)
	}
}

func TestEvents_SayWhichAreTheListenersOwn(t *testing.T) {
	d := dbtest.New(t)
	_, url := serveAPI(t, d, person)
	l, _ := listen(t, url, "")
	newAsker(t, d, person, tools.Options{}).get("call/memory_store", `{"content": "mine"}`)
	if n, _ := l.news(); !n.Mine {
		t.Errorf("%+v", n)
	}
}

func TestEvents_OfManyChangesTellOne(t *testing.T) {
	d := dbtest.New(t)
	_, url := serveAPI(t, d, person)
	l, _ := listen(t, url, "")
	dbtest.Script(t, d.Path(), `
insert into memories (title)
with n (i) as (select 0 union all select i + 1 from n where i < 999)
select 'm' || i from n`)
	n, _ := l.news()
	if n.Changes != maxNews || !n.More || len(n.IDs) != maxNews || n.Main == nil || n.Main.Actor != "sqlite3" || n.Mine {
		t.Errorf("%d changes, more %v, %d ids, %+v", n.Changes, n.More, len(n.IDs), n.Main)
	}
}

// A confined listener receives changes of its namespace only, the same with and without
// others, and no number of the journal.
func TestEvents_ConfinedHearNothingOfOthers(t *testing.T) {
	ours := ref.Caller{Actor: "guest", Origin: "person", Namespace: "ours", Confined: true}
	hear := func(others bool) (heard []event) {
		d := dbtest.New(t)
		a := newAsker(t, d, person, tools.Options{})
		_, url := serveAPI(t, d, ours)
		write := func(title string) {
			if others {
				a.get("call/memory_store", `{"namespace": "theirs", "title": "Zebra `+title+`", "content": "zebra `+title+`"}`)
			}
		}
		write("before")
		l, first := listen(t, url, "1")
		write("meanwhile")
		heard = append(heard, first)
		a.get("call/memory_store", `{"namespace": "ours", "title": "Ours", "content": "x"}`)
		n, e := l.news()
		heard = append(heard, e)
		if strings.Contains(e.data, "ebra") || e.id != "" || n.Changes != 1 {
			t.Errorf("heard %+v", e)
		}
		return heard
	}
	options := cmp.AllowUnexported(event{})
	alone, shared := hear(false), hear(true)
	for i := range alone { // ids of memories are random
		alone[i].data, shared[i].data = withoutIDs(alone[i].data), withoutIDs(shared[i].data)
	}
	if diff := cmp.Diff(alone, shared, options); diff != "" {
		t.Errorf("events tell of others (-without them +with them):\n%s", diff)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("it does not come to that")
		}
	}
}

// withoutIDs replaces ids, which differ from store to store.
func withoutIDs(data string) string {
	var n News
	if json.Unmarshal([]byte(data), &n) != nil || n.Main == nil {
		return data
	}
	for _, id := range n.IDs {
		data = strings.ReplaceAll(data, id, "ID")
	}
	return data
}

func TestEvents_AreBoundedAndRefuse(t *testing.T) {
	d := dbtest.New(t)
	api, url := serveAPI(t, d, person)
	api.listeners.open.Store(maxListeners - 1)
	l, _ := listen(t, url, "")
	ask := func(method, accept string) reply {
		r := httptest.NewRequest(method, EventsPath, nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return reply{w.Code, w.Body.String()}
	}
	for _, c := range []struct {
		method, accept string
		status         int
	}{
		{"GET", "text/event-stream", 503}, {"GET", "image/*", 406}, {"POST", "text/event-stream", 405}, {"HEAD", "text/event-stream", 405},
	} {
		if got := ask(c.method, c.accept); got.Status != c.status || !json.Valid([]byte(got.Body)) {
			t.Errorf("%s %s: %+v, want %d", c.method, c.accept, got, c.status)
		}
	}
	l.close()
	eventually(t, func() bool { return api.listeners.open.Load() == maxListeners-1 })
}

func TestEvents_KeepTheConnectionOpen(t *testing.T) {
	api, url := serveAPI(t, dbtest.New(t), person)
	api.listeners.beat = 5 * time.Millisecond
	l, _ := listen(t, url, "")
	for beats := 0; beats < 3; {
		if !l.in.Scan() {
			t.Fatal(l.in.Err())
		}
		if l.in.Text() == ":" {
			beats++
		}
	}
}

func TestEvents_EndWithTheStore(t *testing.T) {
	d, err := db.Open(t.Context(), dbtest.New(t).Path(), db.Options{}) // beside the test's own, which is closed with it
	if err != nil {
		t.Fatal(err)
	}
	_, url := serveAPI(t, d, person)
	l, _ := listen(t, url, "")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for l.in.Scan() { // to its end
	}
	if err := l.in.Err(); err != nil {
		t.Error(fmt.Errorf("the stream broke: %w", err))
	}
}
