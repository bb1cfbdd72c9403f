package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

var update = flag.Bool("update", false, "rewrite testdata/schemas")

// listed returns tools/list as a client gets it, byte for byte, from a store that holds a
// vault.
func listed(t *testing.T, o Options) (tools []json.RawMessage, size int) {
	t.Helper()
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `insert into mirrors (name, root, extraction, imported_at) values ('v', '/v', 1, '2026-01-01T00:00:00Z')`)
	return listedOf(t, d, o)
}

// listedOf returns tools/list from a store.
func listedOf(t *testing.T, d *db.DB, o Options) (tools []json.RawMessage, size int) {
	t.Helper()
	s, err := New(d, caller, o)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	if err != nil {
		t.Fatal(err)
	}
	var message struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &message); err != nil {
		t.Fatal(err)
	}
	return message.Result.Tools, len(answer)
}

func toolNames(t *testing.T, o Options) []string {
	t.Helper()
	raw, _ := listed(t, o)
	names := []string{}
	for _, r := range raw {
		var tool mcp.Tool
		if err := json.Unmarshal(r, &tool); err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

func TestSchemas_Golden(t *testing.T) {
	raw, _ := listed(t, Options{VaultWrite: true})
	ofCode, _ := listedOf(t, withCode(t), Options{Toolsets: []string{CodeSet}, CodeWrite: true})
	ofConnectors, _ := listed(t, Options{Toolsets: []string{ConnectorSet}})
	raw = slices.Concat(raw, ofCode, ofConnectors)
	folder := filepath.Join("testdata", "schemas")
	wanted := map[string]bool{}
	for _, r := range raw {
		var tool struct{ Name string }
		if err := json.Unmarshal(r, &tool); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := json.Indent(&got, r, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		path := filepath.Join(folder, tool.Name+".json")
		wanted[path] = true
		if *update {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; run go test ./tools -update", err)
			continue
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
			t.Errorf("%s has changed; if that is meant, run go test ./tools -update (-want +got):\n%s", tool.Name, diff)
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !wanted[f] {
			t.Errorf("%s is of a tool that is gone; remove it", f)
		}
	}
}

// The tools for code are offered only where there is a repository.
func TestSchemas_SizeOfCode(t *testing.T) {
	const under = 1200 // tokens
	if _, size := listedOf(t, withCode(t), Options{Toolsets: []string{CodeSet}, CodeWrite: true}); (size+3)/4 > under {
		t.Errorf("the tools for code cost %d tokens, and must not cost more than %d", (size+3)/4, under)
	}
}

// The list of tools stays within a limit, because a client pays for it in every
// conversation.
func TestSchemas_Size(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		under   int // tokens
	}{
		"WithoutNotes": {Options{Toolsets: []string{MemorySet, GraphSet}}, 6120},
		"All":          {Options{}, 7620},
		"NotesWritten": {Options{VaultWrite: true}, 8470},
	} {
		t.Run(name, func(t *testing.T) {
			raw, size := listed(t, c.options)
			tokens := (size + 3) / 4
			t.Logf("tools/list: %d tools, %d bytes, %d tokens", len(raw), size, tokens)
			for _, r := range raw {
				var tool struct {
					Name                      string
					InputSchema, OutputSchema json.RawMessage
				}
				if err := json.Unmarshal(r, &tool); err != nil {
					t.Fatal(err)
				}
				t.Logf("%-18s %5d bytes: input %d, output %d", tool.Name, len(r), len(tool.InputSchema), len(tool.OutputSchema))
			}
			if tokens >= c.under {
				t.Errorf("tools/list costs %d tokens, and must stay under %d", tokens, c.under)
			}
		})
	}
}

// Rules for every tool.
func TestSchemas_AllTools(t *testing.T) {
	for _, tool := range All() {
		t.Run(tool.Name, func(t *testing.T) {
			if tool.Title == "" || tool.Title == tool.Name {
				t.Errorf("the title is %q", tool.Title)
			}
			if n := len(tool.Description); n < 40 || n > 600 {
				t.Errorf("a description of %d bytes", n)
			}
			if !slices.Contains(Toolsets(), tool.Toolset) {
				t.Errorf("the toolset is %q", tool.Toolset)
			}
			if h := tool.Hints; h.ReadOnly && (h.Destructive || !h.Idempotent) {
				t.Errorf("it only reads, and yet %+v", h)
			}
			hints := (&clientTools{}).serve(tool).Tool.Annotations
			if hints.ReadOnlyHint == nil || hints.DestructiveHint == nil || hints.IdempotentHint == nil || hints.OpenWorldHint == nil || *hints.OpenWorldHint != (tool.Name == "code_test") {
				t.Errorf("hints: %+v", hints)
			}
			input := checkSchema(t, tool.Input)
			if input.AdditionalProperties == nil || !bytes.Equal(input.AdditionalProperties, []byte("false")) {
				t.Errorf("the input is open: %s", input.AdditionalProperties)
			}
			checkSchema(t, tool.Output)
		})
	}
}

type schema struct {
	Type                 string
	Properties           map[string]json.RawMessage
	AnyOf, OneOf, AllOf  []json.RawMessage
	AdditionalProperties json.RawMessage
}

// checkSchema checks that clients can read a schema: it is an object with properties, each
// an object of one type, and null is not among the types.
func checkSchema(t *testing.T, raw json.RawMessage) schema {
	t.Helper()
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != "object" || len(s.Properties) == 0 || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil {
		t.Errorf("not a plain object: %s", raw)
	}
	for name, p := range s.Properties {
		var property struct{ Type string }
		if err := json.Unmarshal(p, &property); err != nil || property.Type == "" {
			t.Errorf("%s has no one type: %s", name, p)
		}
	}
	if bytes.Contains(raw, []byte(`"null"`)) {
		t.Errorf("null among the types: %s", raw)
	}
	return s
}

func TestNew_Toolsets(t *testing.T) {
	memoryTools := []string{
		"find_related", "memory_brief", "memory_checkpoint", "memory_forget", "memory_get", "memory_link", "memory_list", "memory_replay", "memory_restore",
		"memory_search", "memory_store", "memory_tidy", "memory_unlink", "memory_update", "memory_verify",
	}
	graphTools := []string{"expand", "get_neighborhood", "graph_overview", "memory_history", "memory_path", "memory_trace"}
	notesRead := []string{"check_vault", "get_backlinks", "get_frontmatter", "get_headings", "get_tags", "list_notes", "read_note"}
	notes := append(notesRead, "vault_import")
	for name, c := range map[string]struct {
		options Options
		want    []string
	}{
		"All":        {Options{}, slices.Sorted(slices.Values(slices.Concat(memoryTools, graphTools, notes)))},
		"Memory":     {Options{Toolsets: []string{"memory"}}, memoryTools},
		"Graph":      {Options{Toolsets: []string{"graph"}}, graphTools},
		"ReadOnly":   {Options{Toolsets: []string{"memory"}, ReadOnly: true}, []string{"find_related", "memory_brief", "memory_get", "memory_list", "memory_replay", "memory_search"}},
		"GraphReads": {Options{Toolsets: []string{"graph"}, ReadOnly: true}, graphTools},
		"Vault":      {Options{Toolsets: []string{"vault"}}, notes},
		"Connector":  {Options{Toolsets: []string{"connector"}}, []string{"fetch", "search"}},
		"VaultReads": {Options{Toolsets: []string{"vault"}, ReadOnly: true, VaultWrite: true}, notesRead},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, toolNames(t, c.options)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("NoVault", func(t *testing.T) {
		s, err := New(dbtest.New(t), caller, Options{Toolsets: []string{"graph", "vault"}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(graphTools, slices.Sorted(maps.Keys(s.ListTools()))); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
	})
	t.Run("ErrUnknown", func(t *testing.T) {
		_, err := New(dbtest.New(t), caller, Options{Toolsets: []string{"memory", "vualt"}})
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), `"vualt"`) {
			t.Errorf("error: %v", err)
		}
	})
}

// The instructions name every type of edge and its meaning.
func TestInstructions(t *testing.T) {
	said := Instructions(true, false, true)
	if strings.Contains(Instructions(false, true, false), "read_note") || !strings.Contains(said, "read_note") {
		t.Errorf("the instructions speak of notes where there are none, or do not where there are:\n%s", said)
	}
	if without := Instructions(true, false, false); strings.Contains(without, "code_read") || strings.Contains(without, "calls:") || !strings.Contains(said, "code_read") {
		t.Errorf("the instructions speak of code where there is none, or do not where there is:\n%s", said)
	}
	if strings.Contains(Instructions(true, true, false), "vault_import") || !strings.Contains(said, "vault_import") {
		t.Error("the instructions ask for an import where there is no need, or do not where there is")
	}
	for _, k := range edges.Kinds() {
		if want := "- " + string(k) + ": " + k.Reads(); !strings.Contains(said, want) {
			t.Errorf("the instructions lack %q", want)
		}
	}
	if n := len(said); n > 2400 {
		t.Errorf("the instructions have %d bytes, and every conversation pays for them", n)
	}
}

// go.mod puts Hence's own package in the place of the one by which mcp-go validates arguments.
func TestWhereMCPGoValidates_ItIsByTheSchema(t *testing.T) {
	s := server.NewMCPServer("test", "1", server.WithInputSchemaValidation())
	schema := `{"type": "object", "properties": {"hops": {"type": "integer", "maximum": 5}}, "required": ["hops"], "additionalProperties": false}`
	s.AddTool(mcp.NewToolWithRawSchema("walk", "", json.RawMessage(schema)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("walked"), nil
	})
	a := greet(t, s)
	for arguments, wanted := range map[string]string{
		`{"hops": 3}`:           "walked",
		`{"hops": 9}`:           "maximum",
		`{"hops": "many"}`:      "type",
		`{}`:                    "hops",
		`{"hops": 3, "far": 1}`: "far",
	} {
		said := a.ask("walk", arguments).Content[0].(mcp.TextContent).Text
		if !strings.Contains(said, wanted) || strings.HasPrefix(said, "input schema validation failed: ") != (wanted != "walked") {
			t.Errorf("%s: %s", arguments, said)
		}
	}
}
