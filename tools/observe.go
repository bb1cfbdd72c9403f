package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/fault"
	"hence/tools/usage"
)

// watched is the tool's handler, with observers that are told what became of
// each call.
func (t Tool) watched(actor string, log *slog.Logger, observers []func(usage.Call)) server.ToolHandlerFunc {
	handle := t.handler(log)
	if len(observers) == 0 {
		return handle
	}
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start := time.Now()
		result, err := handle(ctx, request)
		raw, _ := rawArguments(request)
		call := usage.Call{
			At: start, Actor: actor, Tool: t.Name, Arguments: t.shape(raw), Took: time.Since(start),
			BytesIn: len(raw), BytesOut: size(result), Outcome: outcome(result),
		}
		for _, observe := range observers {
			observe(call)
		}
		return result, err
	}
}

// shape says of each argument what type it is and how long, never what it
// says. The names are the tool's own; any other is counted as unknown.
func (t Tool) shape(raw json.RawMessage) map[string]string {
	given := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &given) != nil {
		return map[string]string{"": "not an object"}
	}
	said := map[string]string{}
	for name, value := range given {
		if !t.arguments[name] {
			name = "unknown"
		}
		said[name] = shapeOf(value)
	}
	return said
}

func shapeOf(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "broken"
	}
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string " + strconv.Itoa(len(v))
	case []any:
		return "array " + strconv.Itoa(len(v))
	}
	return "object " + strconv.Itoa(len(raw))
}

func size(result *mcp.CallToolResult) int {
	n := 0
	for _, c := range result.Content {
		if text, ok := c.(mcp.TextContent); ok {
			n += len(text.Text)
		}
	}
	if raw, ok := result.StructuredContent.(json.RawMessage); ok {
		n += len(raw)
	}
	return n
}

// outcome is ok, or the code of the error.
func outcome(result *mcp.CallToolResult) string {
	if !result.IsError {
		return usage.OK
	}
	said, _ := result.StructuredContent.(map[string]any)
	told, _ := said["error"].(map[string]any)
	if code, ok := told["code"].(fault.Code); ok {
		return string(code)
	}
	return string(fault.Internal)
}
