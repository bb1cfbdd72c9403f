package walk_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	_ "hence/internal/repeattest"
)

// tokens returns the cost of an answer, as the contract counts it.
func tokens(t tb, answer any) int {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return (len(text) + 3) / 4
}

// drawWordy draws a world with titles and texts that are longer as JSON, because of escapes.
func drawWordy(t *rapid.T) *world {
	w := draw(t, graphtest.Shape{Mems: 8, Ties: 20, Kinds: []edges.Kind{edges.Causes, edges.LinksTo}})
	for i := range w.Mems {
		m := &w.Mems[i]
		word := rapid.SampledFrom([]string{"sea ", "<&> ", "\"\\\n", "ø", "日本", "🚢 ", "\x01"})
		m.Title += db.WithoutControls(" " + word.Draw(t, "title") + strings.Repeat(word.Draw(t, "title"), rapid.IntRange(0, 80).Draw(t, "times")))
		m.Content = strings.Repeat(word.Draw(t, "content"), rapid.IntRange(0, 200).Draw(t, "times"))
	}
	return w
}

func TestTokenBudgetIsAHardCap(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := drawWordy(t)
		w.Store(t, d, nil, nil)
		g, middle := w.graph(d), w.Mems[0].ID
		budget := rapid.IntRange(64, 900).Draw(t, "budget")
		limit := rapid.IntRange(1, 8).Draw(t, "limit")

		expand := walk.ExpandArgs{Seeds: []string{middle, "nothing " + w.Namespace}, Hops: 3, Limit: limit}
		whole, err := g.Expand(ctx, expand)
		if err != nil {
			t.Fatal(err)
		}
		expand.TokenBudget = budget
		cut, err := g.Expand(ctx, expand)
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens(t, cut); n > budget {
			t.Fatalf("expand took %d tokens of %d", n, budget)
		}
		if fits := tokens(t, whole) <= budget; fits && graphtest.JSON(cut) != graphtest.JSON(whole) || !fits && (!cut.Truncated || (cut.Next == "token_budget") != (len(cut.Results) == 0 || cut.Results[0].Title != whole.Results[0].Title)) {
			t.Fatalf("expand fits: %v, truncated %v, next %q", fits, cut.Truncated, cut.Next)
		}
		for i, r := range cut.Results {
			if r.ID != whole.Results[i].ID || i > 0 && graphtest.JSON(r) != graphtest.JSON(whole.Results[i]) {
				t.Fatalf("result %d is %v, want %v whole", i, r, whole.Results[i])
			}
			checkCut(t, r.Title, whole.Results[i].Title)
			checkCut(t, r.Snippet, whole.Results[i].Snippet)
		}

		around := walk.NeighborhoodArgs{ID: middle, Depth: 3, Limit: limit}
		all, err := g.Neighborhood(ctx, around)
		if err != nil {
			t.Fatal(err)
		}
		around.TokenBudget = budget
		some, err := g.Neighborhood(ctx, around)
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens(t, some); n > budget {
			t.Fatalf("neighborhood took %d tokens of %d", n, budget)
		}
		if fits := tokens(t, all) <= budget; fits && graphtest.JSON(some) != graphtest.JSON(all) || !fits && (!some.Truncated || some.Next == "") {
			t.Fatalf("neighborhood fits: %v, truncated %v, next %q", fits, some.Truncated, some.Next)
		}
		shown := []string{some.Seed.ID}
		for i, n := range some.Nodes {
			if n.ID != all.Nodes[i].ID {
				t.Fatalf("node %d is %s, want %s", i, n.ID, all.Nodes[i].ID)
			}
			shown = append(shown, n.ID)
		}
		for _, e := range some.Edges {
			if !slices.Contains(shown, e.From) || !slices.Contains(shown, e.To) {
				t.Fatalf("%v is not among %v", e, shown)
			}
		}
	})
}

// checkCut fails unless a text is complete, or cut between runes and marked as cut.
func checkCut(t tb, text, whole string) {
	t.Helper()
	if text == whole || text == "" {
		return
	}
	head, marked := strings.CutSuffix(text, "…")
	if !marked || !strings.HasPrefix(whole, head) || !utf8.ValidString(text) {
		t.Fatalf("%q is not a cut of %q", text, whole)
	}
}

// The result has the largest number of entries that fits.
func TestTokenBudgetIsUsed(t *testing.T) {
	d := dbtest.New(t)
	w := star(t, d, 30)
	g := w.graph(d)
	for _, budget := range []int{150, 400, 1000, 2000} {
		e, err := g.Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("hub")}, Hops: 1, Detail: "full", TokenBudget: budget})
		if err != nil || e.ReturnedCount == 0 {
			t.Fatalf("%d results, %v", e.ReturnedCount, err)
		}
		one := tokens(t, e.Results[0]) + 1
		if left := budget - tokens(t, e); left < 0 || left >= one {
			t.Errorf("of %d tokens %d are left, and one more result takes %d", budget, left, one)
		}
	}
}

func TestTokenBudgetCutsTheFirstResult(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"})
	w.Mems[1].Title = strings.Repeat("a long title ", 300)
	w.Mems[1].Content = strings.Repeat("and a long text ", 300)
	w.Store(t, d, nil, nil)
	e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: 1, TokenBudget: 200})
	if err != nil {
		t.Fatal(err)
	}
	if n := tokens(t, e); n > 200 || e.ReturnedCount != 1 || !e.Truncated || !strings.HasSuffix(e.Results[0].Title, "…") {
		t.Errorf("%d tokens, %+v", n, e)
	}
}

// Budgets that are too small for one entry, or even for a result without entries.
func TestTokenBudgetOfTheSmallest(t *testing.T) {
	d := dbtest.New(t)
	long := strings.Repeat("<", 100)
	lonely := newWorld()
	lonely.Add("a")
	lonely.Mems[0].Title = strings.Repeat("a long title ", 100)
	named := build([3]string{"a", "causes", "b"})
	for i := range named.Mems {
		named.Mems[i].ID = strings.Repeat("<", 199) + string(rune('a'+i)) // as long as ids may be, and six bytes a rune in JSON
	}
	named.Ties[0].FromID, named.Ties[0].ToID = named.Mems[0].ID, named.Mems[1].ID
	for _, c := range []struct {
		name  string
		w     *world
		seeds []string
		want  fault.Code // of neighborhood, which names its seed
	}{
		{"NothingAroundAndLongUnknownSeeds", lonely, []string{"a", long + "1", long + "2"}, ""},
		{"LongIDs", named, []string{"a", long}, fault.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.w.Store(t, d, nil, nil)
			c.seeds[0] = c.w.Mems[0].ID
			e, err := c.w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: c.seeds, Hops: 1, TokenBudget: 64})
			if err != nil {
				t.Fatal(err)
			}
			if n := tokens(t, e); n > 64 || !e.Truncated || e.Next != "token_budget" {
				t.Errorf("expand: %d tokens, %+v", n, e)
			}
			n, err := c.w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: c.w.Mems[0].ID, TokenBudget: 64})
			if got := fault.CodeOf(err); got != c.want {
				t.Fatalf("neighborhood: %v, want code %q", err, c.want)
			}
			if cost := tokens(t, n); err == nil && cost > 64 {
				t.Errorf("neighborhood: %d tokens, %+v", cost, n)
			}
		})
	}
}
