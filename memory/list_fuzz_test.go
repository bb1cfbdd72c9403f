package memory

import (
	"context"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// FuzzCursor: a text is a cursor or refused as one that is none, and a cursor
// that is written out is read as the same.
func FuzzCursor(f *testing.F) {
	for _, c := range []cursor{{"recent", 0.5, "2026-01-01T00:00:00.000Z", "m"}, {"importance", 1e308, "", "\u2028"}, {}} {
		f.Add(c.String(), c.Order)
	}
	f.Add("e30", "recent")
	f.Add("!", "created")
	f.Add("bnVsbA", "")
	d, remove := dbtest.NewEmpties(f).Next(f)
	f.Cleanup(remove)
	f.Fuzz(func(t *testing.T, text, order string) {
		if c, err := parseCursor(text, order); err == nil && text != "" {
			if again, err := parseCursor(c.String(), order); err != nil || again != c {
				t.Errorf("%+v is read as %+v, %v", c, again, err)
			}
		} else if text != "" && fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%q: %v, want invalid_argument", text, err)
		}
		for _, order := range []string{"recent", "created", "importance"} {
			if _, err := (Store{DB: d}).List(context.Background(), ListArgs{Cursor: text, Order: order}); err != nil && fault.CodeOf(err) != fault.InvalidArgument {
				t.Errorf("a list by %s from %q: %v", order, text, err)
			}
		}
	})
}
