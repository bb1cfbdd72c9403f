package tools

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/code"
	codereading "hence/code/reading"
	"hence/code/suite"
	codewriting "hence/code/writing"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/briefing"
	"hence/memory/recall"
	"hence/projection"
)

// attachCode imports a repository, and gives tools all permissions for it.
func attachCode(t *testing.T, d *db.DB, name, namespace string, files map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), name)
	for path, text := range files {
		put(t, dir, path, text)
	}
	person := ref.Caller{Actor: "person", Origin: "person"}
	if _, err := (code.Importer{DB: d, Caller: person}).Mirror().Import(t.Context(), projection.ImportArgs{Dir: dir, Name: name, Namespace: namespace}); err != nil {
		t.Fatal(err)
	}
	w := codewriting.New(ref.View{DB: d, Caller: person})
	if err := w.AllowPatch(t.Context(), name, true); err != nil {
		t.Fatal(err)
	}
	letErase(t, d)
	print := suite.Suite{Name: name, Arguments: []string{"sh", "-c", `i=0; while [ $i -lt 200 ]; do echo "--- FAIL: TestNumber$i of $1"; i=$((i+1)); done`, "sh", "{run:all}"}, TimeoutS: 60}
	if err := w.AllowSuite(t.Context(), name, print); err != nil {
		t.Fatal(err)
	}
	return dir
}

