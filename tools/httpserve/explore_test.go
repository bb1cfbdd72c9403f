package httpserve

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/explore"
	"hence/tools/httpserve/token"
)

// ask makes a request of the explorer's API as its page does.
func (w *world) ask(place, arguments string, change ...func(r *http.Request)) answer {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, strings.TrimSuffix(w.server.PageURL(), explore.Path)+explore.APIPath+place, strings.NewReader(arguments))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", strings.TrimSuffix(w.server.PageURL(), explore.Path))
	return w.do(r, change...)
}

// codeOf returns the code of an answer that is an error of the API, else "".
func codeOf(a answer) string {
	var said struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal([]byte(a.body), &said) != nil || said.Error.Message == "" || a.header.Get("Content-Type") != "application/json" {
		return ""
	}
	return said.Error.Code
}

func bearing(secret string) func(r *http.Request) { return authorization("Bearer " + secret) }

func exploring(o Options) Options {
	o.Explore, o.Person = true, ref.Caller{Actor: "ada", Origin: "person"}
	return o
}

// places are the addresses that the page requests, with requests that would succeed.
var places = []struct{ place, arguments string }{
	{"call/memory_list", `{}`}, {"call/memory_get", `{"id": "Zebra"}`}, {"call/memory_search", `{"query": "zebra"}`}, {"call/memory_store", `{"content": "x"}`},
	{"call/graph_overview", `{}`}, {"edges", `{"id": "Zebra"}`}, {"among", `{"ids": ["x"]}`}, {"stale", `{}`}, {"candidates", `{}`}, {"journal", `{}`}, {"days", `{}`},
	{"undo", `{}`}, {"nothing", `{}`}, {"call/nothing", `{}`},
}

func TestExplore_IsOffUnlessAskedFor(t *testing.T) {
	w := open(t, Options{})
	for _, path := range []string{"/", "/explore/", "/explore/api/about", "/explore/assets/x"} {
		if a := w.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestExplore_PageNeedsNoToken(t *testing.T) {
	w := open(t, exploring(Options{Secret: "correct horse battery staple"}))
	for _, path := range []string{"/", "/explore", "/explore/", "/explore/memory/x%2Fy", "/explore/memory/obsidian-fs:%2F%2Fv%2Fz.md?depth=2"} {
		if a := w.get(path); a.status != http.StatusOK || !strings.Contains(a.body, "<html") || a.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d %.100s", path, a.status, a.body)
		}
	}
	if a := w.get("/elsewhere"); a.status != http.StatusNotFound {
		t.Errorf("elsewhere: %d", a.status)
	}
}

func TestAttack_ExploreNeedsAToken(t *testing.T) {
	const master = "correct horse battery staple"
	w := open(t, exploring(Options{Secret: master}))
	w.ask("call/memory_store", `{"title": "Zebra", "content": "zebra"}`, bearing(master))
	for name, change := range map[string]func(r *http.Request){
		"None": func(*http.Request) {}, "Wrong": bearing("wrong"), "Basic": authorization("Basic " + master),
		"InTheAddress": func(r *http.Request) { r.URL.RawQuery = "token=" + url.QueryEscape(master) },
	} {
		for _, p := range places {
			a := w.ask(p.place, p.arguments, change)
			if a.status == http.StatusTooManyRequests { // guesses are slowed down
				continue
			}
			if a.status != http.StatusUnauthorized || codeOf(a) != "unauthorized" || strings.Contains(a.body, "Zebra") || a.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: %s: %d %s", name, p.place, a.status, a.body)
			}
		}
	}
	if n := dbtest.Count(t, w.db, `select count(*) from memories`); n != 1 {
		t.Errorf("there are %d memories", n)
	}
	about := w.get(explore.APIPath+"about", bearing(master))
	if about.status != http.StatusOK || !strings.Contains(about.body, `"locked":true`) {
		t.Errorf("about: %+v", about)
	}
}

