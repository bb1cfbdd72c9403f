package stdio

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/tools/wiretest"
)

// An answer has the id of its request, to the byte.
func TestServe_KeepsIDs(t *testing.T) {
	d := dbtest.New(t)
	ids := []string{"9007199254740993", "-9007199254740993", "12345678901234567890", "1.0", "1e3", `"a"`, `"9007199254740993"`, `"é 🚢"`, "0"}
	lines := []string{}
	for _, id := range ids {
		lines = append(lines, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
	}
	answers := pipe(t, d, append(lines,
		`{"jsonrpc":"2.0","id":9007199254740995,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":9007199254740997,"method":"tools/call","params":{"name":"memory_list","arguments":{}}}`)...)
	for _, id := range append(ids, "9007199254740995", "9007199254740997") {
		if _, ok := answers[id]; !ok {
			t.Errorf("nothing answers %s", id)
		}
	}
	if len(answers) != len(ids)+2 {
		t.Errorf("answers: %v", answers)
	}
}

// Where 2025-03-26 is asked for, a list of messages gets one list of answers. Other versions do
// not have them.
func TestServe_Batches(t *testing.T) {
	hello := func(version string) string {
		return request(1, "initialize", `{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	}
	const ping = `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`
	note := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	store := toolCall(2, "memory_store", `{"content": "In a batch."}`)
	list := toolCall(3, "memory_list", `{}`)
	for _, c := range []struct {
		name, version, batch string
		ids                  []string // of the answers; nil: a refusal
	}{
		{"Two", "2025-03-26", `[` + ping + `,` + list + `]`, []string{"3", "9007199254740993"}},
		{"One", "2025-03-26", `[` + ping + `]`, []string{"9007199254740993"}},
		{"OrderOfCalls", "2025-03-26", `[` + store + `,` + list + `,` + note + `]`, []string{"2", "3"}},
		{"OnlyNotifications", "2025-03-26", `[` + note + `,` + note + `]`, []string{}},
		{"Unknown", "2025-03-26", `[{"jsonrpc":"2.0","id":4,"method":"no/such"},` + ping + `]`, []string{"4", "9007199254740993"}},
		{"NotMessages", "2025-03-26", `[1,` + ping + `]`, []string{"9007199254740993", "null"}},
		{"Empty", "2025-03-26", `[]`, nil},
		{"Broken", "2025-03-26", `[` + ping + `,`, nil},
		{"LaterVersion", "2025-06-18", `[` + ping + `]`, nil},
		{"EarlierVersion", "2024-11-05", `[` + ping + `]`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			input := strings.Join([]string{hello(c.version), c.batch}, "\n")
			if err := Serve(t.Context(), newServer(t, dbtest.New(t)), strings.NewReader(input), &out); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
			if c.ids == nil {
				var refusal wiretest.Answer
				if len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &refusal) != nil || refusal.Error == nil {
					t.Fatalf("answers: %v, want a refusal", lines)
				}
				return
			}
			answers, ids := []wiretest.Answer{}, []string{}
			if len(lines) > 0 && json.Unmarshal([]byte(lines[0]), &answers) != nil || len(lines) > 1 {
				t.Fatalf("answers: %v, want one list", lines)
			}
			for _, a := range answers {
				ids = append(ids, string(a.ID))
			}
			if slices.Sort(ids); !slices.Equal(ids, c.ids) {
				t.Errorf("answers to %v, want %v", ids, c.ids)
			}
			if c.name == "OrderOfCalls" && !strings.Contains(lines[0], `"total_count":1`) {
				t.Errorf("the list does not have what the same batch stored: %s", lines[0])
			}
		})
	}
}
