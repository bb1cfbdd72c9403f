package explore

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/agents"
	sourcecode "hence/code"
	codewriting "hence/code/writing"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory/review"
	"hence/projection"
	"hence/tools"
	"hence/vault"
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
	dbtest.Script(t, d.Path(), `insert into mirrors (name, root, namespace, extraction, imported_at) values ('v', '/v', 'ours', 1, '2026-01-01T00:00:00Z'), ('w', '/w', 'theirs', 1, '2026-01-01T00:00:00Z')`)
	said := newAsker(t, d, person, tools.Options{Version: "v1", Toolsets: []string{tools.GraphSet}}).about()
	want := About{
		Version: "v1", Database: filepath.Base(d.Path()), Path: d.Path(), Vaults: []Vault{{"v"}, {"w"}},
		Tools:    []string{"memory_path", "expand", "get_neighborhood", "memory_history", "memory_trace", "graph_overview"},
		Features: []string{"search", "edges", "among", "atlas", "atlas_names", "atlas_edges", "packages", "links", "stale", "conflicts", "resting", "inherited", "candidates", "dismiss", "reconsider", "journal", "past", "edit", "days", "use", "replay", "undo"},
	}
	if len(said.Kinds) != len(edges.Kinds()) || said.Kinds[1] != (Kind{"causes", "cause → effect", "caused-by", false, false, true}) || said.Kinds[len(said.Kinds)-1].Declared {
		t.Errorf("kinds: %+v", said.Kinds)
	}
	said.Kinds = nil
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	locked := New(d, ref.Caller{Namespace: "ours", Confined: true}, tools.Options{ReadOnly: true}, func() bool { return true })
	said = asker{t, locked}.about()
	if !said.Locked || !said.ReadOnly || said.Path != "" || said.Namespace != "ours" || !slices.Equal(said.Vaults, []Vault{{"v"}}) ||
		!slices.Equal(said.Features, []string{"search", "edges", "among", "atlas", "atlas_names", "atlas_edges", "packages", "links", "stale", "conflicts", "resting", "inherited", "candidates", "past", "edit", "days", "use", "replay"}) || slices.Contains(said.Tools, "memory_store") || !slices.Contains(said.Tools, "memory_get") {
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

// asked are the arguments with which each question is tried; NAME is the name of what must not be told.
var asked = map[string][]string{
	"edges":       {`{"id": NAME}`, `{"id": "Decision"}`, `{"id": "Ground", "limit": 1}`},
	"among":       {`{"ids": [NAME]}`, `{"ids": [NAME, "Zebra"], "types": ["depends-on", "mentions"]}`},
	"atlas":       {`{}`, `{"of": "code"}`},
	"atlas_names": {`{"version": "", "dots": [0]}`},
	"atlas_edges": {`{"version": ""}`},
	"links":       {`{"id": NAME}`, `{"id": "Decision"}`},
	"packages":    {`{}`},
	"past":        {`{"id": NAME}`, `{"id": "Decision"}`},
	"edit":        {`{"id": NAME, "number": 1}`, `{"id": "Ground", "number": 2}`, `{"id": "Ground", "number": 7}`},
	"dismiss":     {`{"ids": [NAME]}`, `{"back": "2026-01-01T00:00:00.000Z"}`, `{}`},
	"reconsider":  {`{"keys": [NAME]}`, `{"keys": ["same-0123456789"]}`},
	"stale":       {`{}`, `{"limit": 1}`},
	"conflicts":   {`{}`, `{"limit": 1}`},
	"resting":     {`{"ids": [NAME, "Decision", "Ground"]}`},
	"search":      {`{"query": "kind:fact"}`, `{"query": "kind:fact", "path_prefix": NAME}`, `{"query": "kind:fact kind:note", "namespace": "theirs"}`},
	"candidates":  {`{}`},
	"inherited":   {`{"id": NAME}`, `{"id": "Decision"}`},
	"days":        {`{}`, `{"days": 366}`},
	"use":         {`{}`, `{"since": "2026-01", "limit": 1}`},
	"replay":      {`{}`, `{"session": "last", "since": true}`},
	"journal":     {`{}`, `{"id": NAME}`, `{"before": 9999}`},
	"undo":        {`{}`, `{"seq": 1}`, `{"seq": 12}`},
}

// tellsTheSame checks that the answers of two APIs to all questions are the same, but for how the callers are called.
func tellsTheSame(t *testing.T, left, right asker, names []string, without ...string) {
	t.Helper()
	for _, q := range left.api.(*API).questions() {
		place := strings.TrimPrefix(q.Name, questionPrefix)
		if slices.Contains(without, place) {
			continue
		}
		if len(asked[place]) == 0 {
			t.Errorf("nothing tries %s", place)
		}
		for _, arguments := range asked[place] {
			for _, name := range names {
				quoted, _ := json.Marshal(name)
				arguments := strings.ReplaceAll(arguments, "NAME", string(quoted))
				if diff := cmp.Diff(left.ask(place, arguments), right.ask(place, arguments)); diff != "" {
					t.Errorf("%s %s tells of others (-without them +with them):\n%s", place, arguments, diff)
				}
			}
		}
	}
}

// What waits for a person is in no answer to the page's questions, nor to its calls of tools that read, but in the
// list of what waits.
func TestAPI_TellsNothingOfWhatWaits(t *testing.T) {
	dbtest.SkipUnderRace(t)
	alone := dbtest.New(t)
	furnish(newAsker(t, alone, person, tools.Options{}))
	bot := ref.Caller{Actor: "bot", Origin: "agent"}
	newAsker(t, alone, bot, tools.Options{}).get("call/memory_store", `{"namespace": "ours", "title": "Crossing", "content": "a ferry", "links": [{"to": "Ground", "type": "depends-on"}]}`)
	dbtest.Script(t, alone.Path(), mention("ours", "Decision", "Newer ground"))
	path := filepath.Join(t.TempDir(), filepath.Base(alone.Path()))
	dbtest.Script(t, alone.Path(), `vacuum into '`+path+`'`)
	shared, err := db.Open(t.Context(), path, db.Options{State: alone.State()})
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	desk := review.Desk{DB: shared, Caller: person}
	if err := desk.SetPolicy(t.Context(), review.All); err != nil {
		t.Fatal(err)
	}
	ctx := review.WithSession(t.Context(), func() string { return "s" })
	names := []string{"Zebra", "Zebra ground"}
	for _, c := range []struct{ tool, arguments string }{
		{"memory_store", `{"namespace": "ours", "title": "Zebra ground", "content": "zebra", "tags": ["zebra"], "supersedes": ["Newer ground"]}`},
		{"memory_store", `{"namespace": "ours", "title": "Zebra", "content": "Decision, Zebra ground", "links": [{"to": "Zebra ground", "type": "depends-on"}, {"to": "Decision", "type": "contradicts"}]}`},
		{"memory_checkpoint", `{"goal": "Count zebras", "learned": ["There is a zebra."]}`},
		{"memory_update", `{"id": "Crossing", "content": "rests on zebras"}`},
		{"memory_link", `{"from": "Ground", "to": "Decision", "type": "causes", "note": "zebra"}`},
		{"memory_update", `{"id": "Decision", "content": "a person's words, for which an agent asks"}`},
		{"memory_verify", `{"id": "Crossing", "note": "zebra"}`},
		{"memory_forget", `{"id": "Crossing", "reason": "zebra"}`},
	} {
		one := newAsker(t, shared, bot, tools.Options{})
		r := httptest.NewRequest(http.MethodPost, APIPath+"call/"+c.tool, strings.NewReader(c.arguments)).WithContext(ctx)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if one.api.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("%s: %s", c.tool, w.Body)
		}
	}
	waiting, err := desk.Waiting(t.Context(), "")
	if err != nil || len(waiting) != 7 {
		t.Fatalf("%d calls wait, %v", len(waiting), err)
	}
	for _, c := range waiting {
		names = append(names, c.ID, c.ID[:18])
	}
	for _, by := range []ref.Caller{person, {Actor: "ada", Origin: "person", Namespace: "ours", Confined: true}, bot} {
		left, right := newAsker(t, alone, by, tools.Options{}), newAsker(t, shared, by, tools.Options{})
		about, withWaiting := left.about(), right.about()
		withWaiting.Path = about.Path
		if diff := cmp.Diff(about, withWaiting); diff != "" {
			t.Errorf("about tells of what waits (-without it +with it):\n%s", diff)
		}
		tellsTheSame(t, left, right, names, "undo") // which would change both, at other times
		for tool, arguments := range map[string]string{
			"memory_search": `{"query": "zebra ground decision", "status": "all"}`, "memory_get": `{"id": "Decision"}`, "memory_list": `{"status": "all"}`, "memory_brief": `{}`,
			"graph_overview": `{}`, "expand": `{"seed_doc_ids": ["Decision"], "hops": 5}`, "get_neighborhood": `{"id": "Decision"}`, "memory_trace": `{"id": "Decision"}`,
			"memory_history": `{"id": "Decision"}`, "find_related": `{"id": "Decision"}`, "memory_path": `{"from_id": "Decision", "to_id": "Newer ground"}`,
		} {
			if diff := cmp.Diff(left.ask("call/"+tool, arguments), right.ask("call/"+tool, arguments)); diff != "" {
				t.Errorf("%s tells of what waits (-without it +with it):\n%s", tool, diff)
			}
		}
	}
	if err := desk.Accept(t.Context(), waiting[:2]); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct{ place, arguments string }{{"conflicts", `{}`}, {"journal", `{"limit": 1000}`}, {"edges", `{"id": "Zebra"}`}, {"search", `{"query": "zebra"}`}} {
		if got := newAsker(t, shared, person, tools.Options{}).get(q.place, q.arguments); !strings.Contains(got, "Zebra") {
			t.Errorf("%s does not tell of what was accepted: %s", q.place, got)
		}
	}
}

