package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/memory"
)

// Two stores say and take back the same contradiction, each from its own end, at one time or one after the other.
// They remember one removal in the end.
func TestRemovalsOfASymmetricEdgeFromBothEndsAreOne(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "it copies files")
	lab := newLaboratory(t)
	for _, at := range []order{{[][]int{{0, 1}, {0, 1}}, false}, {[][]int{{0, 1}, {0, 1}}, true}, {[][]int{{0, 1}, {2, 3}}, false}, {[][]int{{2, 3}, {0, 1}}, false}, {[][]int{{0, 3}, {1, 2}}, false}} {
		here := []operation{{"link", edges.Contradicts, "a", "b"}, {"unlink", edges.Contradicts, "b", "a"}}
		there := []operation{here[0].mirrored(), here[1].mirrored()}
		g := lab.groupOf(t, pasts[1], at, []history{{here, there}, {there, here}})
		for n, faults := range g.try(t, lab) {
			t.Errorf("%v, %v: %q", at, g.histories[n], faults)
		}
	}
}

// A store forgets a memory, and two others change it later. Whichever of the changes meets the forgetting first,
// the memory is there again, with the same stamps.
func TestAMemoryThatTwoStoresChangeAfterAThirdForgotItIsTheSameInAnyOrder(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "it copies files")
	lab := newLaboratory(t)
	forget := []operation{{verb: "forget", from: "a"}}
	histories := []history{}
	for _, one := range []string{"edit", "verify"} {
		for _, other := range []string{"edit", "verify"} {
			histories = append(histories, history{{{verb: one, from: "a"}}, {{verb: other, from: "a"}}, forget})
		}
	}
	for _, copied := range []bool{false, true} {
		g := lab.groupOf(t, pasts[1], order{[][]int{{1}, {2}, {0}}, copied}, histories)
		for n, faults := range g.try(t, lab) {
			t.Errorf("%v, copied %v: %.2000s", g.histories[n], copied, faults[0])
		}
	}
}

// tryIn tries histories at the times of an order.
func tryIn(t *testing.T, p past, o order, histories ...history) {
	t.Helper()
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "it copies files")
	lab := newLaboratory(t)
	g := lab.groupOf(t, p, o, histories)
	for n, faults := range g.try(t, lab) {
		t.Errorf("%v, at %v: %.2000s", histories[max(0, n)], o, faults[0])
	}
}

// One store purges a memory and stores it again, and others still have the old one and change it. The memory that was
// stored again is there in the end, and nothing of the old one, in any order.
func TestAMemoryThatIsStoredAgainIsNotTheOneThatWasPurged(t *testing.T) {
	again := []operation{{verb: "purge", from: "a"}, {verb: "store", from: "a"}}
	edit, purge := []operation{{verb: "edit", from: "a"}}, []operation{{verb: "purge", from: "a"}}
	link := []operation{{"link", edges.DependsOn, "a", "b"}}
	histories := []history{}
	for _, one := range [][]operation{edit, purge, link, again} {
		for _, other := range [][]operation{edit, purge, link} {
			histories = append(histories, history{again, one, other})
		}
	}
	tryIn(t, pasts[1], order{[][]int{{0, 1}, {2, 3}, {4}}, false}, histories...)
	tryIn(t, pasts[1], order{[][]int{{2, 3}, {0, 4}, {1}}, true}, histories...)
}

// The text of a purged memory stays away from a store that edits what it does not know to be purged.
func TestThePurgedTextOfAMemoryThatIsStoredAgainDoesNotComeBack(t *testing.T) {
	dbtest.SkipOnCluster(t, "it copies files")
	one, other := newPerson(t), newPerson(t)
	line := `{"type":"memory","id":"a","title":"Zeb","content":"the purged text"}`
	one.take(line)
	mergeFrom(t, other.DB, one.DB)
	other.edit("Zeb", "the purged text, edited")
	if _, err := (memory.Store{DB: one.DB, Caller: one.caller()}).Forget(t.Context(), memory.ForgetArgs{ID: "Zeb", Purge: true}); err != nil {
		t.Fatal(err)
	}
	one.take(strings.ReplaceAll(line, "the purged text", "another text"))
	syncBoth(t, other.DB, one.DB)
	for _, p := range []person{one, other} {
		if got := dbtest.Texts(t, p.DB, `select title || ' ' || content from memories`); !slices.Equal(got, []string{"Zeb another text"}) {
			t.Errorf("%q", got)
		}
		mirrored := newPerson(t) // an export of it says the same
		mirrored.take(export(t, p.DB))
		if export(t, mirrored.DB) != export(t, p.DB) {
			t.Errorf("%s\nis exported again as\n%s", export(t, p.DB), export(t, mirrored.DB))
		}
	}
}

// One store unlinks an edge, and others make it, before or after that. All end with the id and the time of the first
// that was made after the removal.
func TestAnEdgeThatIsLinkedAgainIsTheSameInAnyOrder(t *testing.T) {
	link, unlink := operation{"link", edges.Contradicts, "a", "b"}, operation{"unlink", edges.Contradicts, "a", "b"}
	mirrored := []operation{link.mirrored()}
	removed, linked := []operation{link, unlink}, []operation{link}
	histories := []history{{removed, linked, linked}, {removed, mirrored, linked}, {removed, linked, mirrored}, {linked, mirrored, linked}}
	tryIn(t, pasts[1], order{[][]int{{1, 3}, {5}, {0}}, false}, histories...)
	tryIn(t, pasts[1], order{[][]int{{0, 1}, {1}, {2}}, true}, histories...)
	// A removal is remembered beside an edge that a cycle puts out.
	depends := []operation{{"link", edges.DependsOn, "b", "a"}}
	tryIn(t, pasts[3], order{[][]int{{3}, {2}, {1}}, false}, history{{{verb: "edit", from: "b"}}, {depends[0].mirrored()}, depends})
}

// What a team's folder has of a memory that was stored again is no edit by hand of the old one.
func TestAMemoryThatIsStoredAgainReplacesTheOldOneInATeam(t *testing.T) {
	one := newTeamFolder(t)
	other := one.with(newPerson(t))
	one.take(`{"type":"memory","id":"a","title":"Zeb","content":"the purged text","tags":["old"],"created_at":"2020-01-01T00:00:00Z"}`)
	one.sync()
	other.sync()
	other.edit("Zeb", "the purged text, edited")
	if _, err := (memory.Store{DB: one.DB, Caller: one.caller()}).Forget(t.Context(), memory.ForgetArgs{ID: "Zeb", Purge: true}); err != nil {
		t.Fatal(err)
	}
	one.take(`{"type":"memory","id":"a","title":"Zeb","content":"another text","tags":["new"],"created_at":"2021-01-01T00:00:00Z"}`)
	one.sync()
	if done := other.sync(); len(done.Merged.Warnings) > 0 {
		t.Errorf("%q", done.Merged.Warnings)
	}
	one.sync()
	for _, f := range []teamFolder{one, other} {
		if got := f.texts(`select content || tags || created_at from memories`); !slices.Equal(got, []string{`another text["new"]2021-01-01T00:00:00.000Z`}) {
			t.Errorf("%q", got)
		}
	}
	if export(t, one.DB) != export(t, other.DB) {
		t.Errorf("%s\ndiffers from\n%s", export(t, one.DB), export(t, other.DB))
	}
}
