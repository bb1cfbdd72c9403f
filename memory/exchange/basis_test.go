package exchange_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
)

// Two stores make one edge at one time, on texts that differ. A line of it must not be taken for that of the
// other store where it has the same bytes and stands beside another text.
func TestStoresThatMakeOneEdgeAtOneTimeOnTwoTextsAgreeAfterOneMeeting(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "it copies files")
	lab := newLaboratory(t)
	linkDerived, linkDepends := operation{"link", edges.DerivedFrom, "a", "b"}, operation{"link", edges.DependsOn, "b", "a"}
	editA, editB := operation{verb: "edit", from: "a"}, operation{verb: "edit", from: "b"}
	for _, copied := range []bool{false, true} {
		for _, h := range []history{
			{{editA, linkDerived}, {editB, linkDerived}},
			{{editA, linkDepends}, {editA, linkDepends}},
			{{editA, linkDepends}, {editB, linkDepends}},
		} {
			g := lab.groupOf(t, pasts[1], order{[][]int{{0, 1}, {0, 1}}, copied}, slices.Repeat([]history{h}, 16)) // the hashes of their texts decide
			for _, faults := range g.try(t, lab) {
				t.Errorf("%s, copied %v: %.2000s", h, copied, strings.Join(faults, "\n"))
			}
		}
	}
}

// meetings are the ways in which one store takes in another, and gives to it.
var meetings = map[string]func(t *testing.T, one, other *db.DB){
	"by a sync": func(t *testing.T, one, other *db.DB) {
		a := lines.ImportArgs{Name: "OTHER"}
		done, err := merge.Stores(t.Context(), ref.View{DB: one}, ref.View{DB: other}, a)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := merge.Give(t.Context(), ref.View{DB: one}, ref.View{DB: other}, done, a); err != nil {
			t.Fatal(err)
		}
	},
	"by files of which somebody has sorted the lines": func(t *testing.T, one, other *db.DB) {
		for _, pair := range [][2]*db.DB{{one, other}, {other, one}} {
			sorted := slices.Sorted(strings.SplitSeq(strings.TrimSpace(export(t, pair[1])), "\n"))
			if _, err := merge.Lines(t.Context(), ref.View{DB: pair[0]}, strings.NewReader(strings.Join(sorted, "\n")), lines.ImportArgs{Name: "sorted"}); err != nil {
				t.Fatal(err)
			}
		}
	},
}

func TestAnEdgeOnTwoTextsIsTheSameAfterASync(t *testing.T) {
	dbtest.SkipOnCluster(t, "it copies files")
	for name, meet := range meetings {
		t.Run(name, func(t *testing.T) {
			lab := newLaboratory(t)
			begin := lab.begin(t, pasts[1], 16)
			one, other := lab.open(t, begin), lab.open(t, begin)
			for store, d := range []*db.DB{other, one} { // the edges keep the ids of the other, which makes them first
				setClock(t, d, momentOf(0))
				for n := range 16 {
					for _, o := range []operation{{verb: "edit", from: "b"}, {"link", edges.DependsOn, "a", "b"}} {
						if err := o.doIn(d, prefixOf(n), fmt.Sprint("text of ", store)); err != nil {
							t.Fatal(err)
						}
					}
				}
				dateEdges(t, d, 0)
			}
			meet(t, one, other)
			if first, second := withoutRevisions(strings.Split(export(t, one), "\n")), withoutRevisions(strings.Split(export(t, other), "\n")); !slices.Equal(first, second) {
				t.Errorf("the stores differ:\n%.3000s\n%.3000s", strings.Join(first, "\n"), strings.Join(second, "\n"))
			}
			if done, err := merge.Stores(context.Background(), ref.View{DB: one}, ref.View{DB: other}, lines.ImportArgs{Name: "OTHER"}); err != nil || done.Changes() {
				t.Errorf("another merge changes %+v, %v", done.Edges, err)
			}
			for _, d := range []*db.DB{one, other} {
				lab.close(t, d)
			}
		})
	}
}
