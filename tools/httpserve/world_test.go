package httpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/tools/httpserve/token"
)

// world is a server on this machine, with helpers to make requests.
type world struct {
	t      testing.TB
	db     *db.DB
	server *Server
	stop   func() error // ends the server, and returns what Serve did
}

// open starts a server that stops at the end of the test.
func open(t testing.TB, o Options) *world {
	t.Helper()
	return openOn(t, newStore(t), o)
}

func newStore(t testing.TB) *db.DB { return dbtest.New(t) }

func openOn(t testing.TB, d *db.DB, o Options) *world {
	t.Helper()
	o.Addr, o.Caller = "127.0.0.1:0", ref.Caller{Actor: "agent", Origin: "agent"}
	if o.Tools.Log == nil {
		o.Tools.Log = slog.New(slog.DiscardHandler)
	}
	s, err := Listen(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	w := &world{t: t, db: d, server: s}
	w.stop = func() error {
		cancel()
		err := <-served
		served <- err // for the next who asks
		return err
	}
	t.Cleanup(func() {
		if err := w.stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return w
}

func (w *world) token(t token.Token) (secret string) {
	w.t.Helper()
	secret, err := token.Add(w.t.Context(), w.db, "person", t)
	if err != nil {
		w.t.Fatal(err)
	}
	return secret
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// post sends a message, with changes to the request.
func (w *world) post(message string, change ...func(r *http.Request)) answer {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, w.server.URL(), strings.NewReader(message))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return w.do(r, change...)
}

func (w *world) do(r *http.Request, change ...func(r *http.Request)) answer {
	w.t.Helper()
	for _, c := range change {
		c(r)
	}
	response, err := client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

// get requests a path.
func (w *world) get(path string, change ...func(r *http.Request)) answer {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodGet, strings.TrimSuffix(w.server.URL(), Path)+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(r, change...)
}

var client = &http.Client{
	Timeout:   time.Minute,
	Transport: &http.Transport{MaxIdleConnsPerHost: 64},
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// session is a session with one token, "" for none.
type session struct {
	*world
	secret, id string
}

func (w *world) meet(secret string) *session {
	w.t.Helper()
	s := &session{world: w, secret: secret}
	a := w.post(hello, s.sign)
	if s.id = a.header.Get("Mcp-Session-Id"); a.status != http.StatusOK || s.id == "" {
		w.t.Fatalf("initialize: %+v", a)
	}
	return s
}

// sign adds the token and the session to a request.
func (s *session) sign(r *http.Request) {
	if s.secret != "" {
		r.Header.Set("Authorization", "Bearer "+s.secret)
	}
	if s.id != "" {
		r.Header.Set("Mcp-Session-Id", s.id)
	}
}

// call calls a tool and returns its structured result.
func (s *session) call(tool, arguments string) (structured string) {
	s.t.Helper()
	a := s.post(toolCall(tool, arguments), s.sign)
	var message struct {
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(a.body), &message); err != nil || message.Result.StructuredContent == nil {
		s.t.Fatalf("%s %s: %d %s", tool, arguments, a.status, a.body)
	}
	return string(message.Result.StructuredContent)
}

func toolCall(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// modern returns a request of protocol version 2026-07-28, which has no session and names
// the client in each message.
func modern(method, name, params string) (message string, sign func(r *http.Request)) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	message = fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":%q,"params":{%s%s}}`, method, params, meta)
	return message, func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", mcp.LATEST_PROTOCOL_VERSION)
		r.Header.Set("Mcp-Method", method)
		if name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	}
}
