package walk_test

import (
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
)

// A walk accepts the words of other systems for origins, in any spelling.
func TestWalksTakeTheWordsOfOtherSystems(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	for _, e := range [][2]string{{"wikilink", "b"}, {"mention", "c"}, {"frontmatter", "d"}, {"markdown", "e"}, {"agent", "f"}} {
		kind := edges.LinksTo
		if e[0] == "mention" {
			kind = edges.Mentions
		}
		w.Tie("a", kind, e[1]).Origin = e[0]
	}
	w.Store(t, d, nil, nil)
	for _, c := range []struct {
		types, origins []string
		want           string
	}{
		{nil, nil, "bdef"},
		{[]string{"Wikilink"}, nil, "b"},
		{[]string{"mention"}, nil, "c"},
		{[]string{"frontmatter_ref", "hyperlink"}, nil, "de"},
		{[]string{"mentions", "wikilink"}, nil, "bc"},
		{nil, []string{"mention"}, "c"},
		{nil, []string{"frontmatter-ref", "hyperlink", "Agent"}, "def"},
		{[]string{"links-to"}, []string{"mention", "wikilink"}, "b"},
		{[]string{"wikilink"}, []string{"markdown"}, ""},
	} {
		got, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: 1, EdgeTypes: c.types, Origins: c.origins})
		if err != nil {
			t.Fatal(err)
		}
		reached := []string{}
		for _, x := range got.Results {
			reached = append(reached, x.ID)
		}
		slices.Sort(reached)
		if names := strings.Join(w.Short(reached), ""); names != c.want {
			t.Errorf("edge_types %q, origins %q: %q, want %q", c.types, c.origins, names, c.want)
		}
	}
}
