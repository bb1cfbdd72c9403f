package exchange_test

import (
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
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
