package tools

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// warningKey is the context key of what an answer says of the store besides its result:
// that it may be outdated, because the node that is read has lost its cluster.
type warningKey struct{}

// outdatedField is the field of a result and of an error that holds the warning.
const outdatedField = "outdated"

// besides is how many bytes a warning takes besides its text, in a result or in a text.
const besides = len(`,"` + outdatedField + `":""`)

// reserve returns the tokens that are left of a budget, which is at least 64, beside the
// warning of the call.
func reserve(ctx context.Context, tokens int) int {
	warning, _ := ctx.Value(warningKey{}).(string)
	if warning == "" {
		return tokens
	}
	return tokens - (len(warning)+besides+3)/4
}

// addWarning adds a warning to a result, in the text and in the structure.
func addWarning(result *mcp.CallToolResult, warning string) {
	for i, c := range result.Content {
		if said, ok := c.(mcp.TextContent); ok {
			said.Text += "\nwarning: " + warning
			result.Content[i] = said
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
