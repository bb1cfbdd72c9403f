package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools/show"
)

// Choose returns the tools of the toolsets in o. It includes tools that write even if o is
// ReadOnly, but tools that edit notes only with VaultWrite, and tools that change or run
// source code only with CodeWrite.
func Choose(o Options) []Tool {
	names := o.Toolsets
	if len(names) == 0 {
		names = usualToolsets()
	}
	return slices.DeleteFunc(toolsIn(names), func(t Tool) bool {
		return t.EditsNotes && !o.VaultWrite || t.Toolset == CodeSet && t.Needs != "" && !o.CodeWrite
	})
}

// Question makes a tool of a call that only the explorer's page makes. It is checked and
// observed like any tool, but has no description, schema or text.
func Question[A, R any](name string, hints Hints, call func(context.Context, A) (R, error)) Tool {
	return Tool{Name: name, Hints: hints, call: callJSON(name, func(ctx context.Context, _ ref.View, a A) (R, error) {
		return call(ctx, a)
	}, func(R) show.Doc { return nil })}
}

// Ask calls a tool from within this process. It returns the structured result, byte for byte
// as over MCP. If the call fails, it returns {"error": …} and the code of the error. The call
// is checked, observed and logged as over MCP.
func (t Tool) Ask(ctx context.Context, v ref.View, o Options, arguments json.RawMessage) (structured json.RawMessage, code fault.Code) {
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: t.Name, RawArguments: arguments}}
	o.Log = cmp.Or(o.Log, slog.Default())
	result, code := t.answer(context.WithValue(ctx, unlimitedKey{}, true), v, o, request)
	return marshal(result.StructuredContent), code
}

// ReadAgain calls a tool that reads as a client does, and returns the structured answer. It leaves no receipt. It fails
// with not_found if there is no such tool that reads.
func ReadAgain(ctx context.Context, v ref.View, name string, arguments json.RawMessage) ([]byte, error) {
	for _, t := range All() {
		if t.Name == name && t.Hints.ReadOnly {
			r, err := t.callSafely(ctx, v, Options{}, arguments)
			return r.structured, err
		}
	}
	return nil, fault.New(fault.NotFound, "%s is not a tool that reads", name)
}

// defaultBudget is the token_budget of a call over MCP that names none.
const defaultBudget = 4000

// maxBudget is the largest token_budget of a call over MCP.
const maxBudget = 50000

// unlimitedKey marks the context of a call from within this program. Such a call has a token
// budget only if it names one, and of any size.
type unlimitedKey struct{}

// budgetOf returns the limit of tokens for the answer to a call, after room for the warning.
// It writes that limit to the field TokenBudget of the arguments that pointer points to, if
// they have one. It fails with invalid_argument for more than maxBudget over MCP. The schemas
// do not name maxBudget, because that would cost a hundred tokens of every conversation.
func budgetOf(ctx context.Context, tool string, pointer any) (int, error) {
	v := reflect.ValueOf(pointer).Elem()
	field, hasField := v.Type().FieldByName("TokenBudget")
	if !hasField {
		return reserve(ctx, defaultBudget), nil
	}
	value, isLimited := v.FieldByIndex(field.Index), ctx.Value(unlimitedKey{}) == nil
	tokens, usual := int(value.Int()), field.Tag.Get("default")
	switch {
	case tokens == 0 && usual != "":
		var err error
		if tokens, err = strconv.Atoi(usual); err != nil {
			panic(err) // a wrong tag, which any test finds
		}
	case tokens == 0 && !isLimited:
		return defaultBudget, nil
	case tokens == 0:
		tokens = defaultBudget
	case isLimited && tokens > maxBudget:
		return 0, fault.New(fault.InvalidArgument, "%s: token_budget is %d, and must be at most %d", tool, tokens, maxBudget)
	}
	tokens = reserve(ctx, tokens)
	value.SetInt(int64(tokens))
	return tokens, nil
}

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

// progressEvery is the shortest time between two notifications of progress.
const progressEvery = 250 * time.Millisecond

// progressKey is the context key of the progress token of a request.
type progressKey struct{}

// progress returns a function that notifies the client of progress, or nil if the client did
// not ask for progress. The function sends at most one notification in progressEvery, and one
// at the end.
func progress(ctx context.Context) func(done, total int) {
	token := ctx.Value(progressKey{})
	s := server.ServerFromContext(ctx)
	if token == nil || s == nil {
		return nil
	}
	var mu sync.Mutex
	var lastSent time.Time
	lastDone := 0
	return func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if done <= lastDone || done < total && time.Since(lastSent) < progressEvery {
			return
		}
		lastSent, lastDone = time.Now(), done
		// Progress is optional, so errors are ignored.
		_ = s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": done, "total": total,
		})
	}
}
