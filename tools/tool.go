// Package tools offers the calls of the domain as MCP tools. Packages stdio and
// httpserve transport the messages.
//
// A tool is a name, a description and one call of the domain. Its schemas are derived from
// the structs that the call takes and returns. The command line makes the same calls.
//
// # Schemas
//
// The tools of memory, graph and vault must cost less than 8,470 tokens of every
// conversation; a test checks it. So the schema of a result gives only the names and types
// of its texts, lists and objects: it leaves out counts, and the fields of nested objects.
// Tests check every result against the full schema of its type. No field of a result is
// required, because the official TypeScript client checks the structured content of an
// error against the same schema.
//
// # Edits outside
//
// A server imports edits of its vaults as they are saved. Before a tool answers, the server
// waits at most half a second for imports that are due, so that tools that read the store
// and tools that read the disk agree. See projection.Keeper.
package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/review"
	"hence/tools/show"
)

// The toolsets.
const (
	MemorySet = "memory" // memories, and the edges between them
	GraphSet  = "graph"  // walks along the edges
	VaultSet  = "vault"  // notes as files; offered if the caller may see a vault
	CodeSet   = "code"   // source code; offered if the caller may see a repository

	ConnectorSet = "connector" // for clients that want exactly search and fetch; offered if it is asked for
)

// Toolsets returns the names of all toolsets.
func Toolsets() []string { return append(usualToolsets(), ConnectorSet) }

// usualToolsets returns the names of the toolsets that are offered unless others are asked for.
func usualToolsets() []string { return []string{MemorySet, GraphSet, VaultSet, CodeSet} }

// Tool is one operation that an agent can call.
type Tool struct {
	Name        string
	Title       string
	Description string // when to use it, and when to use a similar tool instead
	Toolset     string
	Hints       Hints
	EditsNotes  bool            // writes into a vault's folder; offered only with Options.VaultWrite
	Needs       string          // permission that it needs from a person; of code offered only with Options.CodeWrite too
	Input       json.RawMessage // schema of the arguments
	Output      json.RawMessage // schema of the structured result, including errors
	result      reflect.Type    // of a successful call, whose answers tests check against it
	call        func(ctx context.Context, v ref.View, arguments json.RawMessage) (reply, error)
}

// Hints tell a client what a call may do.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may overwrite or remove
	Idempotent  bool // repeating the call changes nothing more
	OpenWorld   bool // reaches outside the store, the vaults and the repositories
}

// The hints of tools, by what a call does.
var (
	reads   = Hints{ReadOnly: true, Idempotent: true}
	adds    = Hints{}
	sets    = Hints{Idempotent: true}
	changes = Hints{Destructive: true}
	removes = Hints{Destructive: true, Idempotent: true}
	runs    = Hints{Destructive: true, OpenWorld: true}
)

// reply is the outcome of a call: the result as JSON and as text.
type reply struct {
	structured json.RawMessage
	text       string
	opened     []string              // ids of the memories that the call opened
	waiting    func() (reply, error) // the same, of a call that waits for a person
	shown      shownIn
}

// maxError is the longest text of an error, in bytes.
const maxError = 2000

// toolsets are the tools of each toolset. The schemas of one are made when it is first asked for, because
// all would add a tenth to the start of a server.
var toolsets = map[string]func() []Tool{
	MemorySet: sync.OnceValue(memoryTools), GraphSet: sync.OnceValue(graphTools), VaultSet: sync.OnceValue(vaultTools),
	CodeSet: sync.OnceValue(codeTools), ConnectorSet: sync.OnceValue(connectorTools),
}

// All returns every tool.
func All() []Tool { return toolsIn(Toolsets()) }

// toolsIn returns the tools of some toolsets.
func toolsIn(names []string) (tools []Tool) {
	for _, name := range Toolsets() {
		if !slices.Contains(names, name) {
			continue
		}
		for _, t := range toolsets[name]() {
			t.Toolset = name
			tools = append(tools, t)
		}
	}
	return tools
}

// callFor calls a tool on behalf of a caller. A tool of a toolset imports edits first, unless it does so itself.
// An agent's call may wait for a person, and a call that reads sees what the session's calls that wait would do:
// see review.Desk.Answer.
func (t Tool) callFor(ctx context.Context, v ref.View, o Options, arguments json.RawMessage) (r reply, err error) {
	if t.Toolset == "" {
		return t.call(ctx, v, arguments)
	}
	if o.Refresh != nil && (t.Toolset != VaultSet || t.Hints.ReadOnly) {
		o.Refresh(ctx, v.Caller.Namespace)
	}
	if t.EditsNotes {
		if err := review.Desk(v).CheckNotes(ctx); err != nil {
			return r, err
		}
	}
	waits, err := review.Desk(v).Answer(ctx, t.Name, arguments, t.Hints.ReadOnly, func(ctx context.Context, on ref.View) (err error) {
		if r, err = t.call(ref.Marked(ctx, on.DB), on, arguments); err == nil && on.DB.IsWithin() {
			err = ref.ReadTexts(ctx, on.DB, r.shown.memories) // nothing else has what waits
		}
		return err
	})
	if shown := r.shown; err == nil && waits {
		r, err = r.waiting()
		r.shown = shown
	}
	return r, err
}

