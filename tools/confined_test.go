package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

var confined = ref.Caller{Actor: "claude", Origin: "agent", Namespace: "ours", Confined: true}

// neighbours are two stores that hold the same memories of the caller's namespace, with the
// same ids; one of them also holds memories of others.
type neighbours struct {
	alone, shared *db.DB
	theirs        []string // names of what is not ours: ids, prefixes, titles, uris
}

func newNeighbours(t *testing.T) neighbours {
	t.Helper()
	alone := dbtest.New(t)
	ours := meet(t, alone, Options{})
	get[memory.StoreResult](ours, "memory_store", `{"namespace": "ours", "title": "Ground", "content": "the ground of it", "tags": ["a"]}`)
	get[memory.StoreResult](ours, "memory_store", `{"namespace": "ours", "title": "Decision", "kind": "decision", "content": "rests on the ground", "links": [{"to": "Ground", "type": "depends-on"}]}`)
	get[memory.StoreResult](ours, "memory_store", `{"namespace": "ours", "title": "Newer ground", "content": "the ground moved", "supersedes": ["Ground"]}`)
	get[memory.StoreResult](ours, "memory_store", `{"namespace": "ours", "title": "Crossing", "content": "the ferry again"}`)
	get[memory.StoreResult](ours, "memory_store", `{"namespace": "ours", "title": "Other crossing", "content": "ferry or fermy"}`)
	get[memory.StoreResult](ours, "memory_store", `{"namespace": "ours", "title": "Put away", "content": "old"}`)
	get[memory.ForgetResult](ours, "memory_forget", `{"id": "Put away"}`)
	attach(t, alone, "ourvault", "ours", map[string]string{"note.md": "[[twin]] #a", "twin.md": "x", "zebras/z.md": "[[lost]]"})

	attachCode(t, alone, "ourrepo", "ours", map[string]string{"go.mod": "module example.com/ours\n", "q/twin.go": "package q\n\nfunc Twin() {}\n"})

	path := filepath.Join(t.TempDir(), "shared.db")
	dbtest.Script(t, alone.Path(), `vacuum into '`+path+`'`)
	shared, err := db.Open(t.Context(), path, db.Options{State: alone.State()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shared.Close() })
	n := neighbours{alone: alone, shared: shared, theirs: []string{"Zebra ground", "Zebra decision", "obsidian-fs://zebravault/zebra.md", "zebra", "zebra.md", "zebravault", "zebras/zebra too"}}
	others := meet(t, shared, Options{})
	for _, m := range []string{
		`{"namespace": "theirs", "title": "Zebra ground", "content": "zebra: the ground of it", "tags": ["a", "zebra"], "pinned": true}`,
		`{"namespace": "theirs", "title": "Zebra decision", "kind": "decision", "content": "zebra rests", "links": [{"to": "Zebra ground", "type": "depends-on"}]}`,
		`{"namespace": "theirs", "title": "Decisions", "content": "a near title"}`,
		`{"namespace": "theirs", "title": "Decision", "content": "the same title"}`,
		`{"namespace": "theirs", "title": "Crossings", "content": "fersi fersy grund groudn decisien agan zeppelin"}`,
		`{"namespace": "theirs", "title": "Fermy", "content": "fermy ferdy ferly gruond"}`,
		`{"namespace": "theirs", "title": "Fermy again", "content": "fermy and fermy"}`,
		`{"namespace": "theirs", "title": "Newest", "content": "rests on the ground zebra", "supersedes": ["Zebra ground"]}`,
	} {
		stored, _ := get[memory.StoreResult](others, "memory_store", m)
		n.theirs = append(n.theirs, stored.Memory.ID, stored.Memory.ID[:18])
	}
	id := n.theirs[len(n.theirs)-2]
	n.theirs = append(n.theirs, ref.ShortID(id), strings.ToUpper(ref.ShortID(id)), id[:8], strings.ToUpper(id[:18]), "ZEBRA GROUND", "zebra ground")
	attach(t, shared, "zebravault", "theirs", map[string]string{
		"zebra.md": "#zebra zebra: the ground of it", "twin.md": "the zebra's twin", "note.md": "---\nzebra: 1\n---\n", "zebras/zebra too.md": "x",
	})
	attachCode(t, shared, "zebrarepo", "theirs", map[string]string{"go.mod": "module example.com/zebra\n", "q/twin.go": "package q\n\nfunc Twin() { Zebra() }\n\nfunc Zebra() {}\n"})
	n.theirs = append(n.theirs, "q.Zebra", "code://zebrarepo/q#Zebra", "zebrarepo")
	return n
}

