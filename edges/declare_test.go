package edges_test

import (
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/fault"
)

// Linking again does not overwrite when an edge held whose time is over, unless it is told to.
func TestLinkingAgainKeepsWhatHeldInThePast(t *testing.T) {
	day := graphtest.Day
	const future = "2999-01-01T00:00:00.000Z"
	for name, c := range map[string]struct {
		first, again edges.LinkArgs // from, to and type, where left out, are a causes b
		refused      bool
		from, to     string // of the first edge afterwards; "": as before
		warns        bool
	}{
		"AnotherBeginning":         {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidFrom: day(6)}, refused: true},
		"AnotherTime":              {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidFrom: day(6), ValidTo: future}, refused: true},
		"AnEarlierBeginning":       {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidFrom: day(1)}, refused: true},
		"ABeginningWhereNoneWas":   {first: edges.LinkArgs{ValidTo: day(4)}, again: edges.LinkArgs{ValidFrom: day(3)}, refused: true},
		"FromTheOtherEnd":          {first: edges.LinkArgs{Type: "relates-to", ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{From: "b", To: "a", Type: "relates-to", ValidFrom: day(6)}, refused: true},
		"ByTheInverseWord":         {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{From: "b", To: "a", Type: "caused-by", ValidFrom: day(6)}, refused: true},
		"ASuccessorByAnotherWord":  {first: edges.LinkArgs{Type: "supersedes", ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{Type: "supersedes", Rel: "again", ValidFrom: day(6)}, refused: true},
		"WithANewWeight":           {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidFrom: day(6), Weight: graphtest.Ptr(0.5), Note: "anew"}, refused: true},
		"TheSameBeginning":         {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(5)}, from: day(2), to: day(5)},
		"OnlyAnotherEnd":           {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidTo: future}, from: day(2), to: future},
		"NotOverYet":               {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: future}, again: edges.LinkArgs{ValidFrom: day(6)}, from: day(6), to: future},
		"WithoutAnEnd":             {first: edges.LinkArgs{ValidFrom: day(2)}, again: edges.LinkArgs{ValidFrom: day(6)}, from: day(6)},
		"AnotherWord":              {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{Rel: "again", ValidFrom: day(6)}, from: day(2), to: day(4)},
		"Replaced":                 {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidFrom: day(6), Replace: true}, from: day(6)},
		"ReplacedByAnEnd":          {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{ValidTo: day(7), Replace: true}, to: day(7)},
		"ReplaceOfNothing":         {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{Note: "why", Replace: true}, from: day(2), to: day(4), warns: true},
		"NothingIsSaidOfTheTime":   {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: day(4)}, again: edges.LinkArgs{Note: "why"}, from: day(2), to: day(4), warns: true},
		"NothingAndItIsNotOverYet": {first: edges.LinkArgs{ValidFrom: day(2), ValidTo: future}, again: edges.LinkArgs{Note: "why"}, from: day(2), to: future},
	} {
		t.Run(name, func(t *testing.T) {
			w, g := room(t, "ab")
			link := func(a edges.LinkArgs) (edges.LinkResult, error) {
				if a.Type == "" {
					a.Type = "causes"
				}
				if a.From == "" {
					a.From, a.To = "a", "b"
				}
				a.From, a.To = w.ID(a.From), w.ID(a.To)
				return g.Link(t.Context(), a)
			}
			first, err := link(c.first)
			if err != nil {
				t.Fatal(err)
			}
			got, err := link(c.again)
			if c.refused {
				c.from, c.to = first.Edge.ValidFrom, first.Edge.ValidTo
				if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "another rel") || !strings.Contains(err.Error(), "replace: true") {
					t.Errorf("linking again: %v, want a conflict that says what to do", err)
				}
			} else if err != nil || (strings.Contains(strings.Join(got.Warnings, ""), "is over as before")) != c.warns {
				t.Errorf("linking again: %v, warnings %q", err, got.Warnings)
			}
			same, err := link(edges.LinkArgs{From: c.first.From, Type: c.first.Type})
			if err != nil || same.Created || same.Edge.ValidFrom != c.from || same.Edge.ValidTo != c.to || c.refused && same.Edge.Weight != first.Edge.Weight {
				t.Errorf("the edge afterwards is %+v, %v; want from %q to %q", same.Edge, err, c.from, c.to)
			}
		})
	}
}

// One edge of several that is refused refuses all, and the past answers as before.
func TestThePastAnswersAsBefore(t *testing.T) {
	w, g := room(t, "abc")
	first := edges.LinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "causes", ValidFrom: graphtest.Day(2), ValidTo: graphtest.Day(4)}
	if _, err := g.Link(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	again := first
	again.ValidFrom, again.ValidTo = graphtest.Day(6), ""
	_, err := g.LinkAll(t.Context(), edges.LinkAllArgs{Links: []edges.LinkArgs{{From: w.ID("a"), To: w.ID("c"), Type: "causes"}, again}})
	if fault.CodeOf(err) != fault.Conflict {
		t.Errorf("two edges: %v, want a conflict", err)
	}
	again.Rel = "again"
	if _, err := g.Link(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	for day, want := range map[int]int{1: 0, 3: 1, 5: 0, 7: 1} {
		found, err := walk.Graph(g).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("a"), AsOf: graphtest.Day(day)})
		if err != nil || len(found.Edges) != want {
			t.Errorf("as of day %d: %d edges, %v, want %d", day, len(found.Edges), err, want)
		}
	}
}
