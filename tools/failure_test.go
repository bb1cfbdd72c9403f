package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

type nothing struct {
	Word string `json:"word,omitempty"`
}

// callResult returns the result of a tool whose call runs the given function.
func callResult(t *testing.T, log *slog.Logger, call func(context.Context, nothing) (nothing, error)) *mcp.CallToolResult {
	t.Helper()
	tool := Question("a_tool", Hints{}, call)
	result, err := (&clientTools{options: Options{Log: log}}).serve(tool).Handler(t.Context(), mcp.CallToolRequest{})
	if err != nil {
		t.Fatalf("a protocol error: %v", err)
	}
	return result
}

func TestFailure_EveryCode(t *testing.T) {
	for _, code := range fault.Codes() {
		t.Run(string(code), func(t *testing.T) {
			var logged bytes.Buffer
			err := fmt.Errorf("calling: %w", fault.Wrap(code, errors.New("select secret from t"), "the call failed").With("current", "x"))
			result := callResult(t, slog.New(slog.NewTextHandler(&logged, nil)), func(context.Context, nothing) (nothing, error) {
				return nothing{}, err
			})
			want := map[string]any{
				"code": string(code), "message": err.Error(), "details": map[string]any{"current": "x"},
			}
			if code == fault.Internal {
				want = map[string]any{"code": "internal", "message": "a_tool failed inside Hence; the server's log says why"}
			}
			var got map[string]any
			if err := json.Unmarshal(structured(t, result), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"error": want}, got); diff != "" || !result.IsError {
				t.Errorf("isError %v, error (-want +got):\n%s", result.IsError, diff)
			}
			if said := text(t, result); said != want["message"] {
				t.Errorf("the text is %q", said)
			}
			if isLogged := strings.Contains(logged.String(), "secret") && strings.Contains(logged.String(), "a_tool"); isLogged != (code == fault.Internal) {
				t.Errorf("the log has %q", logged.String())
			}
		})
	}
}

func TestFailure_UnknownErrorAndPanic(t *testing.T) {
	for name, call := range map[string]func(context.Context, nothing) (nothing, error){
		"Error": func(context.Context, nothing) (nothing, error) { return nothing{}, errors.New("secret") },
		"Panic": func(context.Context, nothing) (nothing, error) { panic("secret") },
		"Nil":   func(context.Context, nothing) (n nothing, err error) { var p *nothing; return *p, nil },
	} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			result := callResult(t, slog.New(slog.NewTextHandler(&logged, nil)), call)
			if got := string(structured(t, result)); !strings.Contains(got, `"code":"internal"`) || strings.Contains(got, "secret") {
				t.Errorf("structured: %s", got)
			}
			if !strings.Contains(logged.String(), "a_tool") {
				t.Errorf("the log has %q", logged.String())
			}
		})
	}
}

