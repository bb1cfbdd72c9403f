package vault

import (
	"testing"

	"hence/internal/fault"
)

// FuzzCursor: a text is a cursor or refused as one that is none, and a cursor
// that is written out is read as the same.
func FuzzCursor(f *testing.F) {
	f.Add(cursorAfter("list_notes", afterNote{"v", "a/b.md"}), "list_notes")
	f.Add(cursorAfter("", afterNote{}), "")
	f.Add("e30", "")
	f.Add("bnVsbA", "x")
	f.Add("!", "x")
	f.Fuzz(func(t *testing.T, text, list string) {
		key, err := parseCursor[afterNote](list, text)
		if err != nil {
			if fault.CodeOf(err) != fault.InvalidArgument {
				t.Errorf("%q: %v, want invalid_argument", text, err)
			}
			return
		}
		if again, err := parseCursor[afterNote](list, cursorAfter(list, key)); err != nil || again != key {
			t.Errorf("%+v is read as %+v, %v", key, again, err)
		}
	})
}