// The answers to a caller of one namespace do not depend on memories of others in the same
// file. Package tools tests that for the tools; this test is for the questions of the page.
func TestAPI_ConfinedLearnsNothing(t *testing.T) {
	alone := dbtest.New(t)
	furnish(newAsker(t, alone, person, tools.Options{}))
	dbtest.Script(t, alone.Path(), mention("ours", "Decision", "Newer ground"))
	path := filepath.Join(t.TempDir(), filepath.Base(alone.Path()))
	dbtest.Script(t, alone.Path(), `vacuum into '`+path+`'`)
	shared, err := db.Open(t.Context(), path, db.Options{State: alone.State()})
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	everybody := newAsker(t, shared, person, tools.Options{})
	names := []string{"Zebra", "Zebra ground", "zebravault", "obsidian-fs://zebravault/z.md", "z.md"}
	for _, m := range []string{
		`{"namespace": "theirs", "title": "Zebra ground", "content": "zebra"}`,
		`{"namespace": "theirs", "title": "Zebra", "content": "zebra rests", "links": [{"to": "Zebra ground", "type": "depends-on"}]}`,
		`{"namespace": "theirs", "title": "Decision", "content": "zebra, same title", "links": [{"to": "Zebra ground", "type": "derived-from"}, {"to": "Zebra", "type": "contradicts"}]}`,
		`{"namespace": "theirs", "title": "Newest", "content": "zebra anew", "supersedes": ["Zebra ground"]}`,
	} {
		var stored struct{ Memory struct{ ID string } }
		if err := json.Unmarshal([]byte(everybody.get("call/memory_store", m)), &stored); err != nil {
			t.Fatal(err)
		}
		names = append(names, stored.Memory.ID, stored.Memory.ID[:18])
	}
	dbtest.Script(t, path, mention("theirs", "Zebra", "Newest")+`
insert into mirrors (name, root, namespace, extraction, imported_at) values ('zebravault', '/v', 'theirs', 1, '2026-01-01T00:00:00Z');
insert into memories (namespace, kind, title, uri, origin) values ('theirs', 'note', 'zebranote', 'obsidian-fs://zebravault/z.md', 'vault');
insert into files (memory, mirror, path, size, modified, file_hash) select last_insert_rowid(), 1, 'z.md', 1, 1, '';`)

	for _, q := range []struct{ place, arguments string }{{"stale", `{}`}, {"conflicts", `{}`}, {"candidates", `{}`}, {"journal", `{"limit": 1000}`}, {"edges", `{"id": "Zebra"}`}} {
		if got := everybody.get(q.place, q.arguments); !strings.Contains(got, "Zebra") {
			t.Errorf("%s does not tell everybody: %s", q.place, got)
		}
	}
	ours := ref.Caller{Actor: "ada", Origin: "person", Namespace: "ours", Confined: true}
	left, right := newAsker(t, alone, ours, tools.Options{}), newAsker(t, shared, ours, tools.Options{})
	if diff := cmp.Diff(left.about(), right.about()); diff != "" {
		t.Errorf("about tells of others (-without them +with them):\n%s", diff)
	}
	tellsTheSame(t, left, right, names)
	for _, place := range []string{"journal", "undo"} {
		if got := right.ask(place, `{}`); got.Status != 403 || !strings.Contains(got.Body, "read_only") {
			t.Errorf("%s: %+v", place, got)
		}
	}
	if n := dbtest.Count(t, shared, `select count(*) from memories where namespace = 'theirs' and status = 'forgotten'`); n != 0 {
		t.Errorf("%d memories of others were forgotten", n)
	}
}

