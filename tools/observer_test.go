package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hence/internal/db/dbtest"
	"hence/internal/receipts"
	"hence/memory"
)

// An observer gets the outcome of every call, including failures, but no arguments.
func TestObservers(t *testing.T) {
	var seen []receipts.Receipt
	a := meet(t, dbtest.New(t), Options{Observers: []func(receipts.Receipt){func(c receipts.Receipt) { seen = append(seen, c) }}})
	a.ask("memory_store", `{"content": "a secret", "tags": ["x", "y"], "pinned": true, "importance": 0.5, "properties": {"secret": 1}, "confidence": null}`)
	a.ask("memory_get", `{"id": "secret"}`)
	a.ask("memory_get", `{"secret": "secret"}`)
	a.ask("memory_get", `["secret"]`)
	a.ask("memory_list", ``)
	want := []receipts.Receipt{
		{Actor: "claude", Tool: "memory_store", Outcome: "ok"},
		{Actor: "claude", Tool: "memory_get", Outcome: "not_found"},
		{Actor: "claude", Tool: "memory_get", Outcome: "invalid_argument"},
		{Actor: "claude", Tool: "memory_get", Outcome: "invalid_argument"},
		{Actor: "claude", Tool: "memory_list", Outcome: "ok"},
	}
	if diff := cmp.Diff(want, seen, cmpopts.IgnoreFields(receipts.Receipt{}, "At", "Took", "BytesIn", "BytesOut")); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	for _, c := range seen {
		if c.At.IsZero() || c.Took <= 0 || c.BytesOut <= 0 || (c.BytesIn == 0) != (c.Tool == "memory_list") {
			t.Errorf("%+v", c)
		}
	}
}

// An observer gets the ids of the memories that were opened, but not of those that were
// listed or found.
func TestObservers_Opened(t *testing.T) {
	opened := []string{}
	a := meet(t, dbtest.New(t), Options{Observers: []func(receipts.Receipt){func(c receipts.Receipt) { opened = append(opened, c.Opened...) }}})
	stored, _ := get[memory.StoreResult](a, "memory_store", `{"content": "the ferry"}`)
	a.ask("memory_list", `{}`)
	a.ask("memory_search", `{"query": "ferry"}`)
	if len(opened) > 0 {
		t.Errorf("opened without memory_get: %v", opened)
	}
	a.ask("memory_get", `{"ids": ["the ferry", "nothing"]}`)
	if diff := cmp.Diff([]string{stored.Memory.ID}, opened); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
}
