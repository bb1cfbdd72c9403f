package db_test

import (
	"testing"

	"hence/internal/db"
	"hence/internal/fault"
)

type place struct {
	Title string  `json:"t"`
	Score float64 `json:"s"`
}

func TestACursorIsOfOneList(t *testing.T) {
	at := place{"a/b.md", 0.5}
	for _, c := range []struct {
		name, text string
		want       fault.Code
	}{
		{"Own", db.Cursor("notes", at), ""},
		{"None", "", ""},
		{"OfAnotherList", db.Cursor("tags", at), fault.InvalidArgument},
		{"OfOtherFields", db.Cursor("notes", map[string]any{"t": "x", "other": 1}), fault.InvalidArgument},
		{"OfAnotherType", db.Cursor("notes", "x"), fault.InvalidArgument},
		{"NotBase64", "!", fault.InvalidArgument},
		{"Empty", "e30", fault.InvalidArgument},
		{"Null", "bnVsbA", fault.InvalidArgument},
		{"WithMoreBehind", db.Cursor("notes", at) + "e30", fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got place
			if err := db.ReadCursor("list_notes", "notes", c.text, &got); fault.CodeOf(err) != c.want {
				t.Fatalf("ReadCursor: %v, want code %q", err, c.want)
			}
			if c.name == "Own" && got != at {
				t.Errorf("read %+v, want %+v", got, at)
			}
		})
	}
}

// FuzzCursor checks that a text is either a cursor of the list or refused, and that a cursor
// decodes to the value that was encoded.
func FuzzCursor(f *testing.F) {
	f.Add(db.Cursor("notes", place{"a/b.md", 1e308}))
	f.Add(db.Cursor("tags", place{}))
	f.Add("e30")
	f.Add("bnVsbA")
	f.Add("!")
	f.Fuzz(func(t *testing.T, text string) {
		var at, again place
		if err := db.ReadCursor("list_notes", "notes", text, &at); err != nil {
			if fault.CodeOf(err) != fault.InvalidArgument {
				t.Errorf("%q: %v, want invalid_argument", text, err)
			}
			return
		}
		if err := db.ReadCursor("list_notes", "notes", db.Cursor("notes", at), &again); err != nil || again != at {
			t.Errorf("%+v is read as %+v, %v", at, again, err)
		}
	})
}