// mention adds a mention of one memory in another.
func mention(namespace, from, to string) string {
	return fmt.Sprintf(`
insert into edges (from_key, to_key, kind, origin)
select f.key, t.key, 'mentions', 'mention'
from memories f
join memories t on t.namespace = f.namespace
where f.namespace = '%s' and f.title = '%s' and t.title = '%s';`, namespace, from, to)
}

// Changes made on the page are the person's, and can be undone there.
func TestAPI_WritesAsThePersonAndUndoes(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	if got := a.get("edges", `{"id": "Decision"}`); !strings.Contains(got, `"origin":"person","actor":"ada"`) {
		t.Errorf("edges: %s", got)
	}
	status := func() string { return dbtest.Texts(t, d, `select status from memories where title = 'Ground'`)[0] }
	if got := status(); got != "superseded" {
		t.Fatalf("the ground is %s", got)
	}
	if got := a.get("undo", ``); !strings.Contains(got, "Newer ground") || status() != "current" {
		t.Errorf("undone: %s, and the ground is %s", got, status())
	}
}

// The page offers to undo a verification, whoever wrote after it.
func TestAPI_UndoesAVerification(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	stale := func() string {
		return strings.Join(dbtest.Texts(t, d, `select title || ' ' || reason from stale order by 1`), ", ")
	}
	before := stale()
	_, header := a.do(http.MethodPost, "call/memory_verify", "application/json", `{"id": "Decision", "note": "looked at"}`)
	newAsker(t, d, ref.Caller{Actor: "bob", Origin: "person"}, tools.Options{}).get("call/memory_store", `{"title": "Bob's lamp", "content": "it is out"}`)
	if stale() == before {
		t.Fatalf("the verification cleared nothing of %q", before)
	}
	a.get("undo", fmt.Sprintf(`{"seq": %s, "whole": true}`, header.Get(changeHeader)))
	if got := stale(); got != before {
		t.Errorf("stale after the undo: %q, want %q", got, before)
	}
}

