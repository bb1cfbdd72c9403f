package edit_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"hence/vault/note"
	"hence/vault/writing/edit"
)

// FuzzSet sets a property of any text. Either Set fails, or the new text has the property,
// and everything after the frontmatter is unchanged.
func FuzzSet(f *testing.F) {
	for _, source := range []string{
		"", "---\n", "---\na: 1\n---\nbody", "\uFEFF---\r\na: [x,\r\n y] # c\r\n---\r\nb", "---\na: |\n  x\n # y\nb:\n  - 1\n---",
		"---\n{a: 1}\n---\n", "---\na: &x 1\nb: *x\n---\n", "---\n? a\n: b\n---\n", "---\n\"a\": 'x'\n...\n---\n", "---\na: b\u2028c: d\n---\n", "---\na:\tb\n---\n",
	} {
		f.Add(source, "a", "[[x]]: #y\n")
	}
	f.Fuzz(func(t *testing.T, source, name, value string) {
		got, err := edit.Set([]byte(source), map[string]any{name: []any{value, "x"}}, nil)
		if err != nil {
			var refused *edit.YAMLError
			if !errors.As(err, &refused) || refused.Line < 1 {
				t.Fatalf("%v is not a YAMLError with a line", err)
			}
			return
		}
		before, after := note.Parse([]byte(source)), note.Parse(got)
		list, _ := after.Properties[strings.ToValidUTF8(name, "\uFFFD")].([]any)
		if len(list) != 2 || list[0] != strings.ToValidUTF8(value, "\uFFFD") || list[1] != "x" {
			t.Fatalf("reading gives %#v of\n%q", after.Properties, got)
		}
		if !bytes.HasSuffix(got, afterLines(source, before.Frontmatter.Last)) {
			t.Fatalf("the body has changed: %q to %q", source, got)
		}
	})
}

// afterLines returns a text without its first lines and its byte order mark.
func afterLines(text string, lines int) []byte {
	text = strings.TrimPrefix(text, "\uFEFF")
	for range lines {
		_, text, _ = strings.Cut(text, "\n")
	}
	return []byte(text)
}

// FuzzPatch patches any text. If no text has "\r", the result equals that of
// strings.ReplaceAll.
func FuzzPatch(f *testing.F) {
	f.Add("a\r\nb\r\na", "a", "c\n", true)
	f.Add("aaa", "aa", "", false)
	f.Add("\r\r\n\n", "\n", "x", false)
	f.Fuzz(func(t *testing.T, source, find, replace string, all bool) {
		if find == "" {
			return
		}
		got, replaced, err := edit.Patch([]byte(source), find, replace, all)
		unix := strings.NewReplacer("\r\n", "\n")
		plain, wanted := unix.Replace(source), unix.Replace(find)
		count := strings.Count(plain, wanted)
		if err != nil {
			var wrong *edit.CountError
			if !errors.As(err, &wrong) || count > 0 && (all || wrong.Count < 2) || count == 0 && wrong.Count != 0 {
				t.Fatalf("%v, and it is there %d times", err, count)
			}
			return
		}
		if count == 0 || count > 1 && !all || replaced != count {
			t.Fatalf("patched %d places of what is there %d times", replaced, count)
		}
		if strings.Contains(source, "\r") || strings.Contains(find, "\r") || strings.Contains(replace, "\r") {
			return
		}
		if want := strings.ReplaceAll(source, find, replace); string(got) != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// FuzzRetarget gives every link of any text another target: all edits are within the link,
// and nothing panics.
func FuzzRetarget(f *testing.F) {
	for _, source := range []string{
		"[[a]] ![[b#c|d]] [x](y.md) ![x](<y z.md#a> \"t\")", "---\na: [[x]]\nb: 'see [[y]] [z](w)'\n---\n| [[a\\|b]] |\n|---|\n",
		"[![](a)](b)", "[a](b%23.md#c)", "[a](&#39;#b)", "> [a\n> b](c.md)",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, l := range note.Parse([]byte(source)).Links {
			for _, e := range edit.Retarget([]byte(source), l, "It's new", "shown") {
				if e.Start < l.Span.Start.Offset || e.End > l.Span.End.Offset || e.Start > e.End {
					t.Fatalf("%+v is outside of its link %+v", e, l)
				}
			}
		}
	})
}
