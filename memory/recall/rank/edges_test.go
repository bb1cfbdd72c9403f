package rank

import (
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
)

// Every kind of edge has a weight, if only none.
func TestEdgeWeights_HaveEveryKind(t *testing.T) {
	kinds := []edges.Kind{}
	for _, w := range edgeWeights {
		kinds = append(kinds, w.kind)
	}
	all := edges.Kinds()
	slices.Sort(kinds)
	slices.Sort(all)
	if !slices.Equal(kinds, all) {
		t.Errorf("%v have a weight, want %v", kinds, all)
	}
}

// Edges among candidates are read by their first end, because most pairs have no edge.
func TestEdges_AreReadByAnEnd(t *testing.T) {
	d := dbtest.New(t)
	args := []any{"[1,2]", `{}`, 10, " follows ", `["follows"]`}
	for _, c := range []struct {
		query, by string
		args      []any
	}{
		{selectAmong, "INDEX sqlite_autoindex_edges_2 (from_key=?)", append(args, "[1]")},
		{selectReaching, "INDEX edges_to (to_key=? AND kind=?)", args},
	} {
		plan := dbtest.Plan(t, d, c.query, c.args...)
		if !slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, c.by) }) {
			t.Errorf("%s\nis planned %q", c.query, plan)
		}
	}
}