// calls are calls of every tool that try to reach the memory that NAME names.
var calls = map[string][]string{
	"memory_store": {
		`{"content": "x", "links": [{"to": NAME, "type": "causes"}]}`,
		`{"content": "x", "supersedes": [NAME]}`,
		`{"content": "x", "namespace": "theirs"}`,
		`{"content": "zebra: the ground of it", "dedup": "strict", "links": [{"to": "nobody", "type": "causes"}]}`,
	},
	"memory_checkpoint": {
		`{"goal": "x", "learned": [{"content": "x", "links": [{"to": NAME, "type": "causes"}]}]}`,
		`{"goal": "x", "namespace": "theirs"}`, `{"goal": "x", "learned": [{"content": "x", "namespace": "theirs"}]}`,
		`{"learned": [{"content": "zebra: the ground of it", "dedup": "strict"}, {"content": "y", "supersedes": ["nobody"]}]}`,
	},
	"memory_brief":  {`{}`, `{"about": "zebra ground"}`, `{"about": NAME}`, `{"since": "2026-01-01"}`, `{"token_budget": 64}`},
	"memory_get":    {`{"id": "Zebra decisoin"}`, `{"id": "Crosings"}`, `{"id": "Fermi"}`, `{"id": NAME}`, `{"ids": [NAME, "Decision", "Ground"]}`},
	"memory_update": {`{"id": NAME, "title": "x"}`},
	"memory_forget": {`{"id": NAME}`, `{"id": NAME, "purge": true}`},
	"memory_erase":  {`{"id": NAME}`, `{"from": NAME}`, `{"id": NAME, "dry_run": false}`},
	"memory_restore": {
		`{"id": NAME}`,
	},
	"memory_list": {`{}`, `{"namespace": "theirs"}`, `{"tags": ["zebra"]}`, `{"status": "all"}`, `{"kind": "decision", "order": "importance"}`},
	"memory_search": {
		`{"query": NAME}`, `{"query": "ground"}`, `{"query": "ground", "namespace": "theirs"}`, `{"query": "tag:zebra"}`,
		`{"query": "zebra", "status": "all", "mode": "keyword"}`, `{"query": "path:zebra"}`, `{"query": "ground", "path_prefix": ["zebra", "obsidian-fs://"]}`, `{"query": "rests", "limit": 1}`,
		`{"query": "fersy"}`, `{"query": "fermy"}`, `{"query": "fersi again", "status": "all"}`, `{"query": "groudn"}`, `{"query": "grund moved"}`, `{"query": "\"grund moved\""}`,
		`{"query": "zepelin"}`, `{"query": "zeppelin"}`, `{"query": "agan decisien", "mode": "keyword"}`, `{"query": "gruond", "status": "all"}`,
		`{"query": "berry"}`, `{"query": "eppelin"}`, `{"query": "bermy moved"}`, `{"query": "kebra"}`,
	},
	"search":        {`{"query": NAME}`, `{"query": "ground"}`, `{"query": "tag:zebra"}`, `{"query": "zepelin"}`},
	"fetch":         {`{"id": NAME}`, `{"id": "Ground"}`},
	"find_related":  {`{"id": NAME}`, `{"id": "Decision"}`},
	"memory_link":   {`{"from": NAME, "to": "Decision", "type": "causes"}`, `{"from": "Decision", "to": NAME, "type": "causes"}`},
	"memory_unlink": {`{"from": NAME, "to": "Decision", "type": "causes"}`},
	"memory_verify": {`{"id": NAME}`},
	"memory_replay": {`{}`, `{"session": "last", "also": true}`},
	"memory_tidy":   {`{}`, `{"namespace": "theirs"}`, `{"propose": ["same", "link"], "limit": 1}`, `{"accept": ["same-0123456789"]}`},
	"memory_path":   {`{"from_id": NAME, "to_id": "Decision"}`, `{"from_id": "Decision", "to_id": NAME}`},
	"expand": {
		`{"seed_doc_ids": [NAME], "hops": 5}`, `{"seed_doc_ids": ["Decision"], "hops": 5, "include_superseded": true}`,
	},
	"get_neighborhood": {`{"id": NAME}`, `{"path": NAME}`, `{"id": "Decision", "depth": 5, "include_superseded": true}`},
	"memory_history":   {`{"id": NAME}`, `{"id": "Ground"}`},
	"memory_trace":     {`{"id": NAME}`, `{"id": "Decision"}`, `{"id": "Newer ground", "direction": "downstream"}`},
	"graph_overview":   {`{}`, `{"namespace": "theirs"}`, `{"as_of": "now"}`, `{"known_at": "2999"}`, `{"as_of": "now", "namespace": "theirs"}`},

	"vault_import": {`{"name": NAME}`, `{}`, `{"dry_run": true}`},
	"list_notes": {
		`{}`, `{"vault": NAME}`, `{"under": NAME}`, `{"under": "zebras"}`, `{"tags": ["zebra"]}`, `{"properties": {"zebra": 1}}`, `{"limit": 1}`,
	},
	"read_note":       {`{"path": NAME}`, `{"path": "twin"}`, `{"path": "note.md", "vault": NAME}`, `{"path": "obsidian-fs://zebravault/twin.md"}`},
	"get_headings":    {`{"path": NAME}`, `{"path": "twin"}`, `{"path": "note.md", "vault": NAME}`},
	"get_frontmatter": {`{"path": NAME}`, `{"path": "twin"}`, `{"path": "note.md", "vault": NAME}`},
	"get_tags":        {`{}`, `{"tag": "zebra"}`, `{"vault": NAME}`},
	"get_backlinks":   {`{"path": NAME}`, `{"path": "twin"}`, `{"path": "note.md", "vault": NAME}`, `{"path": "obsidian-fs://zebravault/twin.md"}`},
	"check_vault":     {`{}`, `{"name": NAME}`},

	"code_outline": {`{"id": NAME}`, `{"path": NAME}`, `{"path": "q/twin.go"}`, `{"id": "q.Twin"}`, `{"id": "code://zebrarepo"}`},
	"code_read":    {`{"id": NAME}`, `{"path": NAME}`, `{"path": "q/twin.go"}`, `{"id": "q.Twin"}`, `{"id": "code://zebrarepo/q#Twin"}`},
	"code_patch": {
		`{"id": NAME, "find": "Twin", "replace": "x"}`, `{"path": NAME, "find": "Twin", "replace": "x"}`, `{"path": "q/twin.go", "find": "Twin", "replace": "Two"}`,
		`{"id": "code://zebrarepo/q#Twin", "find": "Twin", "replace": "x"}`,
	},
	"code_test": {`{"suite": NAME}`, `{"suite": "zebrarepo"}`, `{"suite": "nobody"}`},

	"create_note": {`{"path": "new", "vault": NAME}`, `{"path": "obsidian-fs://zebravault/new"}`},
	"update_note": {
		`{"path": NAME, "mode": "replace", "content": "x", "dry_run": true}`, `{"path": "twin", "mode": "append", "content": "x", "dry_run": true}`, `{"path": "note", "vault": NAME, "mode": "replace", "content": "x"}`,
		`{"path": "obsidian-fs://zebravault/twin.md", "mode": "replace", "content": "x"}`,
	},
	"set_frontmatter": {`{"path": NAME, "set": {"k": 1}, "dry_run": true}`, `{"path": "twin", "vault": NAME, "remove": ["zebra"]}`},
	"move_note": {
		`{"from_path": NAME, "to_path": "x", "dry_run": true}`, `{"from_path": "twin", "to_path": NAME, "dry_run": true}`, `{"from_path": "note", "to_path": "obsidian-fs://zebravault/x"}`,
		`{"from_path": "note", "to_path": "x", "vault": NAME}`,
	},
}

