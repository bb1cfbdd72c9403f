package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

const lost = "this may be outdated: the store's node has not heard from its cluster for 14s"

// A server whose node has lost its cluster says so in every answer, in text and structure.
// Otherwise answers have no warning.
func TestOutdatedIsToldInEveryAnswer(t *testing.T) {
	said := ""
	a := meet(t, dbtest.New(t), Options{Outdated: func() string { return said }})
	calls := []struct{ tool, arguments string }{
		{"memory_store", `{"content": "the ferry leaves at nine", "title": "Ferry"}`},
		{"memory_get", `{"id": "Ferry"}`},
		{"memory_get", `{"id": "Nowhere"}`},
		{"memory_search", `{"query": "ferry"}`},
		{"memory_list", `{}`},
		{"memory_brief", `{}`},
		{"graph_overview", `{}`},
		{"memory_path", `{"from_id": "Ferry", "to_id": "Ferry"}`},
	}
	for _, said = range []string{"", lost} {
		for _, c := range calls {
			result := a.ask(c.tool, c.arguments)
			var object map[string]any
			if err := json.Unmarshal(structured(t, result), &object); err != nil {
				t.Fatalf("%s: %v", c.tool, err)
			}
			told, _ := object["outdated"].(string)
			if inText := strings.Contains(text(t, result), "warning: "+lost); told != said || inText != (said != "") {
				t.Errorf("%s %s says %q, and in its text %v; want %q", c.tool, c.arguments, told, inText, said)
			}
		}
	}
}

// The warning is within the budget of a call.
func TestOutdatedKeepsTheBudget(t *testing.T) {
	d := dbtest.New(t)
	for i := range 60 {
		dbtest.Script(t, d.Path(), fmt.Sprintf(`insert into memories (title, content) values ('Ferry %d', 'the ferry number %d leaves at nine from the northern quay')`, i, i))
	}
	a := meet(t, d, Options{Outdated: func() string { return lost }})
	for _, budget := range []int{64, 120, 400, 1000} {
		for _, c := range []string{"memory_search", "memory_list", "memory_brief"} {
			arguments := map[string]any{"token_budget": budget}
			if c == "memory_search" {
				arguments["query"] = "ferry"
			}
			raw, err := json.Marshal(arguments)
			if err != nil {
				t.Fatal(err)
			}
			result := a.ask(c, string(raw))
			body := structured(t, result)
			if len(body) > 4*budget || len(text(t, result)) > 4*budget {
				t.Errorf("%s within %d tokens has %d bytes and a text of %d", c, budget, len(body), len(text(t, result)))
			}
			if !strings.Contains(string(body), lost) || !strings.Contains(text(t, result), lost) {
				t.Errorf("%s within %d tokens does not warn", c, budget)
			}
		}
	}
}
