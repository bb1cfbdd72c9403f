package explore

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	_ "hence/internal/repeattest"
)

// TestAmongAgreesWithTheWorld requests the edges between some memories of a random world,
// with unknown ids among theirs.
func TestAmongAgreesWithTheWorld(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w, others := draw(t, graphtest.Shape{Mems: 8, Ties: 30, Hide: true}), newWorld()
		others.Tie("a", edges.Causes, "b")
		w.Store(t, d, nil, nil)
		others.Store(t, d, nil, nil)
		a := AmongArgs{IDs: []string{others.ID("a"), others.ID("b"), "nobody"}, Types: graphtest.DrawTypes(t)}
		for _, m := range w.Mems {
			if rapid.Bool().Draw(t, "chosen") {
				a.IDs = append(a.IDs, m.ID, m.ID)
			}
		}
		kinds, want := graphtest.ReadKinds(t, a.Types), []walk.Link{}
		for _, e := range w.Ties {
			if slices.Contains(kinds, e.Kind) && slices.Contains(a.IDs, e.FromID) && slices.Contains(a.IDs, e.ToID) {
				want = append(want, walk.Link{From: e.FromID, To: e.ToID, Type: e.Kind, Rel: e.Rel})
			}
		}
		slices.SortFunc(want, func(a, b walk.Link) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel))
		})
		got, err := w.reader(d).ReadAmong(ctx, a)
		if diff := gocmp.Diff(AmongResult{Edges: want}, got); diff != "" || err != nil {
			t.Fatalf("%v (-world +store):\n%s", err, diff)
		}
	})
}

func TestAmongRefuses(t *testing.T) {
	w := newWorld()
	w.Tie("a", edges.Causes, "b")
	d := dbtest.New(t)
	w.Store(t, d, nil, nil)
	among := func(a AmongArgs) error { _, err := w.reader(d).ReadAmong(ctx, a); return err }
	for _, c := range []struct {
		name string
		err  error
		want fault.Code
	}{
		{"TooManyAmong", among(AmongArgs{IDs: slices.Repeat([]string{"x"}, 2001)}), fault.TooLarge},
		{"NoneAmong", among(AmongArgs{}), fault.InvalidArgument},
		{"NoTypeAmong", among(AmongArgs{IDs: []string{"x"}, Types: []string{"hates"}}), fault.InvalidArgument},
	} {
		if fault.CodeOf(c.err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, c.err, c.want)
		} else if strings.Contains(c.err.Error(), "json") {
			t.Errorf("%s says %v", c.name, c.err)
		}
	}
}
