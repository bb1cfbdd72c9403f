package httpserve

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/tools/httpserve/token"
	"hence/tools/wiretest"
)

func host(name string) func(r *http.Request) { return func(r *http.Request) { r.Host = name } }

func origin(values ...string) func(r *http.Request) {
	return func(r *http.Request) {
		for _, v := range values {
			r.Header.Add("Origin", v)
		}
	}
}

func TestAttack_HostAndOrigin(t *testing.T) {
	local := guard{local: true, hosts: []string{"memory.example"}}
	open := guard{hosts: []string{"memory.example"}}
	for _, c := range []struct {
		name   string
		guard  guard
		change []func(r *http.Request)
		want   int
	}{
		{"Loopback", local, []func(r *http.Request){host("127.0.0.1:7420")}, 200},
		{"Localhost", local, []func(r *http.Request){host("localhost:7420")}, 200},
		{"LocalhostCase", local, []func(r *http.Request){host("LOCALHOST")}, 200},
		{"IPv6", local, []func(r *http.Request){host("[::1]:7420")}, 200},
		{"Allowed", local, []func(r *http.Request){host("Memory.example:7420")}, 200},
		{"Rebound", local, []func(r *http.Request){host("evil.example:7420")}, 403},
		{"ReboundAddress", local, []func(r *http.Request){host("192.168.1.7:7420")}, 403},
		{"LooksLocal", local, []func(r *http.Request){host("localhost.evil.example")}, 403},
		{"EndsLocal", local, []func(r *http.Request){host("evil-localhost")}, 403},
		{"Dotted", local, []func(r *http.Request){host("127.0.0.1.evil.example")}, 403},
		{"NipIO", local, []func(r *http.Request){host("127.0.0.1.nip.io")}, 403},
		{"Decimal", local, []func(r *http.Request){host("2130706433")}, 403},
		{"ZeroAddress", local, []func(r *http.Request){host("0.0.0.0:7420")}, 403},
		{"EmptyHost", local, []func(r *http.Request){host("")}, 403},
		{"SpaceInHost", local, []func(r *http.Request){host("localhost evil.example")}, 403},
		{"AllowedEnd", local, []func(r *http.Request){host("evilmemory.example")}, 403},

		{"OwnPage", local, []func(r *http.Request){host("localhost"), origin("http://localhost:3000")}, 200},
		{"AllowedPage", local, []func(r *http.Request){host("localhost"), origin("https://memory.example")}, 200},
		{"EvilPage", local, []func(r *http.Request){host("localhost"), origin("https://evil.example")}, 403},
		{"NullPage", local, []func(r *http.Request){host("localhost"), origin("null")}, 403},
		{"FilePage", local, []func(r *http.Request){host("localhost"), origin("file://localhost")}, 403},
		{"EmptyOrigin", local, []func(r *http.Request){host("localhost"), origin("")}, 403},
		{"UserInOrigin", local, []func(r *http.Request){host("localhost"), origin("http://localhost@evil.example")}, 403},
		{"LocalUserInOrigin", local, []func(r *http.Request){host("localhost"), origin("http://evil.example@localhost")}, 403},
		{"TwoOrigins", local, []func(r *http.Request){host("localhost"), origin("http://localhost", "https://evil.example")}, 403},
		{"ReboundPage", local, []func(r *http.Request){host("evil.example"), origin("http://evil.example")}, 403},
		{"AddressPage", local, []func(r *http.Request){host("127.0.0.1"), origin("http://192.168.1.7")}, 403},

		{"OpenAddress", open, []func(r *http.Request){host("192.168.1.7:7420")}, 200},
		{"OpenAllowed", open, []func(r *http.Request){host("memory.example")}, 200},
		{"AllowedWithAPort", guard{hosts: []string{"memory.example:7420"}}, []func(r *http.Request){host("memory.example")}, 200},
		{"OpenRebound", open, []func(r *http.Request){host("evil.example")}, 403},
		{"OpenSamePage", open, []func(r *http.Request){host("192.168.1.7:7420"), origin("http://192.168.1.7:7420")}, 200},
		{"OpenOtherPort", open, []func(r *http.Request){host("192.168.1.7:7420"), origin("http://192.168.1.7:80")}, 403},
		{"OpenOtherAddress", open, []func(r *http.Request){host("192.168.1.7:7420"), origin("http://192.168.1.8:7420")}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "http://x/mcp", nil)
			for _, change := range c.change {
				change(r)
			}
			w := httptest.NewRecorder()
			c.guard.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("status %d, want %d: %s", w.Code, c.want, w.Body)
			}
		})
	}
}

