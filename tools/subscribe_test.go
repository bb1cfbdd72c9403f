package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/tools/stdio"
)

// wire is a client at the other end of a pair of streams.
type wire struct {
	t     *testing.T
	in    io.WriteCloser
	ended chan error
	mu    sync.Mutex
	told  []string // the uris that it was told of
	lines []string // all that came
}

func connect(t *testing.T, d *db.DB) *wire {
	t.Helper()
	in, client := io.Pipe()
	fromServer, out := io.Pipe()
	w := &wire{t: t, in: client, ended: make(chan error, 1)}
	go func() { w.ended <- stdio.Serve(t.Context(), newServer(t, d), in, out); out.Close() }()
	go func() {
		for lines := bufio.NewScanner(fromServer); lines.Scan(); {
			w.hear(lines.Text())
		}
	}()
	t.Cleanup(func() { client.Close() })
	return w
}

func (w *wire) hear(line string) {
	var n struct {
		Method string
		Params struct{ URI string }
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, line)
	if json.Unmarshal([]byte(line), &n) == nil && n.Method == mcp.MethodNotificationResourceUpdated {
		w.told = append(w.told, strings.TrimPrefix(n.Params.URI, memoryURI))
	}
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		if _, err := fmt.Fprintln(w.in, line); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *wire) heard() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.told, " ")
}

func (w *wire) said(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(strings.Join(w.lines, "\n"), text)
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("%s: not in a minute", what)
}

// A subscriber is notified when the text of the resource changes: by a change of the
// memory, by one of a memory that it rests on, or by another process; and not when
// something else changes.
func TestSubscribe(t *testing.T) {
	d := dbtest.New(t)
	another, err := db.Open(t.Context(), d.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { another.Close() })
	b := meet(t, another, Options{})
	get[memory.StoreResult](b, "memory_store", `{"title": "Ground", "content": "x"}`)
	get[memory.StoreResult](b, "memory_store", `{"title": "Decision", "content": "x", "links": [{"to": "Ground", "type": "depends-on"}]}`)
	get[memory.StoreResult](b, "memory_store", `{"title": "Other", "content": "x"}`)
	a := connect(t, d)
	a.send(
		request(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		request(2, "resources/subscribe", `{"uri": "hence://memory/Decision"}`),
		request(3, "resources/subscribe", `{"uri": "hence://memory/Later"}`))
	eventually(t, "both are subscribed to", func() bool { return a.said(`"id":2`) && a.said(`"id":3`) })

	get[memory.UpdateResult](b, "memory_update", `{"id": "Other", "content": "y"}`)
	get[memory.UpdateResult](b, "memory_update", `{"id": "Ground", "content": "y"}`)
	eventually(t, "the decision has become stale", func() bool { return a.heard() == "Decision" })
	get[memory.StoreResult](b, "memory_store", `{"title": "Later", "content": "x"}`)
	eventually(t, "what was not there is", func() bool { return a.heard() == "Decision Later" })

	a.send(request(4, "resources/unsubscribe", `{"uri": "hence://memory/Decision"}`))
	eventually(t, "one is unsubscribed", func() bool { return a.said(`"id":4`) })
	get[memory.ForgetResult](b, "memory_forget", `{"id": "Decision"}`)
	get[memory.ForgetResult](b, "memory_forget", `{"id": "Later", "purge": true}`)
	eventually(t, "what was there is gone", func() bool { return a.heard() == "Decision Later Later" })
	a.in.Close()
	if err := <-a.ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// Protocol version 2026-07-28 subscribes by a request that stays open. The
// end of the input ends it.
func TestSubscribe_Listen(t *testing.T) {
	d := dbtest.New(t)
	a := connect(t, d)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	a.send(request(1, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["hence://memory/Later"]},`+meta+`}`))
	eventually(t, "it is acknowledged", func() bool { return a.said("acknowledged") })
	a.send(request(2, "tools/call", `{"name":"memory_store","arguments":{"title":"Later","content":"x"},`+meta+`}`))
	eventually(t, "the change is told", func() bool { return a.heard() == "Later" })
	a.in.Close()
	select {
	case err := <-a.ended:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("an open subscription keeps the server from ending")
	}
}

// When the last subscriber leaves, the polling ends.
func TestSubscribe_EndsWithTheLast(t *testing.T) {
	f := &feed{
		open: func(ctx context.Context, uri string) (string, any, error) { return uri, nil, nil },
		last: func(ctx context.Context) (int64, error) { return 1, nil },
	}
	one, two := subscriber{session: server.NewInProcessSession("one", nil)}, subscriber{session: server.NewInProcessSession("two", nil), listen: 7}
	f.add(t.Context(), one, "a")
	f.add(t.Context(), one, "b")
	f.add(t.Context(), two, "a")
	if n := len(f.subs); n != 2 {
		t.Errorf("%d subscribe, want 2", n)
	}
	f.remove(one, "a")
	f.removeAll(two)
	if f.stop == nil {
		t.Error("the looking ended before the last subscriber went")
	}
	f.remove(one, "b")
	if f.stop != nil || len(f.subs) != 0 {
		t.Errorf("with the last subscriber gone, %d are left", len(f.subs))
	}
}
