//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/cmd/hence/internal/flags"
	"hence/internal/db/dbtest"
	"hence/tools"
)

const (
	toolReference = "../../docs/tools.md"
	toolExamples  = "testdata/docs/tools.txt"
)

// TestTheToolReferenceIsTrue makes docs/tools.md of the schemas that clients get and of the
// calls in testdata/docs/tools.txt, one conversation with a server, and holds the page
// against it. With UPDATE set it writes the page.
func TestTheToolReferenceIsTrue(t *testing.T) {
	dbtest.SkipUnderRace(t)
	t.Parallel()
	before, calls := readCalls(t)
	p := newPerson(t)
	p.must(before)
	page := toolPage(t, p.converses(calls), calls)
	old, err := os.ReadFile(toolReference)
	if err != nil && os.Getenv("UPDATE") == "" {
		t.Fatal(err)
	}
	if (stand{}).gives(string(old), page) {
		return
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(toolReference, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/tools.md is otherwise; UPDATE=1 go test ./cmd/hence -run Reference writes it (-page +now):\n%s",
		cmp.Diff(splitLines(string(old)), splitLines(page)))
}

// toolCall is a call of a tool, as the file of examples and the page write it.
type toolCall struct{ tool, arguments string }

// readCalls reads the file of examples: what a person types before, up to an empty line,
// and then a call a line.
func readCalls(t *testing.T) (before string, calls []toolCall) {
	t.Helper()
	raw, err := os.ReadFile(toolExamples)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(raw), "\n\n")
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" {
			tool, arguments, _ := strings.Cut(line, " ")
			calls = append(calls, toolCall{tool, arguments})
		}
	}
	return before, calls
}

// converses has a conversation over stdio, and returns the text of each answer.
func (p *person) converses(calls []toolCall) (texts []string) {
	p.t.Helper()
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	for i, c := range calls {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", i+1, c.tool, c.arguments)
	}
	if err := os.WriteFile(filepath.Join(p.home, "calls.jsonl"), []byte(in.String()), 0o600); err != nil {
		p.t.Fatal(err)
	}
	out, code := p.types("hence serve --vault-write --no-watch --toolsets memory,graph,vault,code,connector < ~/calls.jsonl 2> ~/log")
	if code != 0 {
		p.t.Fatalf("hence serve exits with %d:\n%s", code, out)
	}
	texts = make([]string, len(calls))
	for line := range strings.Lines(out) {
		var answer struct {
			ID     int
			Error  *struct{ Message string }
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			p.t.Fatalf("%v: %s", err, line)
		}
		if answer.ID == 0 {
			continue
		}
		c := calls[answer.ID-1]
		if answer.Error != nil || answer.Result.IsError || len(answer.Result.Content) != 1 {
			p.t.Fatalf("%s %s: %s", c.tool, c.arguments, line)
		}
		texts[answer.ID-1] = answer.Result.Content[0].Text
	}
	return texts
}

// setsInWords are the toolsets as the page heads them.
var setsInWords = map[string]string{
	tools.MemorySet: "Memory", tools.GraphSet: "Graph",
	tools.VaultSet:     "Notes (where the store has a vault; those that write only with `hence serve --vault-write`)",
	tools.CodeSet:      "Source code (where the store has a repository; changes and tests only where `hence code allow` says so)",
	tools.ConnectorSet: "Connectors (only with `hence serve --toolsets connector`, for clients that want exactly these two: the text is JSON)",
}