func TestAttack_ExploreHostAndOrigin(t *testing.T) {
	w := open(t, exploring(Options{}))
	for name, change := range map[string]func(r *http.Request){
		"Host":       host("evil.example"),
		"Origin":     func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"NullOrigin": func(r *http.Request) { r.Header.Set("Origin", "null") },
		"Rebound": func(r *http.Request) {
			r.Host = "evil.example"
			r.Header.Set("Origin", "http://evil.example")
		},
	} {
		for _, p := range places {
			if a := w.ask(p.place, p.arguments, change); a.status != http.StatusForbidden || codeOf(a) != "forbidden" {
				t.Errorf("%s: %s: %d %s", name, p.place, a.status, a.body)
			}
		}
		for _, path := range []string{"/", "/explore/", "/explore/assets/x", "/explore/api/about"} {
			if a := w.get(path, change); a.status != http.StatusForbidden {
				t.Errorf("%s: %s: %d", name, path, a.status)
			}
		}
	}
	if n := dbtest.Count(t, w.db, `select count(*) from memories`); n != 0 {
		t.Errorf("a forged request stored %d memories", n)
	}
}

// A foreign page can send the requests of a form without a preflight; none of them is
// treated as a call.
func TestAttack_ExploreTakesNoForms(t *testing.T) {
	w := open(t, exploring(Options{}))
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
		for _, p := range places {
			if a := w.ask(p.place, p.arguments, func(r *http.Request) { r.Header.Set("Content-Type", kind) }); a.status != http.StatusUnsupportedMediaType || codeOf(a) != "invalid_argument" {
				t.Errorf("%s as %q: %d %s", p.place, kind, a.status, a.body)
			}
		}
	}
	for _, p := range places {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			a := w.ask(p.place, p.arguments, func(r *http.Request) { r.Method = method })
			if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "POST" {
				t.Errorf("%s %s: %d, allow %q", method, p.place, a.status, a.header.Get("Allow"))
			}
			if got := a.header.Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("%s %s lets in pages of %q", method, p.place, got)
			}
		}
	}
	if n := dbtest.Count(t, w.db, `select count(*) from memories`); n != 0 {
		t.Errorf("%d memories were stored", n)
	}
}

func TestAttack_ExploreOversizeBody(t *testing.T) {
	w := open(t, exploring(Options{}))
	big := `{` + strings.Repeat(" ", MaxBody) + `}`
	if a := w.ask("call/memory_list", big); a.status != http.StatusRequestEntityTooLarge || codeOf(a) != "too_large" {
		t.Errorf("a length that is too large: %d %s", a.status, a.body)
	}
	if a := w.ask("stale", big, func(r *http.Request) { r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(big)) }); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("in chunks: %d", a.status)
	}
	if a := w.ask("stale", big, func(r *http.Request) { r.Header.Set("Mcp-Method", "subscriptions/listen") }); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("as a stream: %d", a.status)
	}
}

func TestAttack_ExploreManyMembers(t *testing.T) {
	w := open(t, exploring(Options{}))
	if a := w.ask("call/memory_list", manyMembers(500_000)); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "more than 1000 members") {
		t.Errorf("arguments: %d %.200s", a.status, a.body)
	}
	if a := w.ask("call/memory_list", `{"properties":`+manyMembers(2000)+`}`); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "no argument") {
		t.Errorf("properties may have many members: %d %.200s", a.status, a.body)
	}
}

func TestAttack_ExploreRate(t *testing.T) {
	w := open(t, exploring(Options{Rate: 5}))
	one, two := w.token(token.Token{Name: "one"}), w.token(token.Token{Name: "two"})
	codes := map[int]int{}
	for end := time.Now().Add(time.Minute); codes[http.StatusTooManyRequests] < 10 && time.Now().Before(end); { // a busy machine may ask slowly
		a := w.ask("stale", `{}`, bearing(one))
		codes[a.status]++
		if a.status == http.StatusTooManyRequests && (codeOf(a) != "unavailable" || a.header.Get("Retry-After") == "") {
			t.Errorf("%+v", a)
		}
	}
	if codes[http.StatusOK] < 10 || codes[http.StatusTooManyRequests] < 10 {
		t.Errorf("of requests without a pause: %v", codes)
	}
	if a := w.ask("stale", `{}`, bearing(two)); a.status != http.StatusOK {
		t.Errorf("another token meanwhile: %d", a.status)
	}
}