// Mistakes of an agent, by the code of the error.
func TestFailure_Calls(t *testing.T) {
	a := newAgent(t)
	one, _ := get[memory.StoreResult](a, "memory_store", `{"title": "One", "content": "the first"}`)
	get[memory.StoreResult](a, "memory_store", `{"title": "Two", "content": "the second", "supersedes": ["One"]}`)
	get[memory.StoreResult](a, "memory_store", `{"title": "Twin", "content": "a"}`)
	get[memory.StoreResult](a, "memory_store", `{"title": "Twin", "content": "b"}`)
	for _, c := range []struct {
		name, tool, arguments string
		code                  fault.Code
		says                  string
	}{
		{"Missing", "memory_search", `{}`, fault.InvalidArgument, "memory_search: query is missing"},
		{"NoArguments", "memory_search", ``, fault.InvalidArgument, "query is missing"},
		{"Null", "memory_search", `null`, fault.InvalidArgument, "query is missing"},
		{"NullRequired", "memory_search", `{"query": null}`, fault.InvalidArgument, "query is missing"},
		{"NotAnObject", "memory_search", `["x"]`, fault.InvalidArgument, "the call is of type array, and must be object"},
		{"AString", "memory_search", `"x"`, fault.InvalidArgument, "must be object"},
		{"Unknown", "memory_search", `{"query": "x", "lmit": 3}`, fault.InvalidArgument, `there is no argument "lmit"; the arguments are query, mode`},
		{"Case", "memory_search", `{"query": "x", "Limit": 3}`, fault.InvalidArgument, `there is no argument "Limit"`},
		{"Type", "memory_search", `{"query": 3}`, fault.InvalidArgument, "query is of type number, and must be string"},
		{"Fraction", "memory_search", `{"query": "x", "limit": 2.5}`, fault.InvalidArgument, "limit is of type number, and must be integer"},
		{"Zero", "memory_search", `{"query": "x", "limit": 0}`, fault.InvalidArgument, "limit is 0, and must be at least 1 and at most 100"},
		{"Max", "memory_search", `{"query": "x", "limit": 101}`, fault.InvalidArgument, "limit is 101, and must be at least 1 and at most 100"},
		{"Huge", "memory_search", `{"query": "x", "limit": 1e99}`, fault.InvalidArgument, "limit is 1e99, and must be at least 1 and at most 100"},
		{"HugeUnbounded", "memory_update", `{"id": "One", "expected_revision": 1e99}`, fault.InvalidArgument, "expected_revision is 1e99, and must be a whole number of 64 bits"},
		{"Enum", "memory_search", `{"query": "x", "mode": "magic"}`, fault.InvalidArgument, `mode is "magic", and must be one of hybrid, keyword, semantic`},
		{"BlankQuery", "memory_search", `{"query": "  "}`, fault.InvalidArgument, "search: the query has nothing to look for"},
		{"PunctuationAlone", "memory_search", `{"query": "*", "tags": ["x"]}`, fault.InvalidArgument, "search: the query has nothing to look for"},
		{"PathOfNumbers", "memory_search", `{"query": "x", "path_prefix": [1]}`, fault.InvalidArgument, "path_prefix[0] is of type number"},
		{"Above", "memory_link", `{"from": "One", "to": "Two", "type": "causes", "weight": 0}`, fault.InvalidArgument, "weight is 0, and must be above 0 and at most 1"},
		{"Several", "memory_search", `{"limit": 101, "mode": "x"}`, fault.InvalidArgument, "limit is 101, and must be at least 1 and at most 100; mode is"},
		{"Empty", "expand", `{"seed_doc_ids": [], "hops": 1}`, fault.InvalidArgument, "seed_doc_ids is empty"},
		{"NestedType", "expand", `{"seed_doc_ids": [1], "hops": 1}`, fault.InvalidArgument, "seed_doc_ids[0] is of type number"},
		{"NestedUnknown", "memory_store", `{"content": "x", "links": [{"type": "causes", "two": "One"}]}`, fault.InvalidArgument, `links[0] has no field "two"`},
		{"NestedMissing", "memory_store", `{"content": "x", "links": [{"to": "One"}]}`, fault.InvalidArgument, "links[0].type is missing"},
		{"EdgeType", "memory_link", `{"from": "One", "to": "Two", "type": "likes"}`, fault.InvalidArgument, "supersedes, causes"},
		{"SelfEdge", "memory_link", `{"from": "One", "to": "One", "type": "causes"}`, fault.InvalidArgument, "both ends"},
		{"Time", "memory_path", `{"from_id": "One", "to_id": "Two", "as_of": "2026-02-30T00:00:00Z"}`, fault.InvalidArgument, "as_of"},
		{"Blank", "memory_store", `{"content": " "}`, fault.InvalidArgument, "content"},
		{"EmptyTitle", "memory_store", `{"content": "x", "title": ""}`, fault.InvalidArgument, "title"},
		{"NotFound", "memory_update", `{"id": "Onee", "title": "x"}`, fault.NotFound, "near titles: One"},
		{"Ambiguous", "memory_history", `{"id": "Twin"}`, fault.Ambiguous, "several"},
		{"Cycle", "memory_link", `{"from": "One", "to": "Two", "type": "supersedes"}`, fault.Cycle, "cycle"},
		{"SecondSuccessor", "memory_store", `{"content": "x", "supersedes": ["One"]}`, fault.Conflict, "Two"},
		{"NoChange", "memory_update", `{"id": "One"}`, fault.InvalidArgument, "no change is named"},
		{"Revision", "memory_update", `{"id": "One", "title": "x", "expected_revision": 77}`, fault.Conflict, "revision"},
		{"Exists", "memory_store", `{"content": "the second", "dedup": "strict"}`, fault.Exists, "stored already"},
		{"TooLarge", "memory_link", `{"from": "One", "to": "Two", "type": "causes", "note": ` + quote(t, strings.Repeat("x", 5000)) + `}`, fault.TooLarge, "5000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &agent{t: t, client: a.client}
			got := a.refused(c.tool, c.arguments)
			if got.Code != string(c.code) || !strings.Contains(got.Message, c.says) {
				t.Errorf("got %s: %s\nwant %s: … %s …", got.Code, got.Message, c.code, c.says)
			}
			if len(got.Message) > maxError {
				t.Errorf("a message of %d bytes", len(got.Message))
			}
		})
	}
	if got, _ := get[memory.GetResult](a, "memory_get", `{"id": "`+one.Memory.ID+`"}`); got.Memories[0].Content != "the first" || got.Memories[0].Title != "One" {
		t.Errorf("a refused call changed %+v", got.Memories[0])
	}
}

