package explore

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/tools"
)

var person = ref.Caller{Actor: "ada", Origin: "person"}

// asker makes requests of the API, as the page does.
type asker struct {
	t   *testing.T
	api http.Handler
}

func newAsker(t *testing.T, d *db.DB, c ref.Caller, o tools.Options) asker {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return asker{t, New(d, c, o, func() bool { return false })}
}

// reply is a status and a body.
type reply struct {
	Status int
	Body   string
}

func (a asker) do(method, place, kind, body string) (reply, http.Header) {
	a.t.Helper()
	r := httptest.NewRequest(method, APIPath+place, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	a.api.ServeHTTP(w, r)
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		a.t.Errorf("%s may be kept: %q", place, got)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		a.t.Errorf("%s answers %q", place, got)
	}
	if !json.Valid(w.Body.Bytes()) {
		a.t.Errorf("%s answers with something that is not JSON: %s", place, w.Body)
	}
	return reply{w.Code, w.Body.String()}, w.Header()
}

func (a asker) ask(place, arguments string) reply {
	a.t.Helper()
	got, _ := a.do(http.MethodPost, place, "application/json; charset=utf-8", arguments)
	return got
}

// get makes a request that must succeed.
func (a asker) get(place, arguments string) string {
	a.t.Helper()
	got := a.ask(place, arguments)
	if got.Status != http.StatusOK {
		a.t.Fatalf("%s %s: %+v", place, arguments, got)
	}
	return got.Body
}

func (a asker) about() (said About) {
	a.t.Helper()
	got, _ := a.do(http.MethodGet, "about", "", "")
	if err := json.Unmarshal([]byte(got.Body), &said); err != nil || got.Status != http.StatusOK {
		a.t.Fatalf("about: %+v %v", got, err)
	}
	return said
}

// furnish stores memories of the caller, one of which is stale.
func furnish(a asker) {
	a.get("call/memory_store", `{"namespace": "ours", "title": "Ground", "content": "the ground of it, <b>&\u2028"}`)
	a.get("call/memory_store", `{"namespace": "ours", "title": "Decision", "content": "rests on the ground", "links": [{"to": "Ground", "type": "depends-on"}]}`)
	a.get("call/memory_store", `{"namespace": "ours", "title": "Newer ground", "content": "the ground moved", "supersedes": ["Ground"]}`)
}

// The answer of a tool is the same as over MCP, byte for byte.
func TestAPI_CallIsWhatMCPSays(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	s, err := tools.New(d, person, tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, arguments string }{
		{"memory_get", `{"id": "Ground"}`}, {"memory_list", `{"status": "all"}`}, {"graph_overview", ``}, {"memory_trace", `{"id": "Decision"}`},
		{"memory_get", `{"id": "Grund"}`}, {"memory_list", `{"limit": 0}`}, {"memory_list", `[]`}, {"memory_list", `{"limt": 1}`},
	} {
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.tool, orNone(c.arguments))
		raw, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(message)))
		var said struct {
			Result struct{ StructuredContent json.RawMessage }
		}
		if err != nil || json.Unmarshal(raw, &said) != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if got := a.ask("call/"+c.tool, c.arguments); got.Body != string(said.Result.StructuredContent) {
			t.Errorf("%s %s\n answers %s\nand MCP %s", c.tool, c.arguments, got.Body, said.Result.StructuredContent)
		}
	}
}

func orNone(arguments string) string {
	if arguments == "" {
		return "{}"
	}
	return arguments
}

