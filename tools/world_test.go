package tools

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/tools/wiretest"
)

// agent is a client in a conversation with a server in the same process. It checks every
// result against the output schema of its tool.
type agent struct {
	t      *testing.T
	client *client.Client
}

// outputs are the output schemas of all tools, compiled once for all agents.
var outputs = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range All() {
		schema, err := compile(resultSchema(tool))
		if err != nil {
			return nil, err
		}
		schemas[tool.Name] = schema
	}
	return schemas, nil
})

// resultSchema returns the schema of the result of a successful call. It allows unknown fields, so that a later
// version may add some, and no null.
func resultSchema(t Tool) json.RawMessage {
	s, err := jsonschema.ForType(t.result, nil)
	if err != nil {
		panic(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(marshal(s), &schema); err != nil {
		panic(err)
	}
	required := schema["required"]
	loosen(schema)
	schema["required"] = required
	return marshal(schema)
}

// loosen takes out of a schema, and of those within it, that fields are required and that unknown ones are not allowed.
func loosen(value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			loosen(one)
		}
	case map[string]any:
		if types, ok := v["type"].([]any); ok && len(types) == 2 && types[0] == "null" {
			v["type"] = types[1]
		}
		if _, isList := v["required"].([]any); isList {
			delete(v, "required")
		}
		if v["additionalProperties"] == false {
			delete(v, "additionalProperties")
		}
		for _, one := range v {
			loosen(one)
		}
	}
}

var caller = ref.Caller{Actor: "claude", Origin: "agent"}

var request, toolCall = wiretest.Request, wiretest.ToolCall

func newServer(t *testing.T, d *db.DB) *server.MCPServer {
	t.Helper()
	s, err := New(d, caller, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func meet(t *testing.T, d *db.DB, o Options) *agent {
	t.Helper()
	s, err := New(d, caller, o)
	if err != nil {
		t.Fatal(err)
	}
	return greet(t, s)
}

func meetAs(t *testing.T, d *db.DB, c ref.Caller) *agent {
	t.Helper()
	return greet(t, serverAs(t, d, c))
}

// greet begins a conversation.
func greet(t *testing.T, s *server.MCPServer) *agent {
	t.Helper()
	c, err := client.NewInProcessClient(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	start := mcp.InitializeRequest{}
	start.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	start.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	return &agent{t: t, client: c}
}

func newAgent(t *testing.T) *agent { return meet(t, dbtest.New(t), Options{}) }

func compile(text json.RawMessage) (*jsonschema.Resolved, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}

// ask makes a call. arguments is JSON, or empty for none.
func (a *agent) ask(tool, arguments string) *mcp.CallToolResult {
	a.t.Helper()
	request := mcp.CallToolRequest{}
	request.Params.Name = tool
	if arguments != "" {
		request.Params.Arguments = json.RawMessage(arguments)
	}
	result, err := a.client.CallTool(a.t.Context(), request)
	if err != nil {
		a.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return result
}

func text(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d pieces of content, want 1", len(r.Content))
	}
	said, ok := r.Content[0].(mcp.TextContent)
	if !ok {
		t.Fatalf("content is %T, want text", r.Content[0])
	}
	return said.Text
}

// get makes a call that succeeds, reads its structured result into a value of
// type R, and returns its text too.
func get[R any](a *agent, tool, arguments string) (result R, said string) {
	a.t.Helper()
	r := a.ask(tool, arguments)
	said = text(a.t, r)
	if r.IsError {
		a.t.Fatalf("%s %s: %s", tool, arguments, said)
	}
	raw := a.checkResult(tool, arguments, r)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&result); err != nil {
		a.t.Fatalf("%s: %v\n%s", tool, err, raw)
	}
	return result, said
}

// checkResult checks a result against the output schema of its tool, and returns it.
func (a *agent) checkResult(tool, arguments string, r *mcp.CallToolResult) json.RawMessage {
	a.t.Helper()
	raw := structured(a.t, r)
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		a.t.Fatal(err)
	}
	schemas, err := outputs()
	if err != nil {
		a.t.Fatal(err)
	}
	if err := schemas[tool].Validate(value); err != nil {
		a.t.Errorf("%s %s: the result breaks its schema: %v\n%s", tool, arguments, err, raw)
	}
	if path := findNull(value, tool); path != "" {
		a.t.Errorf("%s %s: null at %s\n%s", tool, arguments, path, raw)
	}
	return raw
}

// findNull returns the path to a null in a result; no result may contain one.
func findNull(value any, path string) string {
	switch v := value.(type) {
	case nil:
		return path
	case map[string]any:
		for name, inner := range v {
			if name == "properties" || name == "frontmatter" {
				continue // the person's own
			}
			if at := findNull(inner, path+"."+name); at != "" {
				return at
			}
		}
	case []any:
		for _, inner := range v {
			if at := findNull(inner, path+"[]"); at != "" {
				return at
			}
		}
	}
	return ""
}

func structured(t *testing.T, r *mcp.CallToolResult) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// refusal is an error as an agent sees it.
type refusal struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// refused makes a call that fails, and returns the error.
func (a *agent) refused(tool, arguments string) refusal {
	a.t.Helper()
	r := a.ask(tool, arguments)
	for _, t := range All() {
		if t.Name != tool {
			continue
		}
		var value any
		if err := json.Unmarshal(structured(a.t, r), &value); err != nil {
			a.t.Fatal(err)
		}
		schema, err := compile(t.Output)
		if err != nil {
			a.t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			a.t.Errorf("%s %s: the error breaks the schema that clients hold it to: %v", tool, arguments, err)
		}
	}
	if !r.IsError {
		a.t.Fatalf("%s %s: succeeded with %s", tool, arguments, structured(a.t, r))
	}
	return errorOf(a.t, r)
}

// errorOf returns the error in a result.
func errorOf(t *testing.T, r *mcp.CallToolResult) refusal {
	t.Helper()
	var e struct {
		Error refusal `json:"error"`
	}
	decoder := json.NewDecoder(bytes.NewReader(structured(t, r)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		t.Fatal(err)
	}
	if said := text(t, r); said != e.Error.Message {
		t.Errorf("the text is %q, and the message %q", said, e.Error.Message)
	}
	return e.Error
}

func quote(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
