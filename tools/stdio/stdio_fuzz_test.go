package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
)

// FuzzConversation sends any input. Every line of the output must be a message of the
// protocol, and the conversation must end with its input.
func FuzzConversation(f *testing.F) {
	const patience = time.Minute
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}` + "\n"
	for _, seed := range []string{
		toolCall(2, "memory_search", `{"query":"\"x OR (","limit":5}`),
		toolCall(3, "memory_store", `{"content":"x","properties":{"a":[[]]},"links":[{}]}`),
		toolCall(4, "expand", `{"seed_doc_ids":[""],"hops":1e400}`),
		`{"jsonrpc":"2.0","id":null,"method":"tools/list"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}` + "\r\n" + `{"jsonrpc":"2.0","id":3,"method":5}`,
		"\x00\xff{}\n\nnull\n7\n\"x\"",
	} {
		f.Add(seed)
	}
	d, err := db.Open(context.Background(), filepath.Join(f.TempDir(), "hence.db"), db.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { d.Close() })
	f.Fuzz(func(t *testing.T, said string) {
		endless := time.AfterFunc(patience, func() { panic("the conversation does not end after " + strconv.Quote(said)) })
		defer endless.Stop()
		var out bytes.Buffer
		if err := Serve(t.Context(), newServer(t, d), strings.NewReader(begin+said+"\n"), &out); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(out.String()) {
			lines++
			var message struct {
				Version string `json:"jsonrpc"`
			}
			if err := json.Unmarshal([]byte(line), &message); err != nil || message.Version != "2.0" {
				t.Errorf("%q is not a message (%v), after\n%s", line, err, said)
			}
		}
		if lines == 0 {
			t.Error("not even the greeting was answered")
		}
	})
}
