package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools/show"
)

// Choose returns the tools of the toolsets in o. It includes tools that write even if o is
// ReadOnly, but tools that edit notes only with VaultWrite, and tools that change or run
// source code only with CodeWrite. Each tool calls Refresh first, except the tools of a vault
// that write.
func Choose(d *db.DB, caller ref.Caller, o Options) []Tool {
	toolsets := o.Toolsets
	if len(toolsets) == 0 {
		toolsets = Toolsets()
	}
	chosen := slices.DeleteFunc(toolsIn(d, caller, toolsets), func(t Tool) bool {
		return t.EditsNotes && !o.VaultWrite || t.Needs != "" && !o.CodeWrite
	})
	for i, t := range chosen {
		if o.Refresh == nil || t.Toolset == VaultSet && !t.Hints.ReadOnly { // these import by themselves
			continue
		}
		chosen[i].call = func(ctx context.Context, arguments json.RawMessage) (reply, error) {
			o.Refresh(ctx, caller.Namespace)
			return t.call(ctx, arguments)
		}
	}
	return chosen
}

// Question makes a tool of a call that only the explorer's page makes. It is checked and
// observed like any tool, but has no description, schema or text.
func Question[A, R any](name string, hints Hints, call func(context.Context, A) (R, error)) Tool {
	return Tool{Name: name, Hints: hints, call: callJSON(name, call, func(R) show.Doc { return nil })}
}

// Ask calls a tool from within this process. It returns the structured result, byte for byte
// as over MCP. If the call fails, it returns {"error": …} and the code of the error. The call
// is checked, observed and logged as over MCP.
func (t Tool) Ask(ctx context.Context, actor string, o Options, arguments json.RawMessage) (structured json.RawMessage, code fault.Code) {
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: t.Name, RawArguments: arguments}}
	o.Log = cmp.Or(o.Log, slog.Default())
	result, code := t.answer(context.WithValue(ctx, unlimitedKey{}, true), actor, o, request)
	return marshal(result.StructuredContent), code
}