func TestAPI_Statuses(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	long := strings.Repeat("x", 9<<20)
	for _, c := range []struct {
		place, arguments string
		status           int
		code             string
	}{
		{"call/memory_get", `{"id": "Ground"}`, 200, ""},
		{"call/memory_get", `{"id": ""}`, 400, "invalid_argument"},
		{"call/memory_get", `nonsense`, 400, "invalid_argument"},
		{"call/memory_get", `{"id": "nobody"}`, 404, "not_found"},
		{"call/memory_update", `{"id": "Ground", "content": "x", "expected_revision": 9}`, 409, "conflict"},
		{"call/memory_link", `{"from": "Ground", "to": "Newer ground", "type": "supersedes"}`, 409, "cycle"},
		{"call/memory_store", `{"content": "` + long + `"}`, 413, "too_large"},
		{"call/nothing", `{}`, 404, "not_found"},
		{"call/", `{}`, 404, "not_found"},
		{"nothing", `{}`, 404, "not_found"},
		{"", `{}`, 404, "not_found"},
		{"../../x", `{}`, 404, "not_found"},
		{"edges", `{"id": "nobody"}`, 404, "not_found"},
		{"edges", `{"id": "Ground", "limit": 501}`, 400, "invalid_argument"},
		{"edges", `{"id": "Ground", "further": 1}`, 400, "invalid_argument"},
		{"stale", `{"cursor": "x"}`, 400, "invalid_argument"},
		{"days", `{"days": 367}`, 400, "invalid_argument"},
		{"undo", `{"seq": 99999}`, 404, "not_found"},
	} {
		got := a.ask(c.place, c.arguments)
		var said struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(got.Body), &said); err != nil || got.Status != c.status || said.Error.Code != c.code || (said.Error.Message == "") != (c.code == "") {
			t.Errorf("%s %.60s: %d %.300s; want %d %s", c.place, c.arguments, got.Status, got.Body, c.status, c.code)
		}
	}
	for _, code := range fault.Codes() {
		if known := statusOf(code); (known == http.StatusInternalServerError) != (code == fault.Internal) {
			t.Errorf("%s has the status %d", code, known)
		}
	}
}

func TestAPI_MethodsAndTypes(t *testing.T) {
	a := newAsker(t, dbtest.New(t), person, tools.Options{})
	for _, c := range []struct {
		method, place, kind string
		status              int
	}{
		{"GET", "call/memory_list", "application/json", 405},
		{"PUT", "edges", "application/json", 405},
		{"DELETE", "undo", "application/json", 405},
		{"OPTIONS", "undo", "", 405},
		{"POST", "about", "application/json", 405},
		{"POST", "call/memory_list", "text/plain", 415},
		{"POST", "call/memory_list", "application/x-www-form-urlencoded", 415},
		{"POST", "call/memory_list", "", 415},
		{"POST", "call/memory_list", "application/json, text/plain", 415},
		{"POST", "call/memory_list", "Application/JSON", 200},
		{"HEAD", "about", "", 200},
	} {
		got, header := a.do(c.method, c.place, c.kind, "{}")
		if got.Status != c.status || (header.Get("Allow") != "") != (c.status == 405) {
			t.Errorf("%s %s as %q: %+v, allow %q; want %d", c.method, c.place, c.kind, got, header.Get("Allow"), c.status)
		}
	}
}

func TestAPI_About(t *testing.T) {
	d := dbtest.New(t)
	said := newAsker(t, d, person, tools.Options{Version: "v1", Toolsets: []string{tools.GraphSet}}).about()
	want := About{
		Version: "v1", Database: filepath.Base(d.Path()), Path: d.Path(),
		Tools:    []string{"memory_path", "expand", "get_neighborhood", "memory_history", "memory_trace", "graph_overview"},
		Features: []string{"search", "edges", "among", "atlas", "atlas_names", "atlas_edges", "packages", "links", "stale", "conflicts", "resting", "candidates", "dismiss", "reconsider", "journal", "past", "edit", "days", "use", "replay", "undo"},
	}
	if len(said.Kinds) != len(edges.Kinds()) || said.Kinds[1] != (Kind{"causes", "cause → effect", "caused-by", false, true}) || said.Kinds[len(said.Kinds)-1].Declared {
		t.Errorf("kinds: %+v", said.Kinds)
	}
	said.Kinds = nil
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	locked := New(d, ref.Caller{Namespace: "ours", Confined: true}, tools.Options{ReadOnly: true}, func() bool { return true })
	said = asker{t, locked}.about()
	if !said.Locked || !said.ReadOnly || said.Path != "" || said.Namespace != "ours" ||
		!slices.Equal(said.Features, []string{"search", "edges", "among", "atlas", "atlas_names", "atlas_edges", "packages", "links", "stale", "conflicts", "resting", "candidates", "past", "edit", "days", "use", "replay"}) || slices.Contains(said.Tools, "memory_store") || !slices.Contains(said.Tools, "memory_get") {
		t.Errorf("a confined reader is told %+v", said)
	}
	for _, namespace := range []string{"theirs", "ours"} {
		dbtest.Script(t, d.Path(), fmt.Sprintf(`insert into memories (namespace, title, origin) values ('%s', 'Code', 'code')`, namespace))
		if said := (asker{t, locked}).about(); said.Code != (namespace == "ours") {
			t.Errorf("with code of %s code is %v", namespace, said.Code)
		}
	}
}

