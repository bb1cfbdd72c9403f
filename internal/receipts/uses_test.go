package receipts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A use replaces what was known of the same session and memory, is that of one store, and goes as receipts do.
func TestUses(t *testing.T) {
	b, now := openBook(t), time.UnixMilli(time.Now().UnixMilli())
	for _, store := range []string{"one", "two"} {
		if err := b.Add(t.Context(), Receipt{Session: "s", At: now, Tool: "x", Stamp: Stamp{Store: store}}); err != nil {
			t.Fatal(err)
		}
	}
	opened := Use{"c", "s", Shown{Key: 4, Check: 9}, "opened", "", now}
	cited := Use{"c", "s", Shown{Key: 4, Check: 9}, "opened cited", "superseded", now}
	other := Use{"c", "s", Shown{Key: 5}, "", "", now.AddDate(0, 0, -100)}
	for _, u := range []Use{opened, other, cited} {
		if err := b.PutUses(t.Context(), "one", []Use{u}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, store string
		do          func() error
		want        []Use
	}{
		{"Replaced", "one", func() error { return nil }, []Use{cited, other}},
		{"OfAnotherStore", "two", func() error { return nil }, nil},
		{"OfAnUnknownStore", "three", func() error { return b.PutUses(t.Context(), "three", []Use{opened}) }, nil},
		{"Swept", "one", func() error { return b.Sweep(t.Context(), now.Add(2*sweepPause)) }, []Use{cited}},
		{"TurnedOff", "one", func() error { return b.Keep(t.Context(), 0) }, nil},
		{"NotKept", "one", func() error { return b.PutUses(t.Context(), "one", []Use{opened}) }, nil},
	} {
		if err := c.do(); err != nil {
			t.Fatal(c.name, err)
		}
		got, err := b.Uses(t.Context(), c.store)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
