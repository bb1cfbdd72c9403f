package reading_test

import (
	"strings"
	"testing"

	"hence/vault/reading"
)

func TestACutNoteSaysWhereItsTextCameFrom(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\nsource: https://a.example/b\n---\n" + strings.Repeat("a line of text\n", 500)})
	f.Imports()
	got := f.read(reading.ReadNoteArgs{Path: "a.md", TokenBudget: 400})
	if !got.Truncated || got.SourceURL != "https://a.example/b" {
		t.Errorf("truncated %v, source_url %q", got.Truncated, got.SourceURL)
	}
}