// The guard stands before everything, and the protocol's own way is not
// behind it.
func TestAttack_EveryPathIsGuarded(t *testing.T) {
	w := open(t, Options{Metrics: true})
	for _, path := range []string{Path, "/healthz", "/metrics", "/"} {
		if a := w.get(path, host("evil.example")); a.status != http.StatusForbidden {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if a := w.post(hello, host("evil.example")); a.status != http.StatusForbidden {
		t.Errorf("initialize: %d", a.status)
	}
	if a := w.post(hello, host("localhost:1")); a.status != http.StatusOK {
		t.Errorf("initialize at localhost: %d", a.status)
	}
}

func authorization(values ...string) func(r *http.Request) {
	return func(r *http.Request) { r.Header["Authorization"] = values }
}

func TestAttack_Tokens(t *testing.T) {
	const master = "correct horse battery staple"
	w := open(t, Options{Secret: master, Metrics: true})
	good := w.token(token.Token{Name: "good"})
	gone := w.token(token.Token{Name: "gone"})
	if err := token.Revoke(t.Context(), w.db, "person", "gone"); err != nil {
		t.Fatal(err)
	}
	hash := db.Hash(good)
	for _, c := range []struct {
		name   string
		values []string
		want   int
	}{
		{"Master", []string{"Bearer " + master}, 200},
		{"Good", []string{"Bearer " + good}, 200},
		{"Scheme", []string{"bearer  " + good}, 200},
		{"None", nil, 401},
		{"Empty", []string{""}, 401},
		{"EmptyBearer", []string{"Bearer "}, 401},
		{"Wrong", []string{"Bearer hence_wrong"}, 401},
		{"Revoked", []string{"Bearer " + gone}, 401},
		{"Prefix", []string{"Bearer " + good[:len(good)-1]}, 401},
		{"Longer", []string{"Bearer " + good + "x"}, 401},
		{"Case", []string{"Bearer " + strings.ToLower(good)}, 401},
		{"Hash", []string{"Bearer " + hash}, 401},
		{"Basic", []string{"Basic " + good}, 401},
		{"NoScheme", []string{good}, 401},
		{"Two", []string{"Bearer wrong", "Bearer " + good}, 400},
		{"List", []string{"Bearer wrong, Bearer " + good}, 401},
		{"SQL", []string{"Bearer ' or '1'='1"}, 401},
		{"Huge", []string{"Bearer " + strings.Repeat("x", 32<<10)}, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := w.post(hello, authorization(c.values...))
			if a.status != c.want {
				t.Errorf("status %d, want %d: %s", a.status, c.want, a.body)
			}
			if challenged := a.header.Get("WWW-Authenticate") != ""; challenged != (c.want >= 400) {
				t.Errorf("WWW-Authenticate: %q", a.header.Get("WWW-Authenticate"))
			}
		})
	}
	if a := w.post(hello, func(r *http.Request) { r.URL.RawQuery = "token=" + good }); a.status != http.StatusUnauthorized {
		t.Errorf("a token in the address: %d", a.status)
	}
	if a := w.get("/metrics"); a.status != http.StatusUnauthorized {
		t.Errorf("metrics without a token: %d", a.status)
	}
	if a := w.get("/healthz"); a.status != http.StatusOK || a.body != "ok\n" {
		t.Errorf("healthz: %+v", a)
	}
}

// A client that guesses tokens has to wait; one with a valid token does not.
func TestAttack_Guessing(t *testing.T) {
	w := open(t, Options{Secret: "correct horse battery staple"})
	waits, asked := 0, 0
	for end := time.Now().Add(time.Minute); waits < 2*maxWrongTokens && time.Now().Before(end); asked++ { // a busy machine may ask slowly
		if a := w.post(hello, authorization("Bearer wrong")); a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "" {
			waits++
		}
	}
	if waits < 2*maxWrongTokens || asked < 5*maxWrongTokens {
		t.Errorf("of %d wrong tokens, %d were told to wait", asked, waits)
	}
	if a := w.post(hello, authorization("Bearer correct horse battery staple")); a.status != http.StatusOK {
		t.Errorf("the right token meanwhile: %d", a.status)
	}
}

// Once a store has had a token, the server never admits requests without one again.
func TestAttack_RevokingTheLastTokenDoesNotOpen(t *testing.T) {
	w := open(t, Options{})
	if a := w.post(hello); a.status != http.StatusOK {
		t.Fatalf("without any token: %d", a.status)
	}
	w.token(token.Token{Name: "a"})
	if a := w.post(hello); a.status != http.StatusUnauthorized {
		t.Errorf("with a token that was made meanwhile: %d", a.status)
	}
	if err := token.Revoke(t.Context(), w.db, "person", "a"); err != nil {
		t.Fatal(err)
	}
	if a := w.post(hello); a.status != http.StatusUnauthorized {
		t.Errorf("after the last token was revoked: %d", a.status)
	}
}

func TestAttack_OpenAddressNeedsAToken(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:80"} {
		if _, err := Listen(t.Context(), newStore(t), Options{Addr: addr}); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "token") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"", "localhost", "7420"} {
		if _, err := Listen(t.Context(), newStore(t), Options{Addr: addr}); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%q: %v", addr, err)
		}
	}
}