// An answer names the change that it made, so that undo takes back that change, whoever
// wrote after it.
func TestAPI_NamesTheChangeThatItMade(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	_, header := a.do(http.MethodPost, "call/memory_store", "application/json", `{"namespace": "ours", "title": "Lamp", "content": "it is lit", "links": [{"to": "Decision", "type": "supports"}]}`)
	bob := newAsker(t, d, ref.Caller{Actor: "bob", Origin: "person"}, tools.Options{})
	bob.get("call/memory_store", `{"title": "Bob's lamp", "content": "it is out"}`)
	a.get("undo", fmt.Sprintf(`{"seq": %s, "whole": true}`, header.Get(changeHeader)))
	if got := dbtest.Texts(t, d, `select title from memories where status = 'current' and title like '%lamp' order by title`); !slices.Equal(got, []string{"Bob's lamp"}) {
		t.Errorf("what holds after the undo: %v", got)
	}
	if _, header := a.do(http.MethodPost, "call/memory_get", "application/json", `{"id": "Decision"}`); header.Get(changeHeader) != "" {
		t.Errorf("reading is said to have made the change %s", header.Get(changeHeader))
	}
	confined := newAsker(t, d, ref.Caller{Actor: "eve", Origin: "person", Namespace: "ours", Confined: true}, tools.Options{})
	if _, header := confined.do(http.MethodPost, "call/memory_store", "application/json", `{"title": "Eve", "content": "hers"}`); header.Get(changeHeader) != "" {
		t.Errorf("a token of one namespace learns the number %s", header.Get(changeHeader))
	}
}

