package node

import (
	"slices"
	"testing"

	"hence/internal/db"
)

func TestJudge(t *testing.T) {
	holds := func(act int64, a, b string) db.Digests {
		return db.Digests{Act: act, Tables: map[string]string{"a": a, "b": b}}
	}
	for _, c := range []struct {
		name            string
		copies          []db.Digests
		judged          bool
		verdict         Verdict
		apart, differed []string
	}{
		{"Equal", []db.Digests{holds(7, "x", "y"), holds(7, "x", "y"), holds(7, "x", "y")}, true, Equal, nil, nil},
		{"OneDiffers", []db.Digests{holds(7, "x", "z"), holds(7, "x", "y"), holds(7, "x", "y")}, true, Differ, []string{"n1"}, []string{"b"}},
		{"AllDiffer", []db.Digests{holds(7, "x", "1"), holds(7, "x", "2"), holds(7, "z", "3")}, true, Differ, []string{"n2", "n3"}, []string{"a", "b"}},
		{"OneIsBehind", []db.Digests{holds(7, "x", "y"), holds(6, "x", "w"), holds(7, "x", "y")}, false, Unknown, nil, nil},
		{"ATableMore", []db.Digests{holds(7, "x", "y"), {Act: 7, Tables: map[string]string{"a": "x", "b": "y", "c": "z"}}, holds(7, "x", "y")}, true, Differ, []string{"n2"}, []string{"c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Overview{Nodes: []State{{ID: "n1"}, {ID: "n2"}, {ID: "n3"}}, Digests: Unknown}
			judged := o.setVerdict(c.copies)
			if judged != c.judged || o.Digests != c.verdict || !slices.Equal(o.Apart, c.apart) || !slices.Equal(o.Differing, c.differed) {
				t.Errorf("judged %v: %+v", judged, o)
			}
		})
	}
}

func TestCountBehind(t *testing.T) {
	o := Overview{Nodes: []State{{ID: "n1", State: "leader", Behind: 12}, {ID: "n2", State: "follower", Behind: 9}, {ID: "n3", State: "unreachable", Behind: -1}}}
	o.count([]int64{12, 11, 0})
	if o.Leader != "n1" || o.Nodes[0].Behind != 0 || o.Nodes[1].Behind != 3 || o.Nodes[2].Behind != -1 {
		t.Errorf("got %+v", o)
	}
	o = Overview{Nodes: []State{{ID: "n1", State: "candidate", Behind: 12}}}
	if o.count([]int64{12}); o.Leader != "" || o.Nodes[0].Behind != -1 {
		t.Errorf("without a leader: %+v", o)
	}
}