// letErase allows agents to erase.
func letErase(t *testing.T, d *db.DB) {
	t.Helper()
	records, err := permit.Of(t.Context(), d, d)
	if err == nil {
		err = records.LetErase(true)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// withCode returns a store with a small repository.
func withCode(t *testing.T) *db.DB {
	t.Helper()
	d := dbtest.New(t)
	attachCode(t, d, "repo", "", map[string]string{"go.mod": "module example.com/repo\n", "queue/queue.go": queueCode})
	return d
}

const queueCode = `package queue

// Drain empties the queue.
func Drain() int { return once(1) }

func once(n int) int { return n + 1 }
`

// A conversation about code: an agent finds a symbol, decides on it, sees what a change
// would break, makes it, and runs the tests.
func TestCode_Conversation(t *testing.T) {
	d := dbtest.New(t)
	dir := attachCode(t, d, "repo", "", map[string]string{"go.mod": "module example.com/repo\n", "queue/queue.go": queueCode})
	a := meet(t, d, Options{CodeWrite: true})
	outline, said := get[codereading.OutlineResult](a, "code_outline", `{"path": "queue/queue.go"}`)
	if len(outline.Symbols) != 2 || outline.Symbols[1].Callers != 1 || !strings.Contains(said, "queue.once") || !strings.Contains(said, ref.ShortID(outline.Symbols[1].ID)) {
		t.Errorf("%+v\n%s", outline, said)
	}
	get[memory.StoreResult](a, "memory_store", `{"title": "One pass", "content": "One pass is enough.", "kind": "decision", "links": [{"to": "queue.once", "type": "depends-on"}]}`)
	read, said := get[codereading.ReadResult](a, "code_read", `{"id": "queue.once"}`)
	if !strings.Contains(said, "6\tfunc once") || !strings.Contains(said, read.ContentHash) {
		t.Errorf("%+v\n%s", read, said)
	}
	dry, said := get[codewriting.PatchResult](a, "code_patch", `{"id": "queue.once", "find": "n + 1", "replace": "n + 2"}`)
	if !dry.DryRun || len(dry.WouldBeStale) != 1 || !strings.Contains(said, "would be stale") || !strings.Contains(said, "One pass") {
		t.Errorf("%+v\n%s", dry, said)
	}
	patched, said := get[codewriting.PatchResult](a, "code_patch", `{"id": "queue.once", "find": "n + 1", "replace": "n + 2", "dry_run": false, "expected_content_hash": "`+read.ContentHash+`"}`)
	if patched.DryRun || !strings.Contains(said, "tale now:") {
		t.Errorf("%+v\n%s", patched, said)
	}
	opened, said := get[memory.GetResult](a, "memory_get", `{"id": "One pass"}`)
	if len(opened.Memories) != 1 || len(opened.Memories[0].Stale) != 1 || opened.Memories[0].Stale[0].Reason != "changed" {
		t.Errorf("%+v\n%s", opened, said)
	}
	if r, said := get[suite.Result](a, "code_test", `{"suite": "repo"}`); len(r.Failures) == 0 || !strings.Contains(said, "TestNumber3") {
		t.Errorf("%+v\n%s", r, said)
	}
	put(t, dir, "queue/queue.go", "package queue\n")
	if e := a.refused("code_read", `{"id": "queue.once"}`); e.Code != string(fault.NotFound) {
		t.Errorf("a symbol that is gone: %+v", e)
	}
}

// The tools code_patch and code_test are offered only if a person gave the permission, and
// never by a server without CodeWrite.
func TestCode_IsOfferedAsAllowed(t *testing.T) {
	d := dbtest.New(t)
	names := func(o Options) string {
		t.Helper()
		all := []string{}
		s, err := New(d, caller, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(s.ListTools())) {
			if strings.HasPrefix(name, "code_") {
				all = append(all, strings.TrimPrefix(name, "code_"))
			}
		}
		return strings.Join(all, " ")
	}
	all := Options{CodeWrite: true}
	if got := names(all); got != "" {
		t.Errorf("without a repository: %s", got)
	}
	d = withCode(t)
	w := codewriting.New(ref.View{DB: d, Caller: caller})
	for _, c := range []struct {
		options Options
		want    string
	}{
		{all, "outline patch read test"}, {Options{}, "outline read"}, {Options{CodeWrite: true, ReadOnly: true}, "outline read"}, {Options{Toolsets: []string{MemorySet}, CodeWrite: true}, ""},
	} {
		if got := names(c.options); got != c.want {
			t.Errorf("%+v: %s, want %s", c.options, got, c.want)
		}
	}
	if err := w.AllowPatch(t.Context(), "repo", false); err != nil {
		t.Fatal(err)
	}
	if got := names(all); got != "outline read test" {
		t.Errorf("without patches: %s", got)
	}
	if err := w.ForbidSuite(t.Context(), "repo", "repo"); err != nil {
		t.Fatal(err)
	}
	if got := names(all); got != "outline read" {
		t.Errorf("without suites: %s", got)
	}
}

// A search shows code below the rest where nothing else matches or the question names code; else
// it says how much there is.
func TestSearchShowsCodeBelowTheRest(t *testing.T) {
	d := withCode(t)
	dbtest.Fill(t, d, db.S(`delete from embedders`)) // nothing is near in meaning
	a := meet(t, d, Options{})
	get[memory.StoreResult](a, "memory_store", `{"content": "The harbour has piers, and ships drain it."}`)
	for _, c := range []struct {
		arguments, rows string // the kinds of the rows
		more            bool
	}{
		{`{"query": "empties the queue"}`, "code", false}, // nothing else matches
		{`{"query": "path:queue/"}`, "code", false},       // nor passes the filter
		{`{"query": "Drain"}`, "fact code", false},        // the name of a symbol
		{`{"query": "drain"}`, "fact", true},              // not so written
		{`{"query": "why do ships call Drain()"}`, "fact code", false},
		{`{"query": "ships queue.Drain"}`, "fact code", false},
		{`{"query": "drain the harbour"}`, "fact", true}, // no name of code
		{`{"query": "drain harbour", "limit": 1}`, "fact", true},
		{`{"query": "drain", "kinds": ["fact"]}`, "fact", false},
		{`{"query": "drain kind:fact"}`, "fact", false},
		{`{"query": "drain", "kinds": ["code"]}`, "code", false},
		{`{"query": "harbour"}`, "fact", false},
		{`{"query": "zeppelin"}`, "", false},
	} {
		result, said := get[recall.SearchResult](a, "memory_search", c.arguments)
		kinds := []string{}
		for _, f := range result.Results {
			if len(kinds) == 0 || kinds[len(kinds)-1] != f.Kind {
				kinds = append(kinds, f.Kind)
			}
		}
		if got := strings.Join(kinds, " "); got != c.rows || strings.Contains(said, `more in code: kinds: ["code"]`) != c.more {
			t.Errorf("%s shows %q; want %q and more %v: %s", c.arguments, got, c.rows, c.more, said)
		}
		if result.TotalCount < len(result.Results) || result.ReturnedCount != len(result.Results) {
			t.Errorf("%s: %d of %d", c.arguments, result.ReturnedCount, result.TotalCount)
		}
	}
	result, said := get[recall.SearchResult](a, "memory_search", `{"query": "harbour drain queue", "limit": 2}`)
	all, _ := get[recall.SearchResult](a, "memory_search", `{"query": "harbour drain queue", "kinds": ["code"], "graph": false}`)
	if want := fmt.Sprintf(`%d more in code: kinds: ["code"]`, all.TotalCount); !strings.Contains(said, want) || all.TotalCount == 0 {
		t.Errorf("%+v: %s; want %s", result.Results, said, want)
	}
}

// A briefing says which code there is, in a store that remembers nothing else too.
func TestBriefingNamesTheCode(t *testing.T) {
	a := meet(t, withCode(t), Options{})
	result, said := get[briefing.Result](a, "memory_brief", `{}`)
	if len(result.Code) != 1 || result.Code[0].Repository != "repo" || result.Code[0].Symbols == 0 || result.Code[0].Files == 0 || !strings.Contains(said, `Code: "repo" (`) {
		t.Errorf("%+v: %s", result.Code, said)
	}
	if _, again := get[briefing.Result](a, "memory_brief", `{}`); again != said {
		t.Errorf("it changes: %s", again)
	}
	if _, said := get[briefing.Result](a, "memory_brief", `{"token_budget": 64}`); len(said) > 4*64 {
		t.Errorf("%d bytes: %s", len(said), said)
	}
}
