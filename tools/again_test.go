package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/receipts"
	"hence/internal/ref"
)

// What a tool that reads answered is the same when it is asked again, while nothing has changed.
func TestReadAgain_IsTheSame(t *testing.T) {
	dbtest.SkipUnderRace(t)
	d := newNeighbours(t).shared
	by := ref.Caller{Actor: "bot", Origin: ref.Agent}
	var all []receipts.Receipt
	s, err := New(d, by, Options{Toolsets: Toolsets(), Stamped: d, Session: "s", Observers: []func(receipts.Receipt){func(r receipts.Receipt) { all = append(all, r) }}})
	if err != nil {
		t.Fatal(err)
	}
	a := greet(t, s)
	asked := map[string]bool{}
	for _, tool := range All() {
		for _, arguments := range calls[tool.Name] {
			if tool.Hints.ReadOnly && tool.Name != "memory_replay" {
				a.ask(tool.Name, strings.ReplaceAll(arguments, "NAME", `"Ground"`))
			}
		}
	}
	for _, r := range all {
		if r.Outcome != receipts.OK {
			continue
		}
		asked[r.Tool] = true
		if got, err := ReadAgain(t.Context(), ref.View{DB: d, Caller: by}, r.Tool, json.RawMessage(r.Arguments)); err != nil || !bytes.Equal(receipts.HashOf(got), r.Hash) {
			t.Errorf("%s %s is another answer: %s, %v", r.Tool, r.Arguments, got, err)
		}
	}
	if len(asked) < 10 {
		t.Errorf("only %v are asked again", asked)
	}
	if _, err := ReadAgain(t.Context(), ref.View{DB: d, Caller: by}, "memory_store", json.RawMessage(`{"content": "x"}`)); err == nil {
		t.Error("a tool that writes is asked again")
	}
}

// A text that is edited while it is read is named by the receipt, which does not say that it was shown: it may be either.
func TestReceipts_NoTextThatChangedMeanwhile(t *testing.T) {
	d := newNeighbours(t).alone
	edits, parts := false, 0
	a := meet(t, d, Options{
		Stamped: d, Session: "s",
		Refresh: func(ctx context.Context, _ string) { // before the answer is read
			if edits {
				dbtest.Script(t, d.Path(), `update memories set content = content || '.' where content <> ''`)
			}
		},
		Observers: []func(receipts.Receipt){func(r receipts.Receipt) {
			for _, one := range r.Shown {
				if one.From != one.To {
					parts++
				}
			}
		}},
	})
	for _, c := range []struct{ tool, arguments string }{
		{"memory_get", `{"id": "Decision"}`}, {"memory_search", `{"query": "ground"}`}, {"memory_search", `{"query": "ground", "detail": "full"}`},
		{"memory_get", `{"ids": ["Decision", "Newer ground"]}`}, {"memory_brief", `{}`}, {"find_related", `{"id": "Decision"}`},
	} {
		for _, edits = range []bool{false, true} {
			parts = 0
			if r := a.ask(c.tool, c.arguments); r.IsError {
				t.Fatalf("%s: %s", c.tool, text(t, r))
			}
			if edits && parts > 0 || !edits && parts == 0 {
				t.Errorf("%s %s, edited while it was read %t: the receipt has %d parts of texts", c.tool, c.arguments, edits, parts)
			}
		}
	}
}