// A token makes the same caller here as over MCP: confined, read-only, and refused once it
// is revoked.
func TestAttack_ExploreTokensAreCallers(t *testing.T) {
	seen := make(chan receipts.Receipt, 100)
	w := open(t, exploring(Options{Tools: tools.Options{Observers: []func(receipts.Receipt){func(c receipts.Receipt) { seen <- c }}}}))
	all := bearing(w.token(token.Token{Name: "all"}))
	theirs := bearing(w.token(token.Token{Name: "theirs", Namespace: "theirs"}))
	reader := bearing(w.token(token.Token{Name: "reader", Namespace: "ours", ReadOnly: true}))
	w.ask("call/memory_store", `{"title": "Zebra", "content": "zebra", "kind": "decision"}`, theirs)
	w.ask("call/memory_store", `{"title": "Ours", "content": "ours", "namespace": "ours"}`, all)
	if c := <-seen; c.Actor != "theirs" || c.Tool != "memory_store" {
		t.Errorf("observed %+v", c)
	}
	for _, p := range places {
		a := w.ask(p.place, p.arguments, reader)
		if strings.Contains(strings.ReplaceAll(a.body, `"query":"zebra"`, ""), "ebra") && codeOf(a) != "not_found" {
			t.Errorf("%s tells a token of another namespace %s", p.place, a.body)
		}
		writes := p.place == "call/memory_store" || p.place == "undo" || p.place == "journal"
		if (a.status == http.StatusForbidden) != writes || writes && codeOf(a) != "read_only" {
			t.Errorf("%s for a token that reads one namespace: %d %s", p.place, a.status, a.body)
		}
	}
	about := w.get(explore.APIPath+"about", reader)
	if !strings.Contains(about.body, `"namespace":"ours"`) || !strings.Contains(about.body, `"read_only":true`) || strings.Contains(about.body, "memory_store") {
		t.Errorf("about: %s", about.body)
	}
	if a := w.ask("edges", `{"id": "Zebra"}`, theirs); a.status != http.StatusOK || !strings.Contains(a.body, `"title":"Zebra"`) {
		t.Errorf("their own: %+v", a)
	}
	if got := dbtest.Texts(t, w.db, `select origin || ' ' || actor || ' ' || namespace from memories order by namespace`); strings.Join(got, ", ") != "person all ours, person theirs theirs" {
		t.Errorf("stored as %v", got)
	}
	if err := token.Revoke(t.Context(), w.db, "person", "reader"); err != nil {
		t.Fatal(err)
	}
	if a := w.ask("stale", `{}`, reader); a.status != http.StatusUnauthorized {
		t.Errorf("after revoking: %d", a.status)
	}
}

// Without a token the page writes as the person, and MCP as the agent.
func TestExplore_WritesAsThePerson(t *testing.T) {
	w := open(t, exploring(Options{}))
	if a := w.ask("call/memory_store", `{"title": "By hand", "content": "x"}`); a.status != http.StatusOK {
		t.Fatalf("%+v", a)
	}
	w.meet("").call("memory_store", `{"title": "By wire", "content": "y"}`)
	if got := dbtest.Texts(t, w.db, `select title || ': ' || origin || ' ' || actor from memories order by title`); strings.Join(got, ", ") != "By hand: person ada, By wire: agent agent" {
		t.Errorf("stored as %v", got)
	}
}