// A list of texts may be given as a single text.
func TestArguments_OneTextForAList(t *testing.T) {
	a := newAgent(t)
	get[memory.StoreResult](a, "memory_store", `{"title": "One", "content": "the first", "tags": "x"}`)
	get[memory.StoreResult](a, "memory_store", `{"title": "Two", "content": "the second"}`)
	for _, list := range []string{`"X"`, `["X"]`} {
		got, said := get[recall.SearchResult](a, "memory_search", `{"query": "the first second", "tags": `+list+`}`)
		if got.TotalCount != 1 || got.Results[0].Title != "One" || !strings.HasPrefix(said, `1 of 1 memory for "the first second"`) {
			t.Errorf("tags %s: %s", list, said)
		}
	}
	if got, _ := get[memory.ListResult](a, "memory_list", `{"kind": "FACT", "tags": "X"}`); got.TotalCount != 1 {
		t.Errorf("memory_list by a kind and a tag in capitals finds %d", got.TotalCount)
	}
	if got, said := get[recall.SearchResult](a, "memory_search", `{"query": "first", "path_prefix": "obsidian-fs://nowhere/"}`); got.TotalCount != 0 || !strings.Contains(said, "warning: no note is under obsidian-fs://nowhere/;") {
		t.Errorf("path_prefix: %s", said)
	}
}

