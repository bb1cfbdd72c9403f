package tools

import (
	"fmt"
	"strings"
	"testing"

	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db/dbtest"
	"hence/memory"
)

// The answer to a write does not echo a long text or the notes of edges, and lists few of many
// edges, so that it keeps the bound of an answer.
func TestAnswersOfWritesAreShort(t *testing.T) {
	a := meet(t, dbtest.New(t), Options{})
	const most = 4000
	short := func(name string, answer any) {
		t.Helper()
		if tokens, err := budget.Tokens(answer); err != nil || tokens > most {
			t.Errorf("%s answers with %d tokens, %v", name, tokens, err)
		}
	}
	long, _ := get[memory.StoreResult](a, "memory_store", `{"title": "Long", "content": "`+strings.Repeat("The ferry leaves at nine. ", 4000)+`"}`)
	get[memory.ForgetResult](a, "memory_forget", `{"id": "`+long.Memory.ID+`"}`)
	restored, _ := get[memory.RestoreResult](a, "memory_restore", `{"id": "`+long.Memory.ID+`"}`)
	short("memory_restore", restored)
	verified, _ := get[memory.VerifyResult](a, "memory_verify", `{"id": "`+long.Memory.ID+`"}`)
	short("memory_verify", verified)

	note, links, pairs := strings.Repeat("because ", 250), []string{}, []string{}
	for i := range 60 {
		end := fmt.Sprint("End ", i)
		get[memory.StoreResult](a, "memory_store", `{"title": "`+end+`", "content": "Text `+fmt.Sprint(i)+`"}`)
		links = append(links, `{"to": "`+end+`", "type": "supports", "note": "`+note+`"}`)
		pairs = append(pairs, `{"from": "Long", "to": "`+end+`", "type": "supports", "note": "`+note+`"}`)
	}
	stored, _ := get[memory.StoreResult](a, "memory_store", `{"content": "Many rest on it.", "links": [`+strings.Join(links, ",")+`]}`)
	short("memory_store", stored)
	linked, _ := get[belief.LinkResult](a, "memory_link", `{"links": [`+strings.Join(pairs, ",")+`]}`)
	short("memory_link", linked)
	if len(linked.Edges) != 20 || len(linked.Warnings) != 1 || !strings.Contains(linked.Warnings[0], "40 more") {
		t.Errorf("%d edges are listed, warnings %q", len(linked.Edges), linked.Warnings)
	}
}
