package httpserve

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/receipts"
	"hence/tools"
	"hence/tools/httpserve/token"
)

func TestTokens_ConfinedAndReadOnly(t *testing.T) {
	w := open(t, Options{Metrics: true})
	all := w.meet(w.token(token.Token{Name: "all"}))
	theirs := w.meet(w.token(token.Token{Name: "theirs", Namespace: "theirs"}))
	ours := w.meet(w.token(token.Token{Name: "ours", Namespace: "ours"}))
	reader := w.meet(w.token(token.Token{Name: "reader", Namespace: "ours", ReadOnly: true}))

	theirs.call("memory_store", `{"title": "Zebra", "content": "theirs"}`)
	ours.call("memory_store", `{"title": "Ours", "content": "ours"}`)
	for _, s := range []*session{ours, reader} {
		if got := s.call("memory_list", `{}`); strings.Contains(got, "Zebra") || !strings.Contains(got, `"total_count":1`) {
			t.Errorf("a confined token lists %s", got)
		}
		if got := s.call("memory_get", `{"id": "Zebra"}`); !strings.Contains(got, "not_found") || strings.Contains(got, "near") {
			t.Errorf("a confined token gets %s", got)
		}
		if got := s.call("memory_list", `{"namespace": "theirs"}`); !strings.Contains(got, "not_found") {
			t.Errorf("a confined token names another namespace: %s", got)
		}
		if a := w.get("/metrics", s.sign); a.status != http.StatusForbidden {
			t.Errorf("a confined token reads metrics: %d", a.status)
		}
	}
	if got := all.call("memory_list", `{}`); !strings.Contains(got, `"total_count":2`) || !strings.Contains(got, `"actor":"theirs"`) {
		t.Errorf("a free token lists %s", got)
	}
	if a := reader.post(toolCall("memory_store", `{"content": "x"}`), reader.sign); strings.Contains(a.body, `"structuredContent":{"memory"`) || dbtest.Count(t, w.db, `select count(*) from memories`) != 2 {
		t.Errorf("a token that only reads stored: %s", a.body)
	}
	if a := reader.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, reader.sign); strings.Contains(a.body, "memory_forget") {
		t.Errorf("a token that only reads is offered: %.300s", a.body)
	}
	// The session of another token is refused.
	if a := w.post(toolCall("memory_list", `{}`), func(r *http.Request) {
		ours.sign(r)
		r.Header.Set("Mcp-Session-Id", all.id)
	}); strings.Contains(a.body, "Zebra") {
		t.Errorf("with the session of another token: %s", a.body)
	}
}

// stream opens a stream, and returns its lines as they come.
func (s *session) stream(t *testing.T, request *http.Request) <-chan string {
	t.Helper()
	s.sign(request)
	request.Header.Set("Accept", "text/event-stream, application/json")
	response, err := (&http.Client{}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("a stream: %s", response.Status)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			if data, ok := strings.CutPrefix(scanner.Text(), "data: "); ok {
				lines <- data
			}
		}
	}()
	return lines
}

func (s *session) listen(t *testing.T) <-chan string {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.stream(t, r)
}

// next returns the next line of a stream, "" at its end.
func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
	}
	return ""
}

func TestStream_SubscriptionAndRevoking(t *testing.T) {
	w := open(t, Options{})
	all := w.meet(w.token(token.Token{Name: "all"}))
	ours := w.meet(w.token(token.Token{Name: "ours", Namespace: "ours"}))
	heard := ours.listen(t)
	for _, uri := range []string{"hence://memory/Plan", "hence://overview"} {
		ours.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":%q}}`, uri), ours.sign)
	}
	all.call("memory_store", `{"title": "Plan", "content": "theirs", "namespace": "theirs"}`)
	stored := all.call("memory_store", `{"title": "Plan", "content": "ours", "namespace": "ours"}`)
	told := []string{next(t, heard), next(t, heard)}
	slices.Sort(told)
	for i, uri := range []string{"hence://memory/Plan", "hence://overview"} {
		if want := fmt.Sprintf(`"params":{"uri":%q}`, uri); !strings.Contains(told[i], want) {
			t.Errorf("told %s, want %s", told[i], want)
		}
	}
	all.call("memory_update", `{"id": "Plan", "content": "x"}`) // ambiguous: no change
	all.call("memory_store", `{"title": "More", "content": "theirs", "namespace": "theirs"}`)
	// The next notification is of a change in the caller's namespace; there are no others.
	all.call("memory_update", fmt.Sprintf(`{"id": %q, "content": "y"}`, regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(stored)[1]))
	if line := next(t, heard); !strings.Contains(line, "hence://memory/Plan") {
		t.Errorf("a change in another namespace was told: %s", line)
	}
	if err := token.Revoke(t.Context(), w.db, "person", "ours"); err != nil {
		t.Fatal(err)
	}
	w.server.door.drop(t.Context())
	if line := next(t, heard); line != "" {
		t.Errorf("after revoking came %s", line)
	}
}