func toolPage(t *testing.T, texts []string, calls []toolCall) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(`# Every tool

Made by a test from the schemas that clients get, and from the answers of a server that holds a copy of
[examples/vault](../examples/vault) and a small repository: do not edit it. Where a schema leaves an argument to its name, the words
are those of the command's help. The calls are one conversation, in the order of this page where they build on each other. The page
shows the text of each answer; clients get the same as structured content too.

A memory is named by its id, the last 8 characters of it, its path in a vault, its uri or its title. ` + "`token_budget`" + ` is a hard cap
on an answer, in tokens of 4 bytes; without it an answer has at most 4,000.

`)
	all := tools.All()
	shown := map[int]bool{}
	for _, set := range tools.Toolsets() {
		fmt.Fprintf(&page, "## %s\n\n", setsInWords[set])
		for _, tool := range all {
			if tool.Toolset != set {
				continue
			}
			fmt.Fprintf(&page, "### %s\n\n%s. %s *%s.*\n\n%s", tool.Name, tool.Title, tool.Description, hintsInWords(tool.Hints), argumentTable(t, tool))
			examples := 0
			for i, c := range calls {
				if c.tool == tool.Name {
					page.WriteString(fenced("json", c.arguments) + fenced("text", texts[i]))
					examples, shown[i] = examples+1, true
				}
			}
			if examples == 0 {
				t.Errorf("%s calls %s nowhere", toolExamples, tool.Name)
			}
		}
	}
	for i, c := range calls {
		if !shown[i] {
			t.Errorf("%s calls %s, which is no tool", toolExamples, c.tool)
		}
	}
	return strings.TrimRight(page.String(), "\n") + "\n"
}

func hintsInWords(h tools.Hints) string {
	switch {
	case h.ReadOnly:
		return "Only reads"
	case h.OpenWorld:
		return "Runs other programs"
	case h.Destructive:
		return "May overwrite or remove"
	case h.Idempotent:
		return "Writes; calling it again changes nothing more"
	}
	return "Adds"
}

// property is an argument in a schema.
type property struct {
	Type             any
	Description      string
	Default          any
	Enum             []any
	Minimum, Maximum *float64
	Items            *property
	AnyOf            []property
	Properties       json.RawMessage
}

// argumentTable is a table of a tool's arguments, in the order of the schema.
func argumentTable(t *testing.T, tool tools.Tool) string {
	t.Helper()
	var schema struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(tool.Input, &schema); err != nil {
		t.Fatal(err)
	}
	names := inOrder(t, schema.Properties)
	if len(names) == 0 {
		return "No arguments.\n\n"
	}
	var all map[string]property
	if err := json.Unmarshal(schema.Properties, &all); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| argument | type | |\n|---|---|---|\n")
	for _, name := range names {
		p, notes := all[name], []string{}
		if slices.Contains(schema.Required, name) {
			notes = append(notes, "required")
		}
		if p.Description == "" {
			if p.Description = flags.Usual(name); isName(name, p.Description) {
				t.Errorf("%s: nothing says what %s is: describe it in cmd/hence/internal/flags/usual.txt", tool.Name, name)
			}
		}
		notes = append(notes, p.Description)
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", name, p.kind(t), strings.ReplaceAll(strings.Join(append(notes, p.bounds()...), "; "), "|", `\|`))
	}
	return table.String() + "\n"
}

func (p property) kind(t *testing.T) string {
	kind := fmt.Sprint(p.Type)
	if several, ok := p.Type.([]any); ok { // or null
		kind = fmt.Sprint(several[len(several)-1])
	}
	if kind == "array" && p.Items != nil {
		return "list of " + p.Items.kind(t)
	}
	if p.Type == nil { // a known word or another, or a text in place of an object
		kinds := []string{}
		for _, one := range p.AnyOf {
			if one.Type != nil {
				kinds = append(kinds, one.kind(t))
			}
		}
		return strings.Join(kinds, " or ")
	}
	if kind == "object" && len(p.Properties) > 0 {
		return "{" + strings.Join(inOrder(t, p.Properties), ", ") + "}"
	}
	return kind
}

func (p property) bounds() (notes []string) {
	enum := p.Enum
	if p.Items != nil {
		enum = append(enum, p.Items.Enum...)
	}
	if len(enum) > 0 {
		words := []string{}
		for _, one := range enum {
			words = append(words, fmt.Sprintf("`%v`", one))
		}
		notes = append(notes, strings.Join(words, ", "))
	}
	if p.Minimum != nil && p.Maximum != nil {
		notes = append(notes, number(*p.Minimum)+" to "+number(*p.Maximum))
	}
	if p.Default != nil {
		value := fmt.Sprint(p.Default)
		if n, ok := p.Default.(float64); ok {
			value = number(n)
		}
		notes = append(notes, "default `"+value+"`")
	}
	return notes
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// inOrder returns the names of a JSON object as they stand in it.
func inOrder(t *testing.T, object json.RawMessage) (names []string) {
	t.Helper()
	if len(object) == 0 {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprint(name))
	}
	return names
}