// manyMembers returns an object with n members, as JSON.
func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	return "{" + strings.TrimSuffix(b.String(), ",") + "}"
}

func TestAttack_ManyMembers(t *testing.T) {
	const want = "params.arguments has more than 1000 members; send fewer"
	w := open(t, Options{})
	if a := w.post(toolCall("memory_list", manyMembers(50_000)), w.meet("").sign); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), want) {
		t.Errorf("%d %.200s, want %q", a.status, a.body, want)
	}
}

func TestAttack_OversizeBody(t *testing.T) {
	w := open(t, Options{})
	s := w.meet("")
	big := toolCall("memory_list", `{`+strings.Repeat(" ", MaxBody)+`}`)
	if a := w.post(big, s.sign); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a length that is too large: %d", a.status)
	}
	if a := w.post(big, s.sign, func(r *http.Request) { r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(big)) }); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("in chunks: %d", a.status)
	}
	if a := w.post(big, s.sign, func(r *http.Request) { r.Header.Set("Mcp-Method", "subscriptions/listen") }); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("as a stream: %d", a.status)
	}
	if a := w.get("/healthz", func(r *http.Request) { r.Header.Set("X", strings.Repeat("x", 2*maxHeaders)) }); a.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("headers: %d", a.status)
	}
	fits := toolCall("memory_list", `{`+strings.Repeat(" ", 1<<20)+`}`)
	if a := w.post(fits, s.sign); a.status != http.StatusOK {
		t.Errorf("one that fits: %d %.200s", a.status, a.body)
	}
}

// Without a token the body is not read: the answer comes before the body.
func TestAttack_BodyWithoutAToken(t *testing.T) {
	w := open(t, Options{Secret: "correct horse battery staple", Explore: true})
	for _, c := range []struct{ name, request, want string }{
		{"MCP", "POST /mcp", "401"},
		{"Explorer", "POST /explore/api/stale", "401"},
		{"Page", "GET /explore/", "200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			connection, err := net.Dial("tcp", w.server.listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			_ = connection.SetDeadline(time.Now().Add(time.Minute))
			fmt.Fprintf(connection, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 15000000\r\n\r\n", c.request)
			line, err := bufio.NewReader(connection).ReadString('\n')
			if err != nil || !strings.Contains(line, " "+c.want+" ") {
				t.Errorf("before the body came %q, %v", line, err)
			}
		})
	}
}

// A slow machine is allowed more requests, by the time that they take.
func TestAttack_Rate(t *testing.T) {
	const requests = 30
	for _, c := range []struct {
		rate   float64
		atOnce int
	}{{5, 10}, {0.001, 1}} {
		t.Run(fmt.Sprint(c.rate), func(t *testing.T) {
			w := open(t, Options{Rate: c.rate})
			one, two := w.token(token.Token{Name: "one"}), w.token(token.Token{Name: "two"})
			codes, start := map[int]int{}, time.Now()
			for range requests {
				codes[w.post(hello, authorization("Bearer "+one)).status]++
			}
			most := c.atOnce + int(c.rate*time.Since(start).Seconds()) + 1
			if ok := codes[http.StatusOK]; ok < c.atOnce || ok > most || ok+codes[http.StatusTooManyRequests] != requests {
				t.Errorf("of %d requests at once: %v, want %d to %d to pass", requests, codes, c.atOnce, most)
			}
			if a := w.post(hello, authorization("Bearer "+two)); a.status != http.StatusOK {
				t.Errorf("another token meanwhile: %d", a.status)
			}
		})
	}
}

// The server answers each of two thousand broken messages, none of them with an internal
// error, and stays up.
func TestAttack_MalformedMessages(t *testing.T) {
	w := open(t, Options{})
	s := w.meet("")
	const messages, clients = 2_000, 8
	random := rand.New(rand.NewPCG(1, 2))
	queue := make(chan string)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for message := range queue {
				if a := w.post(message, s.sign); a.status >= 500 {
					t.Errorf("%q: %d %s", message, a.status, a.body)
				}
			}
		})
	}
	for range messages {
		queue <- wiretest.BreakMessage(random)
	}
	close(queue)
	group.Wait()
	if got := w.meet("").call("memory_list", `{"limit": 1}`); !strings.Contains(got, "returned_count") {
		t.Errorf("afterwards: %s", got)
	}
}

func TestListen_RefusesNamesThatNoHostHas(t *testing.T) {
	for _, name := range []string{"", ":7420", "https://memory.example", "memory.example/x", "a b"} {
		_, err := Listen(t.Context(), newStore(t), Options{Addr: "127.0.0.1:0", Hosts: []string{name}})
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "--allow-host") {
			t.Errorf("%q: %v, want invalid_argument", name, err)
		}
	}
}
