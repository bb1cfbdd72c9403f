package tools

import (
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// The tool, the resource, the prompt and the package say the same briefing.
func TestBriefingIsTheSameEverywhere(t *testing.T) {
	a := newAgent(t)
	if said := text(t, a.ask("memory_brief", `{}`)); !strings.Contains(said, "remembers nothing yet") {
		t.Errorf("of an empty store: %q", said)
	}
	a.ask("memory_store", `{"title": "Ports", "kind": "preference", "content": "Servers listen on 7420."}`)
	a.ask("memory_store", `{"title": "Ledger", "kind": "decision", "content": "Seats are rows.\nControl: \u001b[31m\u202e", "links": [{"to": "Ports", "type": "depends-on"}]}`)
	want := text(t, a.ask("memory_brief", `{}`))
	if !strings.Contains(want, "- \"Ports\"") || !strings.Contains(want, "—depends-on→ \"Ports\"") || strings.ContainsAny(want, "\u001b\u202e") {
		t.Errorf("the tool says:\n%s", want)
	}
	resource, err := a.client.ReadResource(t.Context(), mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: briefURI}})
	if err != nil {
		t.Fatal(err)
	}
	if got := resource.Contents[0].(mcp.TextResourceContents).Text; got != want {
		t.Errorf("the resource says:\n%s", got)
	}
	request := mcp.GetPromptRequest{}
	request.Params.Name, request.Params.Arguments = "brief", map[string]string{"about": "servers"}
	prompt, err := a.client.GetPrompt(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := prompt.Messages[0].Content.(mcp.TextContent).Text; got != want {
		t.Errorf("the prompt says:\n%s", got)
	}
}
