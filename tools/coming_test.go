package tools

import (
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// A memory that does not hold yet says from when it will, wherever an answer names it.
func TestComingIsToldInEveryAnswer(t *testing.T) {
	a := meet(t, dbtest.New(t), Options{})
	a.ask("memory_store", `{"content": "the ferry leaves at ten", "title": "Summer timetable", "valid_from": "2998-05-01"}`)
	a.ask("memory_store", `{"content": "the café opens at nine", "title": "Café", "links": [{"to": "Summer timetable", "type": "depends-on"}]}`)
	a.ask("memory_store", `{"content": "the ferry leaves at noon", "title": "Winter timetable", "links": [{"from": "Summer timetable", "type": "supersedes"}, {"to": "Café", "type": "causes"}]}`)
	for _, c := range []struct{ tool, arguments string }{
		{"memory_search", `{"query": "ferry"}`},
		{"memory_get", `{"id": "Summer timetable"}`},
		{"memory_get", `{"id": "Café", "include_edges": true}`},
		{"memory_get", `{"id": "Winter timetable"}`},
		{"memory_list", `{}`},
		{"expand", `{"seeds": ["Café"]}`},
		{"memory_trace", `{"id": "Café"}`},
		{"memory_path", `{"from_id": "Café", "to_id": "Summer timetable"}`},
		{"get_neighborhood", `{"id": "Café"}`},
		{"memory_history", `{"id": "Summer timetable"}`},
		{"memory_history", `{"id": "Winter timetable"}`},
	} {
		result := a.ask(c.tool, c.arguments)
		if body := string(structured(t, result)); !strings.Contains(body, `"begins":"2998-05-01T00:00:00.000Z"`) {
			t.Errorf("%s %s does not say when it begins: %s", c.tool, c.arguments, body)
		}
		if text := text(t, result); !strings.Contains(text, "not yet: from 2998-05-01") {
			t.Errorf("%s %s does not say it in words:\n%s", c.tool, c.arguments, text)
		}
	}
}