// A write of notes can be undone where notes may be written; an import cannot be undone
// anywhere here.
func TestAPI_UndoesAWriteOfNotes(t *testing.T) {
	d, folder := dbtest.New(t), t.TempDir()
	note := filepath.Join(folder, "Quay.md")
	if err := os.WriteFile(note, []byte("The quay is dry.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (vault.Importer{DB: d, Caller: person}).Import(ctx, vault.ImportArgs{Dir: folder, Name: "port"}); err != nil {
		t.Fatal(err)
	}
	writes, looks := newAsker(t, d, person, tools.Options{VaultWrite: true}), newAsker(t, d, person, tools.Options{})
	text := func() string {
		read, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		return string(read)
	}
	if got := writes.ask("undo", ``); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "command line") {
		t.Errorf("the import: %+v", got)
	}
	_, header := writes.do(http.MethodPost, "call/update_note", "application/json", `{"path": "Quay.md", "mode": "replace", "content": "The quay is wet."}`)
	seq := fmt.Sprintf(`{"seq": %s, "whole": true}`, header.Get(changeHeader))
	if got := looks.ask("undo", seq); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "command line") || !strings.Contains(text(), "wet") {
		t.Errorf("where notes are only read: %+v", got)
	}
	var undone UndoResult
	if err := json.Unmarshal([]byte(writes.get("undo", seq)), &undone); err != nil || !strings.Contains(text(), "dry") || undone.Files == nil || undone.Files.Notes[0].Path != "Quay.md" {
		t.Fatalf("%+v %v: %s", undone, err, text())
	}
	if got := writes.get("undo", fmt.Sprintf(`{"seq": %d}`, undone.By)); !strings.Contains(text(), "wet") {
		t.Errorf("the undo taken back: %s: %s", got, text())
	}
}

// What a client did to its own files is taken back where the person allowed that, as on the command line, and a patch of
// code where patches are allowed; their undos too.
func TestAPI_UndoesWhatWroteOtherFiles(t *testing.T) {
	d, home, dir := dbtest.New(t), t.TempDir(), filepath.Join(t.TempDir(), "repo")
	put := func(file, text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	notes, rules, source := agents.Importer{DB: d, Caller: person}, filepath.Join(home, ".claude", "CLAUDE.md"), filepath.Join(dir, "once.go")
	take := func(text string) {
		put(rules, text)
		if _, err := notes.Import(ctx, agents.Args{Places: agents.Places{Home: home, Folder: home, Getenv: func(string) string { return "" }}}); err != nil {
			t.Fatal(err)
		}
	}
	take("Ship on Mondays.\n")
	take("Ship on Tuesdays.\n")
	page := newAsker(t, d, person, tools.Options{CodeWrite: true})
	if got := page.ask("undo", ``); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "hence agents allow restore") {
		t.Errorf("before it is allowed: %+v", got)
	}
	if _, err := notes.AllowRestore(ctx, "", true); err != nil {
		t.Fatal(err)
	}
	undo := func(args string) (r UndoResult) {
		if err := json.Unmarshal([]byte(page.get("undo", args)), &r); err != nil || r.Files == nil || len(r.Files.Notes) != 1 || r.By == 0 {
			t.Fatalf("undo %s: %+v %v", args, r, err)
		}
		return r
	}
	by := undo(``).By
	if got := read(rules); got != "Ship on Mondays.\n" {
		t.Errorf("undone: %q", got)
	}
	undo(fmt.Sprintf(`{"seq": %d}`, by))
	if got := read(rules); got != "Ship on Tuesdays.\n" {
		t.Errorf("the undo undone: %q", got)
	}
	const code = "package repo\n\nfunc Once(n int) int { return n + 1 }\n"
	put(filepath.Join(dir, "go.mod"), "module example.com/repo\n")
	put(source, code)
	v := ref.View{DB: d, Caller: person}
	if _, err := (sourcecode.Importer{DB: d, Caller: person}).Mirror().Import(ctx, projection.ImportArgs{Dir: dir, Name: "repo"}); err != nil {
		t.Fatal(err)
	}
	w := codewriting.New(v)
	if err := w.AllowPatch(ctx, "repo", true); err != nil {
		t.Fatal(err)
	}
	_, header := page.do(http.MethodPost, "call/code_patch", "application/json", fmt.Sprintf(`{"path": "once.go", "find": "n + 1", "replace": "n + 2", "dry_run": false, "expected_content_hash": %q}`, db.Hash([]byte(code))))
	if read(source) == code {
		t.Fatal("the patch wrote nothing")
	}
	undo(fmt.Sprintf(`{"seq": %s}`, header.Get(changeHeader)))
	if got := read(source); got != code {
		t.Errorf("the patch undone: %q", got)
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
