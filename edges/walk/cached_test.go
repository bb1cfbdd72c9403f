package walk_test

import (
	"testing"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/edges/walk/adjacency"
	"hence/internal/db/dbtest"
)

// A search reads its own snapshot, even if another one updates the copy.
func TestAPathFromMemoryIsOfItsSnapshot(t *testing.T) {
	d := dbtest.New(t)
	w := &world{graphtest.Line(t, d, 6)}
	shortcut := edges.LinkArgs{From: w.ID("01"), To: w.ID("05"), Type: "causes"}
	if _, err := w.Graph(d).Link(t.Context(), shortcut); err != nil {
		t.Fatal(err)
	}
	if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	hops, err := walk.BetweenCopyAndSearch(t.Context(), d, w.ID("00"), w.ID("06"), func() {
		if _, err := w.Graph(d).Unlink(t.Context(), edges.UnlinkArgs{From: shortcut.From, To: shortcut.To, Type: "causes"}); err != nil {
			t.Fatal(err)
		}
		if got, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID("06"), MaxHops: 10}); err != nil || got.Hops != 6 {
			t.Errorf("after it: %d hops, %v", got.Hops, err)
		}
	})
	if err != nil || hops != 3 {
		t.Errorf("before it: %d hops, %v; want 3", hops, err)
	}
}
