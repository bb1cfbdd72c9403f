package tools

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// warningKey is the context key of the warning of a call: why its answer may be outdated, for
// example because the node that is read has lost contact with its cluster.
type warningKey struct{}

// outdatedField is the JSON field of a result or an error that holds the warning.
const outdatedField = "outdated"

// warningOverhead is the number of bytes that a warning adds to an answer besides its text.
const warningOverhead = len(`,"` + outdatedField + `":""`)

// reserve returns the tokens of a budget that remain after the warning of the call, if there
// is one.
func reserve(ctx context.Context, tokens int) int {
	warning, _ := ctx.Value(warningKey{}).(string)
	if warning == "" {
		return tokens
	}
	return tokens - (len(warning)+warningOverhead+3)/4
}

// addWarning adds a warning to the text and to the structured content of a result.
func addWarning(result *mcp.CallToolResult, warning string) {
	for i, c := range result.Content {
		if text, ok := c.(mcp.TextContent); ok {
			text.Text += "\nwarning: " + warning
			result.Content[i] = text
		}
	}
	switch s := result.StructuredContent.(type) {
	case json.RawMessage:
		if start, isObject := bytes.CutSuffix(s, []byte("}")); isObject {
			comma := []byte(",")
			if bytes.Equal(start, []byte("{")) {
				comma = nil
			}
			member := append([]byte(`"`+outdatedField+`":`), marshal(warning)...)
			result.StructuredContent = json.RawMessage(bytes.Join([][]byte{start, comma, member, []byte("}")}, nil))
		}
	case map[string]any: // an error
		s[outdatedField] = warning
	}
}
