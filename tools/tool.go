// Package tools is the MCP face of Hence: it offers what memory, recall and
// edges do as tools. Packages stdio and httpserve carry the messages.
//
// A tool is a name, a few words, and one call of the domain. Its schemas come
// from the structs that this call takes and returns. Nothing is decided here:
// the command line makes the same calls.
package tools

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/projection/folder"
	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

// The toolsets.
const (
	MemorySet = "memory" // what is remembered, and the edges that tie it
	GraphSet  = "graph"  // walks along the edges
	VaultSet  = "vault"  // the notes as files; offered where the caller may see a vault
)

// Toolsets returns the names of all toolsets.
func Toolsets() []string { return []string{MemorySet, GraphSet, VaultSet} }

// Tool is one thing that an agent can call.
type Tool struct {
	Name        string
	Title       string
	Description string // when to use it, and when its neighbour
	Toolset     string
	Hints       Hints
	EditsNotes  bool            // it writes into a vault's folder, and is offered only with Options.VaultWrite
	Input       json.RawMessage // schema of the arguments
	Output      json.RawMessage // schema of the structured result, an error's too
	success     json.RawMessage // schema of the result of a call that does not fail
	call        func(ctx context.Context, arguments json.RawMessage) (reply, error)
}

// Hints tell a client what a call may do. No tool reaches outside the store.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may overwrite or remove
	Idempotent  bool // a second same call changes nothing more
}

var (
	reads   = Hints{ReadOnly: true, Idempotent: true}
	adds    = Hints{}
	settles = Hints{Idempotent: true}
	changes = Hints{Destructive: true}
	removes = Hints{Destructive: true, Idempotent: true}
)

// reply is what a call answers: the domain's result, and a few words for
// reading. It has the shape of the arguments even where the call failed.
type reply struct {
	structured json.RawMessage
	text       string
	shape      args.Shape
}

// maxText is the longest text of an answer, in bytes.
const maxText = 2000

// All returns every tool, on behalf of a caller.
func All(d *db.DB, caller ref.Caller) []Tool {
	v := ref.View{DB: d, Caller: caller}
	return slices.Concat(
		memoryTools(memory.Store(v), recall.Searcher(v), edges.Graph(v)),
		graphTools(walk.Graph(v)),
		vaultTools(vault.Importer{DB: d, Caller: caller}, reading.Reader(v)),
		writingTools(writing.New(v)),
	)
}

// brief keeps the list of tools short: memory_get spells a memory out, as its
// results embed one, and what other tools spell out is told in a few words.
var brief = args.Brief{
	reflect.TypeFor[memory.Memory]():    "as memory_get returns it",
	reflect.TypeFor[recall.Related]():   "as memory_search returns it, with linked: types of edge",
	reflect.TypeFor[belief.Doubt]():     "{id, title, reason, route: ids}",
	reflect.TypeFor[walk.SeedWarning](): "{seed_doc_id, reason: unknown_doc or ambiguous_doc, near?, candidates?}",
	reflect.TypeFor[walk.NeighborVia](): "{edge_type, rel, direction, from}",
	reflect.TypeFor[walk.TracedVia]():   "{hop, edge_type, rel, direction, from}",

	reflect.TypeFor[vault.Place]():                  "{path, line, target, rel, why?}",
	reflect.TypeFor[vault.Listed[reading.Orphan]](): "items: [{id, path, title}], counts as in dangling",
	reflect.TypeFor[vault.Listed[folder.Warning]](): "items: [{path, line?, text}], counts as in dangling",

	reflect.TypeFor[writing.Effect](): "{edges_added, edges_removed, dangling}, each items and counts",
}

// define makes a tool of a call of the domain, and of the words that tell its
// result. The description says when to use it, and when its neighbour.
func define[A, R any](name, title string, hints Hints, description string, call func(context.Context, A) (R, error), tell func(R) show.Doc) Tool {
	result := resultOf[R]()
	return Tool{
		Name: name, Title: title, Description: description, Hints: hints,
		Input: inputOf[A](), Output: result.output, success: result.success,
		call: answering(name, call, tell),
	}
}

// knownInputs are the schemas of arguments of the process, by type: a server over
// HTTP makes the tools once for each token.
var knownInputs sync.Map

func inputOf[A any]() json.RawMessage {
	of := reflect.TypeFor[A]()
	if known, ok := knownInputs.Load(of); ok {
		return known.(json.RawMessage)
	}
	made := marshal(args.Schema[A]())
	knownInputs.Store(of, made)
	return made
}

// resultSchemas are the schemas of a result, and of a result or an error.
type resultSchemas struct{ success, output json.RawMessage }

// knownResults are the resultSchemas of the process, by type.
var knownResults sync.Map

func resultOf[R any]() resultSchemas {
	of := reflect.TypeFor[R]()
	if known, ok := knownResults.Load(of); ok {
		return known.(resultSchemas)
	}
	output := args.BriefResultSchema[R](brief)
	// The official TypeScript client holds an error's structured content to
	// this schema too: nothing can be required that an error does not have.
	output.Required = nil
	made := resultSchemas{marshal(args.ResultSchema[R]()), marshal(output)}
	knownResults.Store(of, made)
	return made
}

// answering is a call of the domain from the arguments' JSON to the result's.
func answering[A, R any](tool string, call func(context.Context, A) (R, error), tell func(R) show.Doc) func(context.Context, json.RawMessage) (reply, error) {
	return func(ctx context.Context, raw json.RawMessage) (r reply, err error) {
		var given A
		if r.shape, err = args.Decode(tool, raw, &given); err != nil {
			return r, err
		}
		result, err := call(ctx, given)
		if err != nil {
			return r, err
		}
		if r.structured, err = json.Marshal(result); err != nil {
			return r, fault.Wrap(fault.Internal, err, "the result has no JSON")
		}
		r.text, _ = budget.Cut(show.Text(tell(result)), maxText)
		return r, nil
	}
}

// marshal writes a schema of our own types: what is wrong with it, the first
// test shows.
func marshal(schema any) json.RawMessage {
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return raw
}

// in puts tools into a toolset.
func in(toolset string, tools ...Tool) []Tool {
	for i := range tools {
		tools[i].Toolset = toolset
	}
	return tools
}
