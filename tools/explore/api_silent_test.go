package explore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/review"
	"hence/tools"
)

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