// A stream that was opened before there was a token ends once there is one. The secret with
// which the server was started still works.
func TestStream_EndsWhenTheStoreIsLocked(t *testing.T) {
	const master = "correct horse battery staple"
	for _, c := range []struct {
		name, secret string
		stays        bool
	}{{"Anonymous", "", false}, {"Secret", master, true}} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, Options{Secret: c.secret})
			s := w.meet(c.secret)
			heard := s.listen(t)
			s.post(`{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"hence://overview"}}`, s.sign)
			all := w.meet(w.token(token.Token{Name: "all"}))
			w.server.door.drop(t.Context())
			all.call("memory_store", `{"content": "x"}`)
			if line := next(t, heard); (line != "") != c.stays {
				t.Errorf("afterwards came %q", line)
			}
		})
	}
}

// Protocol version 2026-07-28 has no sessions: a stream is a request.
func TestStream_Listen(t *testing.T) {
	w := open(t, Options{})
	s := &session{world: w}
	message, sign := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["hence://memory/Plan"]},`)
	r, err := http.NewRequest(http.MethodPost, w.server.URL(), strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	sign(r)
	heard := s.stream(t, r)
	if line := next(t, heard); !strings.Contains(line, "acknowledged") {
		t.Fatalf("first came %s", line)
	}
	message, sign = modern("tools/call", "memory_store", `"name":"memory_store","arguments":{"title":"Plan","content":"x"},`)
	if a := w.post(message, sign); a.status != http.StatusOK || !strings.Contains(a.body, `"revision":1`) {
		t.Fatalf("a call without a session: %+v", a)
	}
	if line := next(t, heard); !strings.Contains(line, "resources/updated") || !strings.Contains(line, "hence://memory/Plan") {
		t.Errorf("told %s", line)
	}
	// A stream does not keep the server from stopping.
	start := time.Now()
	if err := w.stop(); err != nil || time.Since(start) >= finishTime {
		t.Errorf("stopped after %v: %v", time.Since(start), err)
	}
}

// A call that runs when the server is stopped is finished and answered.
func TestServe_StopsGracefully(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	w := open(t, Options{Tools: tools.Options{Observers: []func(receipts.Receipt){func(receipts.Receipt) {
		close(entered)
		<-release
	}}}})
	s := w.meet("")
	got := make(chan string, 1)
	go func() { got <- s.call("memory_store", `{"title": "late", "content": "x"}`) }()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- w.stop() }()
	for { // until the server takes no new connection
		c, err := net.Dial("tcp", w.server.listener.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	select {
	case err := <-stopped:
		t.Fatalf("the server stopped over a running call: %v", err)
	default:
	}
	close(release)
	if answer := <-got; !strings.Contains(answer, `"title":"late"`) {
		t.Errorf("the call is answered %s", answer)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if n := dbtest.Count(t, w.db, `select count(*) from memories where title = 'late'`); n != 1 {
		t.Errorf("%d memories are stored", n)
	}
}

// A request for a session that is not open gets the status by which clients know to begin a
// new one. The number of sessions is limited.
func TestSessions(t *testing.T) {
	w := open(t, Options{})
	s := w.meet("")
	s.call("memory_list", `{}`)
	for _, id := range []string{"", "nonsense", "mcp-session-1a7236ac-a393-4b3c-99c1-3c3d3f4c54cb"} {
		if a := w.post(toolCall("memory_list", `{}`), func(r *http.Request) { r.Header.Set("Mcp-Session-Id", id) }); a.status != http.StatusNotFound {
			t.Errorf("session %q: %d", id, a.status)
		}
	}
	r, err := http.NewRequest(http.MethodDelete, w.server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := w.do(r, s.sign); a.status != http.StatusOK {
		t.Errorf("closing: %+v", a)
	}
	if a := w.post(toolCall("memory_list", `{}`), s.sign); a.status != http.StatusNotFound {
		t.Errorf("a session that was closed: %d", a.status)
	}
	last := s
	for range maxSessions {
		last = w.meet("")
	}
	if a := w.post(hello); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("one session too many: %d", a.status)
	}
	last.call("memory_list", `{}`)
}

// A stream, and the end of a session, need an open session: else a client would wait on a
// session that is gone, and each stream without a session would use up the room of one.
func TestSessions_StreamAndClose(t *testing.T) {
	w := open(t, Options{})
	closed, s := w.meet(""), w.meet("")
	ask := func(method, id string) int {
		r, err := http.NewRequest(method, w.server.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if id != "" {
			r.Header.Set("Mcp-Session-Id", id)
		}
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		response, err := client.Do(r.WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if status := ask(http.MethodDelete, closed.id); status != http.StatusOK {
		t.Fatalf("closing: %d", status)
	}
	for _, c := range []struct {
		name, id string
		want     int
	}{
		{"None", "", http.StatusBadRequest},
		{"Nonsense", "nonsense", http.StatusNotFound},
		{"Closed", closed.id, http.StatusNotFound},
		{"OfAServerBefore", "mcp-session-1a7236ac-a393-4b3c-99c1-3c3d3f4c54cb", http.StatusNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				if status := ask(method, c.id); status != c.want {
					t.Errorf("%s: %d, want %d", method, status, c.want)
				}
			}
		})
	}
	if status := ask(http.MethodGet, s.id); status != http.StatusOK {
		t.Errorf("a stream of a session that is open: %d", status)
	}
	for range maxSessions {
		ask(http.MethodGet, "")
	}
	w.meet("")
}

func TestMetrics(t *testing.T) {
	w := open(t, Options{Metrics: true})
	s := w.meet("")
	s.call("memory_list", `{}`)
	s.call("memory_get", `{"id": "nobody"}`)
	a := w.get("/metrics")
	for _, want := range []string{
		`hence_calls_total{tool="memory_list",outcome="ok"} 1`, `hence_calls_total{tool="memory_get",outcome="not_found"} 1`,
		`hence_http_requests_total{code="200"} 3`, `hence_call_seconds_total{tool="memory_list"} `, "hence_open_requests 1",
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the metrics lack %s:\n%s", want, a.body)
		}
	}
	if a := open(t, Options{}).get("/metrics"); a.status != http.StatusNotFound {
		t.Errorf("metrics that nobody asked for: %d", a.status)
	}
}

// load sends reads and writes of many clients at once, and returns the duration of each.
func load(t testing.TB, w *world, clients int, lasting time.Duration) (took []time.Duration) {
	var failed atomic.Int64
	each := make([][]time.Duration, clients)
	ctx, end := context.WithTimeout(context.Background(), lasting)
	defer end()
	var group sync.WaitGroup
	for i := range clients {
		s := w.meet("")
		group.Go(func() {
			for n := 0; n == 0 || ctx.Err() == nil; n++ {
				title := fmt.Sprintf("memory %d of client %d", n, i)
				arguments := []struct{ tool, arguments string }{
					{"memory_store", fmt.Sprintf(`{"title": %q, "content": "about %d and %d", "links": [{"to": "The ground", "type": "depends-on"}], "dedup": "off"}`, title, n, i)},
					{"memory_get", fmt.Sprintf(`{"id": %q}`, title)},
					{"memory_search", fmt.Sprintf(`{"query": "about %d"}`, n)},
					{"expand", fmt.Sprintf(`{"seed_doc_ids": [%q], "hops": 1}`, title)},
				}
				for _, c := range arguments {
					start := time.Now()
					a := s.post(toolCall(c.tool, c.arguments), s.sign)
					each[i] = append(each[i], time.Since(start))
					if a.status != http.StatusOK || strings.Contains(a.body, `"isError":true`) || strings.Contains(a.body, `"error":{"code"`) {
						failed.Add(1)
						t.Errorf("%s %s: %d %.300s", c.tool, c.arguments, a.status, a.body)
						return
					}
				}
			}
		})
	}
	group.Wait()
	if failed.Load() > 0 {
		t.Fatalf("%d calls failed", failed.Load())
	}
	took = slices.Concat(each...)
	slices.Sort(took)
	return took
}

func TestLoad(t *testing.T) {
	w := open(t, Options{})
	w.meet("").call("memory_store", `{"title": "The ground", "content": "of all"}`)
	took := load(t, w, 32, time.Second)
	stored := dbtest.Count(t, w.db, `select count(*) from memories`)
	if edges := dbtest.Count(t, w.db, `select count(*) from edges`); edges != stored-1 {
		t.Errorf("%d memories and %d edges", stored, edges)
	}
	t.Logf("%d calls of 32 clients, p99 %v", len(took), took[len(took)*99/100])
}

// BenchmarkLoad is 32 clients that read and write for 30 seconds:
//
//	go test ./tools/httpserve -run '^$' -bench Load -benchtime 1x
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		w := open(b, Options{})
		w.meet("").call("memory_store", `{"title": "The ground", "content": "of all"}`)
		took := load(b, w, 32, 30*time.Second)
		b.ReportMetric(float64(len(took))/30, "calls/s")
		for _, percent := range []int{50, 95, 99} {
			b.ReportMetric(float64(took[len(took)*percent/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", percent))
		}
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
	}
}
