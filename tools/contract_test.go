package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// Searches, lists, every walk and the overview accept both times and include_ended, and
// refuse a time that is malformed.
func TestContract_TwoTimes(t *testing.T) {
	a := meet(t, dbtest.New(t), Options{})
	get[map[string]any](a, "memory_store", `{"title": "One", "content": "the ferry"}`)
	get[map[string]any](a, "memory_store", `{"title": "Two", "content": "the quay", "links": [{"to": "One", "type": "causes"}]}`)
	for tool, arguments := range map[string]string{
		"memory_search": `"query": "ferry"`, "memory_list": ``, "find_related": `"id": "One"`,
		"memory_path": `"from_id": "Two", "to_id": "One"`, "expand": `"seed_doc_ids": ["One"], "hops": 1`,
		"get_neighborhood": `"id": "One"`, "memory_trace": `"id": "One", "direction": "upstream"`, "graph_overview": ``,
	} {
		with := func(more string) string { return "{" + strings.TrimPrefix(arguments+", "+more, ", ") + "}" }
		for _, more := range []string{
			`"as_of": "now"`, `"as_of": "2999-01"`, `"known_at": "2999-01-01T00:00:00+02:00"`, `"as_of": "today", "known_at": "now"`, `"include_ended": true`,
		} {
			get[map[string]any](a, tool, with(more))
		}
		for _, more := range []string{`"as_of": "2026-02-30"`, `"known_at": "2026-13"`, `"as_of": "soon"`} {
			refusal := a.refused(tool, with(more))
			if name, _, _ := strings.Cut(strings.TrimPrefix(more, `"`), `"`); refusal.Code != string(fault.InvalidArgument) || !strings.Contains(refusal.Message, name) {
				t.Errorf("%s %s: %s: %s", tool, more, refusal.Code, refusal.Message)
			}
		}
	}
}

// Lists, searches and calls that store refuse a period that ends before it begins.
func TestContract_TimesInOrder(t *testing.T) {
	a := meet(t, dbtest.New(t), Options{})
	get[map[string]any](a, "memory_store", `{"title": "One", "content": "the ferry"}`)
	get[map[string]any](a, "memory_store", `{"title": "Two", "content": "the quay"}`)
	for tool, arguments := range map[string]string{
		"memory_search": `{"query": "x", "since": "2026-03", "until": "2026-02"}`,
		"memory_list":   `{"since": "today", "until": "yesterday"}`,
		"memory_store":  `{"content": "x", "valid_from": "2026-03-02", "valid_to": "2026-03-01"}`,
		"memory_link":   `{"from": "One", "to": "Two", "type": "causes", "valid_from": "2026-03-02T00:00:00Z", "valid_to": "2026-03-02T00:00:00Z"}`,
	} {
		if refusal := a.refused(tool, arguments); refusal.Code != string(fault.InvalidArgument) {
			t.Errorf("%s: %s: %s", tool, refusal.Code, refusal.Message)
		}
	}
}

// Types, origins and directions may be written with hyphens or underscores, by inverse
// names, and in upper or lower case. No types means all declared types.
func TestContract_TypesAndDirections(t *testing.T) {
	a := meet(t, dbtest.New(t), Options{})
	get[map[string]any](a, "memory_store", `{"title": "One", "content": "the ferry"}`)
	get[map[string]any](a, "memory_store", `{"title": "Two", "content": "the quay", "links": [{"to": "One", "type": "depends_on"}]}`)
	get[map[string]any](a, "memory_store", `{"title": "Three", "content": "the crane", "links": [{"to": "Two", "type": "relates-to"}]}`)
	reach := func(seed, more string) string {
		names := []string{}
		r, _ := get[walk.ExpandResult](a, "expand", fmt.Sprintf(`{"seed_doc_ids": [%q], "hops": 3%s}`, seed, more))
		for _, one := range r.Results {
			names = append(names, one.Title)
		}
		return strings.Join(names, " ")
	}
	got := map[string]string{}
	want := map[string]string{
		``:                                "Two Three",
		`, "edge_types": []`:              "Two Three",
		`, "edge_types": ["depends-on"]`:  "Two",
		`, "edge_types": ["Depends_On"]`:  "Two",
		`, "edge_types": ["relates_to"]`:  "",
		`, "edge_types": ["required-by"]`: "Two",
		`, "origins": ["agent"]`:          "Two Three",
		`, "origins": ["wikilink"]`:       "",
		`, "edge_types": ["wikilink"]`:    "",
		`, "direction": "forward"`:        "",
		`, "direction": "outgoing"`:       "",
		`, "direction": "backward"`:       "Two Three",
		`, "direction": "incoming"`:       "Two Three",
	}
	for more := range want {
		got[more] = reach("One", more)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, more := range []string{`, "edge_types": ["likes"]`, `, "origins": ["rumour"]`, `, "direction": "sideways"`} {
		if refusal := a.refused("expand", `{"seed_doc_ids": ["One"], "hops": 1`+more+`}`); refusal.Code != string(fault.InvalidArgument) {
			t.Errorf("%s: %s: %s", more, refusal.Code, refusal.Message)
		}
	}
}