// Only the streams of the protocol and the page's stream of events stay open.
func TestExplore_RequestsHaveAnEnd(t *testing.T) {
	for _, c := range []struct {
		method, path string
		ends         bool
	}{
		{http.MethodGet, Path, false}, {http.MethodPost, Path, true}, {http.MethodGet, explore.APIPath + "about", true},
		{http.MethodGet, explore.Path, true}, {http.MethodPost, explore.APIPath + "stale", true},
		{http.MethodGet, explore.EventsPath, false}, {http.MethodPost, explore.EventsPath, true},
	} {
		ends := false
		withLimits(dropBody, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, ends = r.Context().Deadline() })).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, nil))
		if ends != c.ends {
			t.Errorf("%s %s has an end: %v", c.method, c.path, ends)
		}
	}
}

// The frame that draws diagrams has no origin. It may load its scripts, and nothing else.
func TestAttack_ExploreFrameGetsItsScriptsOnly(t *testing.T) {
	w := open(t, exploring(Options{}))
	base := strings.TrimSuffix(w.server.PageURL(), explore.Path)
	for _, c := range []struct {
		method, path string
		refused      bool
	}{
		{http.MethodGet, explore.FramePath + "nothing.js", false},
		{http.MethodPost, explore.FramePath + "nothing.js", true},
		{http.MethodGet, explore.Path, true},
		{http.MethodGet, explore.Path + "assets/x.js", true},
		{http.MethodGet, explore.APIPath + "about", true},
		{http.MethodGet, Path, true},
	} {
		r, err := http.NewRequest(c.method, base+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "null")
		if got := w.do(r); (got.status == http.StatusForbidden) != c.refused {
			t.Errorf("%s %s: %d", c.method, c.path, got.status)
		}
	}
}

// hear opens the stream of events, and returns its lines; "" marks its end.
func (w *world) hear(change ...func(r *http.Request)) (status int, lines <-chan string) {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodGet, strings.TrimSuffix(w.server.PageURL(), explore.Path)+explore.EventsPath, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for _, c := range change {
		c(r)
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = response.Body.Close() })
	heard := make(chan string, 100)
	go func() {
		defer close(heard)
		for in := bufio.NewScanner(response.Body); in.Scan(); {
			if text, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				heard <- text
			}
		}
	}()
	return response.StatusCode, heard
}

// The stream of events needs a token like everything else.
func TestAttack_ExploreEventsNeedAToken(t *testing.T) {
	w := open(t, exploring(Options{Secret: "correct horse battery staple"}))
	ours := bearing(w.token(token.Token{Name: "ours", Namespace: "ours", ReadOnly: true}))
	all := bearing(w.token(token.Token{Name: "all"}))
	for name, change := range map[string]func(r *http.Request){
		"None": func(*http.Request) {}, "InTheAddress": func(r *http.Request) { r.URL.RawQuery = "token=correct" },
	} {
		if status, _ := w.hear(change); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, _ := w.hear(all, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); status != http.StatusForbidden {
		t.Errorf("for a page of elsewhere: %d", status)
	}
	_, lines := w.hear(ours)
	if first := <-lines; !strings.Contains(first, "resumed") {
		t.Fatalf("the first event is %q", first)
	}
	w.ask("call/memory_store", `{"title": "Zebra", "content": "zebra", "namespace": "theirs"}`, all)
	w.ask("call/memory_store", `{"title": "Ours", "content": "ours", "namespace": "ours"}`, all)
	if heard := <-lines; !strings.Contains(heard, `"title":"Ours"`) || strings.Contains(heard, "ebra") {
		t.Errorf("a token of one namespace heard %s", heard)
	}
	if err := token.Revoke(t.Context(), w.db, "person", "ours"); err != nil {
		t.Fatal(err)
	}
	w.server.door.drop(t.Context())
	for heard := range lines {
		t.Errorf("after its token was revoked a listener heard %s", heard)
	}
}

func TestExplore_ListenersDoNotKeepTheServer(t *testing.T) {
	w := open(t, exploring(Options{}))
	_, lines := w.hear()
	<-lines
	if err := w.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	for heard := range lines {
		t.Errorf("heard %s", heard)
	}
}
