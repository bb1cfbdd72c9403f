package writing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/writing"
)

// A tool that writes a secret into a note is told so, once; the file is not changed by
// that, and what was in it is its owner's affair.
func TestSecretsThatAreWrittenAreToldOf(t *testing.T) {
	key := func(letter string) string { return "AK" + "IA" + strings.Repeat(letter+"7", 8) }
	f := newFolder(t, map[string]string{"old.md": "mine " + key("A") + "\n"})
	f.Imports()
	told := func(r writing.WriteResult) string { return strings.Join(r.Warnings, "; ") }
	const want = "looks like a secret (aws-key), and stays in the file: take it out, unless it is none"
	if got := told(must(t)(f.create("new", "a\nb "+key("B")+"\n"))); got != "line 2 "+want {
		t.Errorf("create_note: %q", got)
	}
	for _, c := range []struct{ content, want string }{
		{"and more", ""}, {"and " + key("A"), ""}, {"and " + key("C"), "line 4 " + want},
	} {
		r, err := f.update(writing.UpdateNoteArgs{Path: "old", Mode: "append", Content: &c.content})
		if diff := cmp.Diff(c.want, told(r)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.content, err, diff)
		}
	}
}
