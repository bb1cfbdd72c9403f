package tools

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// warning is what an answer says of the store besides its result: that it may be
// outdated, because the node that is read has lost its cluster.
type warning struct{ text string }

type warningKey struct{}

// outdatedField is the field of a result and of an error that holds the warning.
const outdatedField = "outdated"

// besides is how many bytes a warning takes besides its text, in a result or in a text.
const besides = len(`,"` + outdatedField + `":""`)

// warning asks whether answers may be outdated, once for a call.
func (o Options) warning() *warning {
	if o.Outdated == nil {
		return &warning{}
	}
	return &warning{o.Outdated()}
}

// reserve returns the tokens that are left of a budget, which is at least 64, beside the
// warning of the call.
func reserve(ctx context.Context, tokens int) int {
	w, ok := ctx.Value(warningKey{}).(*warning)
	if !ok || w.text == "" {
		return tokens
	}
	return tokens - (len(w.text)+besides+3)/4
}

// addTo adds the warning to a result, in the text and in the structure.
func (w *warning) addTo(result *mcp.CallToolResult) {
	if w.text == "" {
		return
	}
	for i, c := range result.Content {
		if said, ok := c.(mcp.TextContent); ok {
			said.Text += "\nwarning: " + w.text
			result.Content[i] = said
		}
	}
	switch s := result.StructuredContent.(type) {
	case json.RawMessage:
		result.StructuredContent = w.addField(s)
	case map[string]any: // an error
		s[outdatedField] = w.text
	}
}

// addField adds the warning to an object.
func (w *warning) addField(object json.RawMessage) json.RawMessage {
	start, ok := bytes.CutSuffix(object, []byte("}"))
	if !ok {
		return object
	}
	comma := []byte(",")
	if bytes.Equal(start, []byte("{")) {
		comma = nil
	}
	member := append([]byte(`"`+outdatedField+`":`), marshal(w.text)...)
	return bytes.Join([][]byte{start, comma, member, []byte("}")}, nil)
}