// A memory that contradicts a result is shown with it, in structure and in text, as long as
// both are current.
func TestContradictedBy(t *testing.T) {
	a := newAgent(t)
	one, _ := get[memory.StoreResult](a, "memory_store", `{"title": "Pay later", "content": "guests pay on the quay"}`)
	two, _ := get[memory.StoreResult](a, "memory_store", `{"title": "Pay first", "content": "guests pay at booking", "links": [{"to": "Pay later", "type": "contradicts"}]}`)
	want := map[string][]ref.End{
		one.Memory.ID: {{Named: ref.Named{ID: two.Memory.ID, Title: "Pay first"}, Status: "current"}},
		two.Memory.ID: {{Named: ref.Named{ID: one.Memory.ID, Title: "Pay later"}, Status: "current"}},
	}
	holds := func(want map[string][]ref.End) {
		t.Helper()
		inSearch, inList := map[string][]ref.End{}, map[string][]ref.End{}
		result, searchSaid := get[recall.SearchResult](a, "memory_search", `{"query": "guests pay"}`)
		for _, f := range result.Results {
			inSearch[f.ID] = f.ContradictedBy
		}
		listed, listSaid := get[memory.ListResult](a, "memory_list", `{}`)
		for _, m := range listed.Memories {
			inList[m.ID] = m.ContradictedBy
		}
		if diff := cmp.Diff(want, inSearch); diff != "" {
			t.Errorf("memory_search (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, inList); diff != "" {
			t.Errorf("memory_list (-want +got):\n%s", diff)
		}
		lines := 0
		for _, others := range want {
			for _, e := range others {
				lines++
				line := fmt.Sprintf("contradicted by %q (%s)", e.Title, ref.ShortID(e.ID))
				if !strings.Contains(searchSaid, line) || !strings.Contains(listSaid, line) {
					t.Errorf("%s is not said in\n%s\n%s", line, searchSaid, listSaid)
				}
			}
		}
		if strings.Count(searchSaid, "contradicted by") != lines || strings.Count(listSaid, "contradicted by") != lines {
			t.Errorf("%d contradictions, and the texts say\n%s\n%s", lines, searchSaid, listSaid)
		}
	}
	holds(want)
	if _, said := get[recall.RelatedResult](a, "find_related", `{"id": "Pay later"}`); !strings.Contains(said, `contradicted by "Pay later"`) {
		t.Errorf("find_related says %s", said)
	}
	three, _ := get[memory.StoreResult](a, "memory_store", `{"title": "Pay so", "content": "guests pay on board", "supersedes": ["Pay later"]}`)
	holds(map[string][]ref.End{two.Memory.ID: nil, three.Memory.ID: nil})
}

// A client may show an agent the text alone.
func TestFailure_TextNamesCandidates(t *testing.T) {
	a := newAgent(t)
	want := []string{}
	for _, content := range []string{"a", "b"} {
		twin, _ := get[memory.StoreResult](a, "memory_store", `{"title": "Twin", "content": "`+content+`"}`)
		want = append(want, fmt.Sprintf(`%s is "Twin" (fact, %.10s): %s`, twin.Memory.ID, twin.Memory.CreatedAt, content))
	}
	if got := text(t, a.ask("memory_get", `{"id": "Twin"}`)); !strings.HasSuffix(got, "name one by its id: "+strings.Join(want, "; ")) {
		t.Errorf("%s", got)
	}
}

// A very long word is answered with a short message.
func TestFailure_MessageIsShort(t *testing.T) {
	dbtest.SkipUnderRace(t)
	a := newAgent(t)
	giant := quote(t, strings.Repeat("x", 1<<16))
	for tool, arguments := range map[string]string{
		"memory_search": `{"query": "x", "mode": ` + giant + `}`,
		"memory_list":   `{` + giant + `: 1}`,
		"memory_path":   `{"from_id": ` + giant + `, "to_id": "x"}`,
		"memory_link":   `{"from": "x", "to": "y", "type": ` + giant + `}`,
	} {
		if got := a.refused(tool, arguments); len(got.Message) > maxError {
			t.Errorf("%s: a message of %d bytes", tool, len(got.Message))
		}
	}
}

func TestUnknownToolIsAProtocolError(t *testing.T) {
	a := newAgent(t)
	request := mcp.CallToolRequest{}
	request.Params.Name = "memory_srch"
	if result, err := a.client.CallTool(t.Context(), request); err == nil {
		t.Errorf("got %+v, want a protocol error", result)
	}
}

// A read-only store offers no tool that writes. The others work.
func TestReadOnlyStore(t *testing.T) {
	d := dbtest.New(t)
	get[memory.StoreResult](meet(t, d, Options{}), "memory_store", `{"title": "One", "content": "the first"}`)
	readOnly, err := db.Open(t.Context(), d.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { readOnly.Close() })
	a := meet(t, readOnly, Options{})
	tools, err := a.client.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tools.Tools); n != 12 {
		t.Errorf("%d tools are offered, want 12", n)
	}
	for _, tool := range tools.Tools {
		if !*tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is offered", tool.Name)
		}
	}
	if list, _ := get[memory.ListResult](a, "memory_list", `{}`); list.TotalCount != 1 {
		t.Errorf("list: %+v", list)
	}
	// The store itself refuses a write, even if a tool has the wrong hint.
	for _, tool := range All() {
		if tool.Name != "memory_forget" {
			continue
		}
		if _, err := tool.call(t.Context(), ref.View{DB: readOnly, Caller: caller}, json.RawMessage(`{"id": "One"}`)); fault.CodeOf(err) != fault.ReadOnly {
			t.Errorf("memory_forget on a read-only store: %v", err)
		}
	}
}

// A row that cannot be read is named in every answer that would show it.
func TestAnUnreadableMemoryIsNamed(t *testing.T) {
	d := dbtest.New(t)
	a := meet(t, d, Options{})
	bad, _ := get[memory.StoreResult](a, "memory_store", `{"content":"a ferry"}`)
	get[memory.StoreResult](a, "memory_store", `{"content":"a harbour","title":"Harbour","links":[{"to":"a ferry","type":"depends-on"}]}`)
	dbtest.Script(t, d.Path(), `drop trigger memory_text_changed; update memories set tags = '[1]' where title = 'a ferry'`)
	for _, call := range [][2]string{
		{"memory_list", `{}`}, {"memory_search", `{"query":"ferry"}`}, {"memory_get", `{"id":"a ferry"}`},
		{"expand", `{"seed_doc_ids":["Harbour"],"hops":1}`}, {"memory_trace", `{"id":"Harbour","direction":"upstream"}`}, {"graph_overview", `{}`},
	} {
		if said := a.refused(call[0], call[1]); said.Code != string(fault.Unavailable) || !strings.Contains(said.Message, bad.Memory.ID) {
			t.Errorf("%s: %+v does not name the memory", call[0], said)
		}
	}
}
