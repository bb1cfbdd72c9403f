package tools

import (
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// A decision is longer than a search takes, where it gives its reasons.
func TestRecordDecision_Long(t *testing.T) {
	a := newAgent(t)
	a.ask("memory_store", `{"title": "The ledger", "content": "Holds seats in the ledger."}`)
	for name, rest := range map[string]string{
		"Words":  strings.Repeat("because of that ", 1000),
		"OneRun": strings.Repeat("é", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			request := mcp.GetPromptRequest{}
			request.Params.Name = "record_decision"
			request.Params.Arguments = map[string]string{"decision": "We hold seats in the ledger. " + rest}
			result, err := a.client.GetPrompt(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			said, _ := result.Messages[0].Content.(mcp.TextContent)
			if !strings.Contains(said.Text, rest) || !strings.Contains(said.Text, "The ledger") {
				t.Errorf("the prompt says %.300s", said.Text)
			}
		})
	}
}
