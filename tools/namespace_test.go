package tools

import (
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// A server that was started with a namespace opens, by id, any memory that its answers for
// another namespace name.
func TestWhatAnotherNamespaceAnswersCanBeOpened(t *testing.T) {
	a := meetAs(t, dbtest.New(t), ref.Caller{Actor: "claude", Origin: "agent", Namespace: "teamx"})
	get[memory.StoreResult](a, "memory_store", `{"title": "Ours", "content": "Ours."}`)
	get[memory.StoreResult](a, "memory_store", `{"title": "Piers", "content": "The piers are long.", "namespace": "default"}`)
	get[memory.StoreResult](a, "memory_store", `{"title": "Cranes", "content": "The cranes are high.", "namespace": "default"}`)
	result, _ := get[recall.SearchResult](a, "memory_search", `{"query": "piers cranes", "namespace": "default"}`)
	if len(result.Results) != 2 {
		t.Fatalf("found %+v", result.Results)
	}
	one, two := quote(t, result.Results[0].ID), quote(t, ref.ShortID(result.Results[1].ID))
	for _, call := range [][2]string{
		{"memory_get", `{"id": ` + two + `}`},
		{"memory_link", `{"from": ` + one + `, "to": ` + two + `, "type": "depends-on"}`},
		{"find_related", `{"id": ` + one + `}`},
		{"expand", `{"seed_doc_ids": [` + one + `], "hops": 1}`},
		{"memory_path", `{"from_id": ` + one + `, "to_id": ` + two + `}`},
		{"memory_trace", `{"id": ` + one + `, "direction": "upstream"}`},
		{"memory_update", `{"id": ` + two + `, "content": "Otherwise."}`},
		{"memory_verify", `{"id": ` + one + `}`},
		{"memory_unlink", `{"from": ` + one + `, "to": ` + two + `, "type": "depends-on"}`},
		{"memory_forget", `{"id": ` + one + `}`},
		{"memory_restore", `{"id": ` + one + `}`},
	} {
		if r := a.ask(call[0], call[1]); r.IsError {
			t.Errorf("%s %s: %s", call[0], call[1], text(t, r))
		}
	}
	if e := a.refused("memory_get", `{"id": "Piers"}`); e.Code != "not_found" {
		t.Errorf("by its title: %+v", e)
	}
}
