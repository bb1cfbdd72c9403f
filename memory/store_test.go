package memory_test

import (
	"fmt"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
)

func newStore(t testing.TB) memory.Store {
	return memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
}

// remember stores a memory whose title and content are one word.

func remember(t testing.TB, s memory.Store, word string, more ...func(*memory.StoreArgs)) memory.Memory {
	t.Helper()
	a := memory.StoreArgs{Title: &word, Content: word}
	for _, change := range more {
		change(&a)
	}
	result, err := s.Remember(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.Memory
}

// stored reads a memory with its content.
func stored(t testing.TB, s memory.Store, id string) memory.Memory {
	t.Helper()
	opened, err := s.Open(t.Context(), memory.GetArgs{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return opened.Memories[0].Memory
}

func pointer[T any](v T) *T { return &v }

// nested is a list within lists, of a depth.

func nested(depth int) any {
	value := any("x")
	for range depth {
		value = []any{value}
	}
	return value
}

func manyTags(n int) []string {
	tags := []string{}
	for i := range n {
		tags = append(tags, fmt.Sprint("tag", i))
	}
	return tags
}

// The rules of the schema refuse such a row. A read that meets one, written

// without the rules, says which it is.

func TestNamespacesAreKeptApart(t *testing.T) {
	s := newStore(t)
	remember(t, s, "here")
	confined := memory.Store{DB: s.DB, Caller: ref.Caller{Namespace: "team", Confined: true}}
	remember(t, confined, "there")
	if _, err := confined.Open(t.Context(), memory.GetArgs{ID: "here"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Open across namespaces: %v, want not_found", err)
	}
	if got, err := confined.List(t.Context(), memory.ListArgs{}); err != nil || got.TotalCount != 1 {
		t.Errorf("List = %+v, %v; want one memory", got, err)
	}
	if _, err := confined.List(t.Context(), memory.ListArgs{Namespace: "default"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("List of another namespace: %v, want not_found", err)
	}
	if got, err := s.List(t.Context(), memory.ListArgs{}); err != nil || got.TotalCount != 2 {
		t.Errorf("List of all = %+v, %v; want both", got, err)
	}
}

// Lengths of words are in characters, as in the schema.

// A new memory is tied to those of the namespace that it goes to, whatever the

// caller's own is.

// A warning that a budget has no room for is not dropped in silence.

// What to know at the start is what holds.

// What was done to a memory since then counts, though its text is as it was.
