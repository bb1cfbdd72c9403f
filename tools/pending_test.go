package tools

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/review"
	"hence/memory/tidy"
)

// newWaiting returns two stores that are the same, but that in one of them calls of a session wait, and the agent of that
// session.
func newWaiting(t *testing.T) (n neighbours, own *agent) {
	t.Helper()
	n = newNeighbours(t)
	path := filepath.Join(t.TempDir(), "waiting.db")
	dbtest.Script(t, n.alone.Path(), `vacuum into '`+path+`'`)
	shared, err := db.Open(t.Context(), path, db.Options{State: n.alone.State()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shared.Close() })
	n.shared = shared
	desk := review.Desk{DB: shared, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	if err := desk.SetPolicy(t.Context(), review.All); err != nil {
		t.Fatal(err)
	}
	own = meetAs(t, shared, confined)
	n.theirs = []string{"Zebra ground", "Zebra decision", "ZEBRA GROUND", "zebra", "zebra: the ground of it"}
	for _, m := range []string{
		`{"title": "Zebra ground", "content": "zebra: the ground of it", "tags": ["a", "zebra"], "pinned": true, "supersedes": ["Newer ground"]}`,
		`{"title": "Zebra decision", "kind": "decision", "content": "zebra rests", "links": [{"to": "Zebra ground", "type": "depends-on"}, {"to": "Decision", "type": "contradicts"}]}`,
		`{"title": "Decisions", "content": "a near title"}`,
		`{"title": "Crossings", "content": "fersi fersy grund groudn decisien agan zeppelin", "source": "web"}`,
		`{"title": "Fermy", "content": "fermy ferdy ferly gruond", "properties": {"zebra": 1}}`,
	} {
		stored, said := get[memory.StoreResult](own, "memory_store", m)
		if stored.Memory.Status != review.Pending || !strings.Contains(said, waitsWarning) {
			t.Fatalf("%s: %s", m, said)
		}
		n.theirs = append(n.theirs, stored.Memory.ID, stored.Memory.ID[:18])
	}
	for tool, arguments := range map[string]string{
		"memory_checkpoint": `{"goal": "Count zebras", "learned": ["There is a zebra at the pier"]}`,
		"memory_update":     `{"id": "Crossing", "content": "the zebra again", "title": "Zebra crossing"}`,
		"memory_link":       `{"from": "Decision", "to": "Other crossing", "type": "causes", "note": "zebra"}`,
		"memory_forget":     `{"id": "Put away", "reason": "zebra"}`,
	} {
		if r := own.ask(tool, arguments); r.IsError {
			t.Fatalf("%s: %s", tool, text(t, r))
		}
	}
	n.theirs = append(n.theirs, ref.ShortID(n.theirs[5]), strings.ToUpper(ref.ShortID(n.theirs[5])), n.theirs[5][:8])
	if err := desk.SetPolicy(t.Context(), review.Off); err != nil {
		t.Fatal(err)
	}
	return n, own
}

// The answers to every other session do not depend on what waits: not in a title, a count, a neighbour or the
// candidates of an error.
func TestPending_EveryTool(t *testing.T) {
	dbtest.SkipUnderRace(t)
	n, _ := newWaiting(t)
	n.checkEveryTool(t)
}

func TestPending_ResourcesPromptsCompletion(t *testing.T) {
	dbtest.SkipUnderRace(t)
	n, _ := newWaiting(t)
	asked := []string{
		request(1, "resources/list", `{}`), request(1, "resources/read", `{"uri": "hence://overview"}`), request(1, "resources/read", `{"uri": "hence://brief"}`),
		request(1, "prompts/get", `{"name": "brief"}`), request(1, "prompts/get", `{"name": "brief", "arguments": {"about": "zebra ground"}}`),
	}
	for _, value := range []string{"", "z", "Zebra", "D"} {
		asked = append(asked, request(1, "completion/complete", fmt.Sprintf(
			`{"ref": {"type": "ref/resource", "uri": "hence://memory/{id}"}, "argument": {"name": "id", "value": %q}}`, value)))
	}
	for _, name := range append(n.theirs, "Crossing", "Decision", "Newer ground") {
		asked = append(asked, request(1, "resources/read", `{"uri": `+quote(t, "hence://memory/"+strings.ReplaceAll(name, " ", "%20"))+`}`))
	}
	for _, by := range []ref.Caller{confined, {Actor: "ada", Origin: "person"}} {
		alone, shared := serverAs(t, n.alone, by), serverAs(t, n.shared, by)
		for _, line := range asked {
			want, got := handled(t, alone, line), handled(t, shared, line)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s tells of what waits (-without it +with it):\n%s", line, diff)
			}
		}
	}
}

// The session itself sees what it stored as if it had been accepted, by every tool that reads; a person sees what waits by
// memory_tidy, with what accepting does.
func TestPending_ItsOwnSessionSeesIt(t *testing.T) {
	dbtest.SkipUnderRace(t)
	n, own := newWaiting(t)
	for tool, arguments := range map[string]string{
		"memory_search": `{"query": "zeppelin"}`, "memory_get": `{"id": "Zebra ground"}`, "memory_list": `{}`, "memory_brief": `{}`,
		"find_related": `{"id": "Zebra decision"}`, "memory_path": `{"from_id": "Zebra decision", "to_id": "Zebra ground"}`, "expand": `{"seed_doc_ids": ["Zebra decision"]}`,
		"get_neighborhood": `{"id": "Zebra decision"}`, "memory_history": `{"id": "Zebra ground"}`, "memory_trace": `{"id": "Zebra decision"}`, "memory_tidy": `{"propose": ["pending"]}`,
	} {
		if got := said(t, own, tool, arguments); !strings.Contains(got, "Zebra") && !strings.Contains(got, "fersi") {
			t.Errorf("%s %s: %s", tool, arguments, got)
		}
	}
	for tool, arguments := range map[string]string{"memory_search": `{"query": "zeppelin"}`, "memory_get": `{"id": "Crossings"}`} {
		if got := said(t, own, tool, arguments); !strings.Contains(got, `"status":"pending"`) || !strings.Contains(got, "[pending") {
			t.Errorf("%s does not say that it waits: %s", tool, got)
		}
	}
	if got, _ := get[memory.GetResult](own, "memory_get", `{"id": "Newer ground"}`); got.Memories[0].Status != memory.Superseded {
		t.Errorf("what it replaced is %s in its session", got.Memories[0].Status)
	}
	person := tidy.Tidier{DB: n.shared, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	all, err := person.Tidy(t.Context(), tidy.Args{Propose: []string{"pending"}})
	if err != nil || len(all.Proposals) != 8 {
		t.Fatalf("%+v, %v", all, err)
	}
	if does := all.Proposals[0].Does; len(does.Supersedes) != 1 || does.Supersedes[0].Title != "Newer ground" {
		t.Errorf("%+v", does)
	}
	// A key stands for what was foretold: once the old one is gone, accepting would do something else.
	if _, err := (memory.Store{DB: n.shared, Caller: person.Caller}).Forget(t.Context(), memory.ForgetArgs{ID: "Newer ground"}); err != nil {
		t.Fatal(err)
	}
	if _, err := person.Tidy(t.Context(), tidy.Args{Accept: []string{all.Proposals[0].Key}}); err == nil {
		t.Error("a key is accepted that foretold something else")
	}
}