// The answers to a confined caller do not depend on memories of others in the same file:
// not in a title, not in a count.
func TestConfined_EveryTool(t *testing.T) {
	dbtest.SkipUnderRace(t)
	n := newNeighbours(t)
	n.checkEveryTool(t)
	if n := dbtest.Count(t, n.shared, `select count(*) from memories where namespace = 'theirs' and revision = 1 and status <> 'forgotten' and origin <> 'code'`); n != 12 {
		t.Errorf("%d of the 12 memories of others are as they were", n)
	}
	if n := dbtest.Count(t, n.shared, `select count(*) from edges e join memories m on m.key = e.from_key where m.namespace = 'theirs' and e.kind <> 'mentions' and e.origin <> 'code'`); n != 2 {
		t.Errorf("others have %d edges, want 2", n)
	}
}

func (n neighbours) checkEveryTool(t *testing.T) {
	t.Helper()
	alone, shared := meetAs(t, n.alone, confined), meetAs(t, n.shared, confined)
	// An id begins with its time, a minute long the same: so one of theirs may name a single memory of ours, which
	// the calls would then change.
	theirs := slices.DeleteFunc(slices.Clone(n.theirs), func(name string) bool {
		return dbtest.Count(t, n.alone, `select count(*) from memories where id like ? || '%'`, name) == 1
	})
	for _, tool := range All() {
		if len(calls[tool.Name]) == 0 {
			t.Errorf("no call tries %s", tool.Name)
		}
		for _, c := range calls[tool.Name] {
			for i, name := range theirs {
				if i > 0 && !strings.Contains(c, "NAME") {
					break
				}
				arguments := strings.ReplaceAll(c, "NAME", quote(t, name))
				want, got := said(t, alone, tool.Name, arguments), said(t, shared, tool.Name, arguments)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %s tells of others (-without them +with them):\n%s", tool.Name, arguments, diff)
				}
			}
		}
	}
}

