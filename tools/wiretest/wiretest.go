// Package wiretest breaks messages of the protocol, for tests of what a server
// does with them.
package wiretest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// seeds are messages that are nearly right, before they are broken.
var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query": "x", "limit": 3}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_store","arguments":{"content": "x"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"hence://memory/x"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"hence://overview"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"recall_context","arguments":{"topic":"x"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"hence://memory/{id}"},"argument":{"name":"id","value":"x"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["hence://overview"]}}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"x":[]}}`, `[]`, `{}`, `null`, `7`, ``,
}

// pieces are put where they do not belong.
var pieces = []string{
	`"`, `{`, `}`, `[`, `]`, `null`, `1e999`, `-0`, `\u0000`, "\x00", "\xff", `,`, `:`,
	`"id":{}`, `"method":7`, `"params":[]`, "\ud7ff", `9007199254740993`, `"params":null`,
}

// Broken returns a message that is broken in one or more ways, and has no
// line break.
func Broken(r *rand.Rand) string {
	message := seeds[r.IntN(len(seeds))]
	for range 1 + r.IntN(3) {
		at := 0
		if message != "" {
			at = r.IntN(len(message))
		}
		switch r.IntN(5) {
		case 0:
			message = message[:at]
		case 1:
			message = message[:at] + pieces[r.IntN(len(pieces))] + message[at:]
		case 2:
			message = message[:at] + message[min(at+1+r.IntN(8), len(message)):]
		case 3:
			message = message[:at] + fmt.Sprintf("%c", rune(r.IntN(256))) + message[min(at+1, len(message)):]
		case 4:
			message = strings.Repeat("[", r.IntN(2000)) + message
		}
	}
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(message)
}
