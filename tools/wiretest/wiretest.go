// Package wiretest writes, breaks and reads messages of the protocol, for tests of servers.
package wiretest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Answer is one line of a server's output.
type Answer struct {
	ID     json.RawMessage `json:"id"`
	Result struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		ServerInfo        struct{ Name string }
		Tools             []json.RawMessage
	} `json:"result"`
	Error *struct {
		Code    int
		Message string
	} `json:"error"`
}

// Answers parses a server's output. The test fails if a line is not a message.
func Answers(t *testing.T, output string) []Answer {
	t.Helper()
	answers := []Answer{}
	for line := range strings.Lines(output) {
		var a Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil || !strings.HasPrefix(line, `{"jsonrpc":"2.0"`) {
			t.Fatalf("a line of the output is not a message: %v\n%s", err, line)
		}
		answers = append(answers, a)
	}
	return answers
}

// Request returns a request. params is JSON.
func Request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

// ToolCall returns a request that calls a tool. arguments is JSON.
func ToolCall(id int, tool, arguments string) string {
	return Request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

// seeds are the messages that BreakMessage breaks. Most are valid.
var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query": "x", "limit": 3}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_store","arguments":{"content": "x"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"hence://memory/x"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"hence://overview"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"brief","arguments":{"about":"x"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"hence://memory/{id}"},"argument":{"name":"id","value":"x"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["hence://overview"]}}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"x":[]}}`, `[]`, `{}`, `null`, `7`, ``,
}

// pieces are fragments that BreakMessage inserts.
var pieces = []string{
	`"`, `{`, `}`, `[`, `]`, `null`, `1e999`, `-0`, `\u0000`, "\x00", "\xff", `,`, `:`,
	`"id":{}`, `"method":7`, `"params":[]`, "\ud7ff", `9007199254740993`, `"params":null`,
}

// BreakMessage returns a random message that is broken in one to three ways. It contains no
// line break.
func BreakMessage(r *rand.Rand) string {
	message := seeds[r.IntN(len(seeds))]
	for range 1 + r.IntN(3) {
		offset := 0
		if message != "" {
			offset = r.IntN(len(message))
		}
		switch r.IntN(5) {
		case 0:
			message = message[:offset]
		case 1:
			message = message[:offset] + pieces[r.IntN(len(pieces))] + message[offset:]
		case 2:
			message = message[:offset] + message[min(offset+1+r.IntN(8), len(message)):]
		case 3:
			message = message[:offset] + fmt.Sprintf("%c", rune(r.IntN(256))) + message[min(offset+1, len(message)):]
		case 4:
			message = strings.Repeat("[", r.IntN(2000)) + message
		}
	}
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(message)
}
