package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// Under protocol version 2026-07-28, logging is not announced, and what never changes in a process
// is fresh for an hour; what changes is not.
func TestDiscover(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	s := newServer(t, dbtest.New(t))
	ask := func(message string) string {
		answer, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(message)))
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	for method, ttl := range map[string]string{
		"server/discover": "3600000", "tools/list": "3600000", "prompts/list": "3600000", "resources/list": "3600000", "resources/templates/list": "3600000",
		"resources/read": "0",
	} {
		got := ask(request(1, method, `{"uri":"hence://overview",`+meta+`}`))
		if !strings.Contains(got, `"ttlMs":`+ttl+`,`) || strings.Contains(got, `"logging"`) {
			t.Errorf("%s is not fresh for %s ms, or announces logging: %.300s", method, ttl, got)
		}
	}
	older := ask(request(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`))
	if !strings.Contains(older, `"logging":{}`) || strings.Contains(older, "ttlMs") {
		t.Errorf("initialize: %s", older)
	}
}