func serverAs(t *testing.T, d *db.DB, c ref.Caller) *server.MCPServer {
	t.Helper()
	s, err := New(d, c, Options{Toolsets: Toolsets(), VaultWrite: true, CodeWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func said(t *testing.T, a *agent, tool, arguments string) string {
	t.Helper()
	r := a.ask(tool, arguments)
	return fmt.Sprint(r.IsError, text(t, r), string(structured(t, r)))
}

func TestConfined_ResourcesPromptsCompletion(t *testing.T) {
	n := newNeighbours(t)
	asked := []string{
		request(1, "resources/list", `{}`), request(1, "resources/read", `{"uri": "hence://overview"}`),
		request(1, "prompts/get", `{"name": "brief", "arguments": {"about": "zebra ground"}}`),
		request(1, "resources/read", `{"uri": "hence://note/zebravault/zebra.md"}`),
	}
	for _, argument := range []string{"id", "vault", "path"} {
		for _, value := range []string{"", "z", "zebra", "D"} {
			asked = append(asked, request(1, "completion/complete", fmt.Sprintf(
				`{"ref": {"type": "ref/resource", "uri": "hence://memory/{id}"}, "argument": {"name": %q, "value": %q}}`, argument, value)))
		}
	}
	for _, name := range n.theirs {
		asked = append(asked, request(1, "resources/read", `{"uri": `+quote(t, "hence://memory/"+strings.ReplaceAll(name, " ", "%20"))+`}`))
	}
	alone, shared := serverAs(t, n.alone, confined), serverAs(t, n.shared, confined)
	for _, line := range asked {
		want, got := handled(t, alone, line), handled(t, shared, line)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s tells of others (-without them +with them):\n%s", line, diff)
		}
	}
	if got := handled(t, shared, asked[0]); !strings.Contains(got, overviewURI) {
		t.Errorf("resources: %s", got)
	}
}

// A caller that is not confined sees all memories, which shows that the tests above could
// fail.
func TestConfined_OthersSeeIt(t *testing.T) {
	n := newNeighbours(t)
	everyone := ref.Caller{Actor: "claude", Origin: "agent"}
	a, s := meetAs(t, n.shared, everyone), serverAs(t, n.shared, everyone)
	if got := said(t, a, "memory_list", `{}`); !strings.Contains(got, "Zebra decision") {
		t.Errorf("memory_list: %s", got)
	}
	if got := said(t, a, "memory_search", `{"query": "zepelin"}`); !strings.Contains(got, "looked for zeppelin") {
		t.Errorf("memory_search: %s", got)
	}
	for _, line := range []string{
		request(1, "completion/complete", `{"ref": {"type": "ref/resource", "uri": "hence://memory/{id}"}, "argument": {"name": "id", "value": "zEb"}}`),
		request(1, "completion/complete", `{"ref": {"type": "ref/resource", "uri": "x"}, "argument": {"name": "vault", "value": "z"}}`),
		request(1, "completion/complete", `{"ref": {"type": "ref/resource", "uri": "x"}, "argument": {"name": "path", "value": "BRA"}, "context": {"arguments": {"vault": "zebravault"}}}`),
		request(1, "resources/read", `{"uri": "hence://note/zebravault/zebra.md"}`),
		request(1, "resources/read", `{"uri": "hence://memory/Zebra%20decision"}`),
		request(1, "prompts/get", `{"name": "brief"}`),
	} {
		if got := handled(t, s, line); !strings.Contains(strings.ToLower(got), "zebra") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

func handled(t *testing.T, s *server.MCPServer, line string) string {
	t.Helper()
	answer, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(line)))
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}
