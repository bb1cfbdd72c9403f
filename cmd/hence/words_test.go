package main

import (
	"strings"
	"testing"

	"hence/cmd/hence/internal/screen"
	"hence/internal/ref"
)

func TestName_HowAMemoryMayBeCalledAgain(t *testing.T) {
	for _, test := range []struct{ title, id, uri, name, beside string }{
		{"Plan", "id-1", "", "id-1", "id-1"},
		{"Plan", "id-1", "obsidian-fs://v/a/b/Plan.md", "a/b/Plan.md", "a/b/"},
		{"Plan", "id-1", "obsidian-fs://v/Plan.md", "Plan.md", ""},
		{"map.canvas", "id-1", "obsidian-fs://v/a/map.canvas", "a/map.canvas", "a/"},
		{"Another title", "id-1", "obsidian-fs://v/a/Plan.md", "a/Plan.md", "a/Plan.md"},
		{"Plan", "id-1", "https://example.org/Plan", "https://example.org/Plan", "https://example.org/Plan"},
	} {
		if got := name(test.id, test.uri); got != test.name {
			t.Errorf("name(%q) = %q, want %q", test.uri, got, test.name)
		}
		if got := besideTitle(test.title, test.id, test.uri); got != test.beside {
			t.Errorf("besideTitle(%q, %q) = %q, want %q", test.title, test.uri, got, test.beside)
		}
	}
}

// drawn returns what a page without a window shows.
func drawn(t *testing.T, draw func(*view)) string {
	t.Helper()
	var out strings.Builder
	v := &view{Page: screen.NewPage(&out, 0, false), find: func(id string) (m ref.Memory) {
		m.Named = ref.Named{ID: id, Title: "title of " + id}
		return m
	}}
	draw(v)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	return "\n" + out.String()
}