// If nothing may be written, no tool writes, and undo does not either.
func TestAPI_ReadOnlyWritesNothing(t *testing.T) {
	d := dbtest.New(t)
	furnish(newAsker(t, d, person, tools.Options{}))
	frozen, err := db.Open(t.Context(), d.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	changes := func() int { return dbtest.Count(t, d, `select count(*) from journal`) }
	before := changes()
	for name, a := range map[string]asker{
		"by the caller": newAsker(t, d, person, tools.Options{ReadOnly: true, VaultWrite: true, CodeWrite: true}),
		"by the store":  newAsker(t, frozen, person, tools.Options{VaultWrite: true, CodeWrite: true}),
	} {
		writes := 0
		for _, tool := range append(tools.All(), a.api.(*API).questions()...) {
			place, asks := strings.CutPrefix(tool.Name, questionPrefix)
			if !asks {
				place = callPath + place
			}
			if tool.Hints.ReadOnly {
				continue
			}
			writes++
			if got := a.ask(place, `{"id": "Ground", "from": "Ground", "to": "Decision", "type": "causes", "content": "x"}`); got.Status != 403 || !strings.Contains(got.Body, `"read_only"`) {
				t.Errorf("%s: %s: %+v", name, place, got)
			}
		}
		if said := a.about(); !said.ReadOnly || writes < 5 || slices.Contains(said.Tools, "memory_store") || slices.Contains(said.Features, "undo") {
			t.Errorf("%s: of %d that write, about says %+v", name, writes, said)
		}
		if got := a.get("journal", `{"limit": 1}`); !strings.Contains(got, "supersede") {
			t.Errorf("%s: journal: %s", name, got)
		}
	}
	if after := changes(); after != before {
		t.Errorf("%d changes were made", after-before)
	}
}

// Tools that edit notes are offered only where that is allowed, as over MCP.
func TestAPI_EditsNotesOnlyWhereAllowed(t *testing.T) {
	d := dbtest.New(t)
	closed, open := newAsker(t, d, person, tools.Options{}), newAsker(t, d, person, tools.Options{VaultWrite: true})
	edits := 0
	for _, tool := range tools.All() {
		if !tool.EditsNotes {
			continue
		}
		edits++
		if got := closed.ask(callPath+tool.Name, `{}`); got.Status != 404 || slices.Contains(closed.about().Tools, tool.Name) {
			t.Errorf("%s: %+v", tool.Name, got)
		}
		if got := open.ask(callPath+tool.Name, `{}`); got.Status != 400 || !slices.Contains(open.about().Tools, tool.Name) {
			t.Errorf("%s where it is allowed: %+v", tool.Name, got)
		}
	}
	if edits == 0 {
		t.Error("no tool edits notes")
	}
}

// Calls are counted like those over MCP, without their arguments.
func TestAPI_IsObserved(t *testing.T) {
	seen := []receipts.Receipt{}
	a := newAsker(t, dbtest.New(t), person, tools.Options{Observers: []func(receipts.Receipt){func(c receipts.Receipt) { seen = append(seen, c) }}})
	a.ask("call/memory_get", `{"id": "secret"}`)
	a.ask("edges", `{"id": "secret", "secret": 1}`)
	a.ask("stale", ``)
	got := []string{}
	for _, c := range seen {
		got = append(got, fmt.Sprint(c.Actor, " ", c.Tool, " ", c.Outcome))
	}
	want := []string{
		"ada memory_get not_found",
		"ada explore_edges invalid_argument",
		"ada explore_stale ok",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A request whose body breaks off gets an answer.
func TestAPI_BrokenBody(t *testing.T) {
	a := newAsker(t, dbtest.New(t), person, tools.Options{})
	r := httptest.NewRequest(http.MethodPost, APIPath+"stale", io.MultiReader(strings.NewReader("{"), broken{}))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.api.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "invalid_argument") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
