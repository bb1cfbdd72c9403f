package db_test

import (
	"strings"
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
		{"OfOtherFields", db.Cursor("notes", struct{ Title, Other string }{"x", "y"}), fault.InvalidArgument},
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
	f.Add(db.Cursor("notes", place{"2026-01-01T00:00:00.000Z", 1}))
	f.Add(db.Cursor("notes", place{"01a21575-36c0-721f-a389-89598c595527", -1}))
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
		if err := db.ReadCursor("list_notes", "notes", db.Cursor("notes", at), &again); err != nil || again != at && at.Score == at.Score {
			t.Errorf("%+v is read as %+v, %v", at, again, err)
		}
	})
}

// A cursor costs few tokens (of 4 bytes), whatever it holds.
func TestCursor_Size(t *testing.T) {
	const id, at = "01a21575-36c0-721f-a389-89598c595527", "2026-11-26T01:25:36.587Z"
	for _, c := range []struct {
		name      string
		end       any
		maxTokens int
	}{
		{"TimeAndID", struct{ At, ID string }{at, id}, 12},
		{"ImportanceTimeAndKey", struct {
			Importance float64
			At         string
			Key        int64
		}{0.123456789, at, 1 << 40}, 12},
		{"Mark", db.NewMark(1<<30, id), 12},
		{"OneResult", make([]byte, 4), 2},
		{"TenResults", make([]byte, 40), 20},
		{"ThousandResults", make([]byte, 4000), 2000},
	} {
		if got := (len(db.Cursor("list by recent", c.end)) + 3) / 4; got > c.maxTokens {
			t.Errorf("%s: %d tokens, want at most %d", c.name, got, c.maxTokens)
		}
	}
}

func TestMark_Skip(t *testing.T) {
	list := strings.Split("abcdefgh", "")
	for _, c := range []struct {
		name, now string
		want      int
	}{
		{"Same", "abcdefgh", 3},
		{"EarlierGone", "acdefgh", 2},
		{"EarlierNew", "axbycdefgh", 5},
		{"LastGone", "abdefgh", 2},
		{"AllGone", "", 0},
		{"Shorter", "ab", 1},
		{"OnlyTheLast", "c", 1},
		{"MovedFar", "abdefghc", 8},
	} {
		now := strings.Split(c.now, "")
		if c.now == "" {
			now = nil
		}
		if got := db.NewMark(3, list[2]).Skip(len(now), func(i int) string { return now[i] }); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := (db.Mark{}).Skip(5, func(int) string { return "" }); got != 0 {
		t.Errorf("no mark skips %d", got)
	}
}
