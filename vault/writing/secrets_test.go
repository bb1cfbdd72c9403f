package writing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/writing"
)

// A write that adds a secret to a note has a warning about it. It does not change the text,
// and does not warn about secrets that were there before.
func TestNewSecretsAreWarnedAbout(t *testing.T) {
	key := func(letter string) string { return "AK" + "IA" + strings.Repeat(letter+"7", 8) }
	f := newFolder(t, map[string]string{"old.md": "mine " + key("A") + "\n"})
	f.Imports()
	warnings := func(r writing.WriteResult) string { return strings.Join(r.Warnings, "; ") }
	const want = "looks like a secret (aws-key), and stays in the file; remove it, unless it is not a secret"
	if got := warnings(must(t)(f.create("new", "a\nb "+key("B")+"\n"))); got != "line 2 "+want {
		t.Errorf("create_note: %q", got)
	}
	for _, c := range []struct{ content, want string }{
		{"and more", ""}, {"and " + key("A"), ""}, {"and " + key("C"), "line 4 " + want},
	} {
		r, err := f.update(writing.UpdateNoteArgs{Path: "old", Mode: "append", Content: &c.content})
		if diff := cmp.Diff(c.want, warnings(r)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.content, err, diff)
		}
	}
}
