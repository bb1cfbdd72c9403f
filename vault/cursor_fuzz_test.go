package vault

import (
	"testing"

	"hence/internal/fault"
)

// FuzzCursor: a text is a cursor or refused as one that is none, and a cursor
// that is written out is read as the same.
func FuzzCursor(f *testing.F) {
	const list = "list_notes"
	f.Add(cursorAfter(list, afterNote{"v", "a/b.md"}))
	f.Add(cursorAfter("get_backlinks", afterPlace{}))
	f.Add("e30")
	f.Add("bnVsbA")
	f.Add("!")
	f.Fuzz(func(t *testing.T, text string) {
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