// define makes a tool from its text, a method of the domain and a function that describes its
// result in words.
func define[V ref.AnyView, A, R any](name string, hints Hints, call func(V, context.Context, A) (R, error), describe func(R) show.Doc) Tool {
	title, description, _ := strings.Cut(textOf(name), "\n")
	return Tool{
		Name: name, Title: title, Description: description, Hints: hints,
		Input: marshal(refine(args.Schema[A]())), Output: marshal(args.OutlineSchema[R]()),
		result: reflect.TypeFor[R](),
		call:   callJSON(name, func(ctx context.Context, v ref.View, a A) (R, error) { return call(V(v), ctx, a) }, describe),
	}
}

// texts has, behind an empty line, the title of each tool and, on the next line, what it is for.
//
//go:embed toolsets.txt
var texts string

// textOf returns the lines of texts about a tool. It panics if there are none, which any test
// finds.
func textOf(name string) string {
	_, text, ok := strings.Cut(texts, "\n"+name+": ")
	if !ok {
		panic("tools: toolsets.txt has no text for " + name)
	}
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.TrimSpace(text)
}

// refine adds the kinds of edge that people and agents declare to the arguments of a schema
// that take one. Other words, such as inverse ones, pass too. It leaves out the smallest budget.
func refine(s *jsonschema.Schema) *jsonschema.Schema {
	kinds := []any{}
	for _, k := range edges.DeclaredKinds() {
		if !k.OfCode() {
			kinds = append(kinds, k)
		}
	}
	for name, p := range s.Properties {
		switch {
		case name == "links" && p.Items != nil:
			refine(p.Items)
		case name == "edge_types":
			p.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Enum: kinds}, {Type: "string"}}}
		case name == "type":
			p.AnyOf = []*jsonschema.Schema{{Enum: kinds}, {Type: "string"}}
		case name == "token_budget":
			p.Minimum = nil // as maxBudget, not worth its tokens
		}
	}
	return s
}

// callJSON wraps a call of the domain: it decodes the arguments and encodes the result, as
// JSON and as text. A text over the call's token budget is cut.
func callJSON[A, R any](tool string, call func(context.Context, ref.View, A) (R, error), describe func(R) show.Doc) func(context.Context, ref.View, json.RawMessage) (reply, error) {
	return func(ctx context.Context, v ref.View, raw json.RawMessage) (r reply, err error) {
		var arguments A
		if err := args.Decode(tool, raw, &arguments); err != nil {
			return r, err
		}
		tokens, err := budgetOf(ctx, tool, &arguments)
		if err != nil {
			return r, err
		}
		result, err := call(budget.InWords(ctx, func(r R) string { return show.Text(describe(r)) }), v, arguments)
		if err == nil {
			err = budget.Mark(ctx, &result)
		}
		if err != nil {
			return r, ref.MarkError(ctx, err)
		}
		write := func() (r reply, err error) {
			if r.structured, err = json.Marshal(result); err != nil {
				return r, fault.Wrap(fault.Internal, err, "%s: the result cannot be encoded as JSON", tool)
			}
			if opener, ok := any(result).(interface{ OpenedIDs() []string }); ok {
				r.opened = opener.OpenedIDs()
			}
			r.shown = read(result)
			r.text = show.TextWithin(describe(result), 4*tokens)
			return r, nil
		}
		r, err = write()
		r.waiting = func() (reply, error) {
			sayWaits(reflect.ValueOf(&result).Elem())
			return write()
		}
		return r, err
	}
}

// waitsWarning is the warning of a call that waits.
const waitsWarning = "pending: it waits for a person, who decides by hence review; nothing has changed yet but in this session, and what is told here is what accepting it does"

// sayWaits sets the status of a result to pending, and adds the warning.
func sayWaits(result reflect.Value) {
	if m := result.FieldByName("Memory"); m.IsValid() {
		m.FieldByName("Status").SetString(review.Pending)
	}
	if status := result.FieldByName("Status"); status.IsValid() {
		status.SetString(review.Pending)
	}
	warnings := result.FieldByName("Warnings")
	for i := range warnings.Len() { // who accepts the call agrees to what it proposes
		one := warnings.Index(i)
		one.SetString(strings.Replace(one.String(), "a person accepts it by hence tidy", "accepting this call makes it, and hence review says what follows from that", 1))
	}
	warnings.Set(reflect.Append(warnings, reflect.ValueOf(waitsWarning)))
}

// marshal encodes a value that this program made. It panics on failure, which is a bug that
// tests would find.
func marshal(schema any) json.RawMessage {
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return raw
}
