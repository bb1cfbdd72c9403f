package tools

import (
	"context"
	"encoding/json"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// FuzzArguments calls tools with any arguments. Each call must answer with a message of the
// protocol: a result or an error, but never an internal error.
func FuzzArguments(f *testing.F) {
	d, remove := dbtest.NewEmpties(f).Next(f)
	f.Cleanup(remove)
	all := All()
	s, err := New(d, caller, Options{}) // once: a server compiles the schemas of all tools
	if err != nil {
		f.Fatal(err)
	}
	for n := range all {
		f.Add(uint8(n), `{}`)
		f.Add(uint8(n), `{"id":"One","from":"One","to":"Two","from_id":"One","to_id":"Two","path":"One","type":"causes"}`)
	}
	for _, seed := range []string{
		`{"query":"\"x OR (","limit":1e2,"properties":{"a":[[null]]}}`, `{"content":"x","links":[{"to":"One","type":"caused_by"}],"supersedes":[""]}`, `{"seed_doc_ids":["One","\u0000"],"hops":5,"filter_properties":{"":1e300}}`,
		`{"id":["One"],"as_of":"2026-01-01T00:00:00+24:00"}`, `null`, `[]`, `{"limit":-0,"cursor":"e30"}`, `{"token_budget":9223372036854775808}`, `{"id":"One","tags":["\ud800"],"expected_revision":0.5}`,
	} {
		for n := range all {
			f.Add(uint8(n), seed)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, arguments string) {
		if !json.Valid([]byte(arguments)) {
			return // FuzzConversation sends such lines
		}
		tool := all[int(n)%len(all)].Name
		for _, title := range []string{"One", "Two"} {
			s.HandleMessage(context.Background(), json.RawMessage(toolCall(1, "memory_store", `{"title":"`+title+`","content":"about `+title+`","dedup":"strict"}`)))
		}
		text, err := json.Marshal(s.HandleMessage(context.Background(), json.RawMessage(toolCall(2, tool, arguments))))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Error  *struct{ Message string }
			Result struct {
				IsError    bool
				Content    []json.RawMessage
				Structured struct {
					Error struct{ Code string }
				} `json:"structuredContent"`
			}
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%s %s: %s is not an answer: %v", tool, arguments, text, err)
		}
		switch {
		case answer.Error != nil:
		case len(answer.Result.Content) == 0:
			t.Errorf("%s %s: the answer %s has no content", tool, arguments, text)
		case answer.Result.IsError != (answer.Result.Structured.Error.Code != "") || answer.Result.Structured.Error.Code == string(fault.Internal):
			t.Errorf("%s %s: %s", tool, arguments, text)
		}
	})
}
