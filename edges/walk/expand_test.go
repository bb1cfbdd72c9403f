package walk_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
)

// met is a memory that the naive expansion reaches.
type met struct {
	at, hop int
	seed    string
	last    graphtest.Stride
	parent  *met
}

// spread returns all memories that a walk reaches, in the documented order: hop, seed, type of
// edge, out before in, id. Of several routes to a memory it has the first in that order.
func (w *world) spread(seeds []int, hops int, p graphtest.Pass, through func(i int) bool) []*met {
	distance := w.Distances(seeds, p, through)
	ways := map[int]*met{}
	levels := [][]*met{{}}
	for _, s := range seeds {
		if ways[s] == nil {
			ways[s] = &met{at: s, seed: w.Mems[s].ID}
			levels[0] = append(levels[0], ways[s])
		}
	}
	all := []*met{}
	for hop := 1; hop <= hops; hop++ {
		level := []*met{}
		for _, parent := range levels[hop-1] {
			if hop > 1 && !through(parent.at) {
				continue
			}
			for _, s := range w.Strides(parent.at, p) {
				if distance[s.To] == hop {
					level = append(level, &met{s.To, hop, parent.seed, s, parent})
				}
			}
		}
		slices.SortFunc(level, w.compareMet)
		once := []*met{}
		for _, m := range level {
			if ways[m.at] == nil {
				ways[m.at] = m
				once = append(once, m)
			}
		}
		levels = append(levels, once)
		all = append(all, once...)
	}
	return all
}

func (w *world) compareMet(a, b *met) int {
	return cmp.Or(
		cmp.Compare(a.seed, b.seed),
		cmp.Compare(a.last.Tie.Kind, b.last.Tie.Kind),
		-cmp.Compare(graphtest.Direction(a.last.Out), graphtest.Direction(b.last.Out)), // out before in
		cmp.Compare(w.Mems[a.at].ID, w.Mems[b.at].ID),
		cmp.Compare(w.Mems[a.parent.at].ID, w.Mems[b.parent.at].ID),
		cmp.Compare(a.last.Tie.Rel, b.last.Tie.Rel),
	)
}

func (w *world) route(m *met) []string {
	if m == nil {
		return []string{}
	}
	return append(w.route(m.parent), w.Mems[m.at].ID)
}

// has reports whether a property equals a value, or is a list that contains it.
func has(properties, wanted map[string]any) bool {
	for name, value := range wanted {
		own, ok := properties[name]
		list, _ := own.([]any)
		if !ok || graphtest.JSON(own) != graphtest.JSON(value) &&
			!slices.ContainsFunc(list, func(one any) bool { return graphtest.JSON(one) == graphtest.JSON(value) }) {
			return false
		}
	}
	return true
}

// expanded returns the result that Expand must have, without the columns that it copies.
func (w *world) expanded(t tb, seeds []int, a walk.ExpandArgs) (results []walk.Expanded, truncated bool) {
	t.Helper()
	p := graphtest.ReadPass(t, a.EdgeTypes, a.Origins)
	p.Rels, p.IncludeSuperseded, p.WithoutFiles = a.Rels, a.IncludeSuperseded, a.Files != nil && !*a.Files
	p.Times = graphtest.Times{AsOf: a.AsOf, KnownAt: a.KnownAt, IncludeEnded: a.IncludeEnded}
	p.Direction = map[string]walk.Direction{
		"outgoing": walk.Forward, "forward": walk.Forward, "incoming": walk.Backward, "backward": walk.Backward,
	}[a.Direction]
	notOther := func(i int) bool { return a.Memories != "none" || w.Mems[i].IsPersons() }
	all := w.spread(seeds, a.Hops, p, func(i int) bool {
		return notOther(i) && (a.FilterApplies != "traversal" || has(w.Mems[i].Properties, a.FilterProperties))
	})
	all = slices.DeleteFunc(all, func(m *met) bool { return !notOther(m.at) || !has(w.Mems[m.at].Properties, a.FilterProperties) })
	if a.Memories == "linked" && slices.ContainsFunc(seeds, func(i int) bool { return w.Mems[i].IsPersons() }) {
		p.Direction = walk.Forward
		linked := map[int]bool{}
		notes := slices.Clone(seeds)
		for _, m := range all {
			notes = append(notes, m.at)
		}
		for _, i := range notes {
			for _, s := range w.Strides(i, p) {
				linked[s.To] = linked[s.To] || w.Mems[i].IsPersons()
			}
		}
		all = slices.DeleteFunc(all, func(m *met) bool { return !w.Mems[m.at].IsPersons() && !linked[m.at] })
	}
	limit := a.Limit
	if limit == 0 {
		limit = 100
	}
	results = []walk.Expanded{}
	for _, m := range w.cutMet(all, limit) {
		results = append(results, walk.Expanded{
			Seen: ref.Seen{ID: w.Mems[m.at].ID, Title: w.Mems[m.at].Title, Status: w.Mems[m.at].Status, Origin: w.Mems[m.at].Origin(), Aging: w.Aging(m.at, p.Times)},
			Via: walk.Via{
				Seed: m.seed, Hop: m.hop, EdgeType: m.last.Tie.Kind, Rel: m.last.Tie.Rel,
				Direction: graphtest.Direction(m.last.Out), From: w.Mems[m.parent.at].ID,
				Ended: graphtest.EndedByNow(m.last.Tie.ValidTo),
			},
			Route: w.route(m),
		})
	}
	return results, len(all) > limit
}

// cutMet returns the first memories that a walk reaches. If it must drop some, it first moves
// files without text to the end.
func (w *world) cutMet(all []*met, limit int) []*met {
	if len(all) <= limit {
		return all
	}
	isFile := func(m *met) int { return map[bool]int{true: 1}[w.Mems[m.at].File] }
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *met) int { return isFile(a) - isFile(b) })
	return all[:limit]
}

var copied = cmpopts.IgnoreFields(walk.Expanded{}, "Seen.URI", "Seen.Kind", "Tags", "Snippet", "ContentHash")

func drawExpandArgs(t *rapid.T, w *world) (seeds []int, a walk.ExpandArgs) {
	for range rapid.IntRange(1, 3).Draw(t, "seeds") {
		s := rapid.IntRange(0, len(w.Mems)-1).Draw(t, "seed")
		seeds = append(seeds, s)
		a.Seeds = append(a.Seeds, w.Mems[s].ID)
	}
	a.Hops = rapid.IntRange(1, 4).Draw(t, "hops")
	a.Direction = rapid.SampledFrom([]string{"", "both", "outgoing", "incoming", "forward", "backward"}).Draw(t, "direction")
	a.EdgeTypes, a.Origins = graphtest.DrawTypesAndWords(t), graphtest.DrawOrigins(t)
	a.Rels = rapid.SampledFrom([][]string{nil, nil, nil, {"why"}, {"Why", "BECAUSE"}}).Draw(t, "rels")
	a.IncludeSuperseded = rapid.Bool().Draw(t, "include_superseded")
	a.Memories = rapid.SampledFrom([]string{"", "all", "linked", "none"}).Draw(t, "memories")
	a.FilterProperties = rapid.SampledFrom([]map[string]any{
		nil, nil, {}, {"area": "sea"}, {"n": int64(1)}, {"area": []any{"sea", "land"}}, {"area": nil}, {"area": "sea", "n": int64(1)},
	}).Draw(t, "filter")
	a.FilterApplies = rapid.SampledFrom([]string{"", "results", "traversal"}).Draw(t, "applies")
	a.Limit = rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8}).Draw(t, "limit")
	a.Files = rapid.SampledFrom([]*bool{nil, graphtest.Ptr(true), graphtest.Ptr(false)}).Draw(t, "files")
	if rapid.Bool().Draw(t, "at times") {
		asked := graphtest.DrawTimes(t)
		a.AsOf, a.KnownAt, a.IncludeEnded = asked.AsOf, asked.KnownAt, asked.IncludeEnded
	}
	return seeds, a
}

func TestExpandIsTheNaiveWalk(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	for name, s := range map[string]graphtest.Shape{
		"AllKinds": {Mems: 12, Ties: 30, Hide: true, Properties: true},
		"Times":    {Mems: 10, Ties: 30, Hide: true, Times: true},
		"Files":    {Mems: 12, Ties: 30, Hide: true, Files: true},
		"Origins":  {Mems: 10, Ties: 30, Hide: true, Origins: true},
		"FewKinds": {Mems: 10, Ties: 24, Hide: true, Properties: true, Kinds: []edges.Kind{edges.Supersedes, edges.LinksTo, edges.RelatesTo}},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			rapid.Check(t, func(t *rapid.T) {
				w := draw(t, s)
				mems, ties := graphtest.DrawOrder(t, w.World)
				w.Store(t, d, mems, ties)
				for range 4 {
					seeds, a := drawExpandArgs(t, w)
					got, err := w.graph(d).Expand(ctx, a)
					if err != nil {
						t.Fatal(err)
					}
					want, truncated := w.expanded(t, seeds, a)
					if diff := gocmp.Diff(want, got.Results, copied); diff != "" {
						t.Fatalf("%+v: -want +got\n%s", a, diff)
					}
					if got.Truncated != truncated || got.ReturnedCount != len(want) || (got.Next != "") != truncated {
						t.Fatalf("%+v: %d returned, truncated %v, next %q; want %d, %v", a, got.ReturnedCount, got.Truncated, got.Next, len(want), truncated)
					}
				}
			})
		})
	}
}

// Two files with the same graph, written in different orders, give the same results.
func TestWalksDoNotShowTheOrderOfInsertion(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	one, other := dbtest.New(t), dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 12, Ties: 30, Hide: true, Properties: true})
		for _, d := range []*db.DB{one, other} {
			mems, ties := graphtest.DrawOrder(t, w.World)
			w.Store(t, d, mems, ties)
		}
		_, expand := drawExpandArgs(t, w)
		path, _, _, _ := graphtest.DrawPathArgs(t, w.World)
		around := walk.NeighborhoodArgs{ID: expand.Seeds[0], Depth: expand.Hops, Limit: expand.Limit, EdgeTypes: expand.EdgeTypes}
		answers := func(d *db.DB) string {
			e, err := w.graph(d).Expand(ctx, expand)
			if err != nil {
				t.Fatal(err)
			}
			for i := range e.Results {
				e.Results[i].ContentHash = "" // random until the store computes it
			}
			p, err := w.graph(d).Path(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			n, err := w.graph(d).Neighborhood(ctx, around)
			if err != nil {
				t.Fatal(err)
			}
			return graphtest.JSON([]any{e, p, n})
		}
		if a, b := answers(one), answers(other); a != b {
			t.Fatalf("%+v %+v %+v\n%s\n%s", expand, path, around, a, b)
		}
	})
}

// An edge list reads "from kind to", in short.
func build(list ...[3]string) *world {
	w := newWorld()
	for _, e := range list {
		w.Tie(e[0], edges.Kind(e[1]), e[2])
	}
	return w
}

func TestExpand(t *testing.T) {
	d := dbtest.New(t)
	area := func(w *world, names ...string) *world {
		for _, name := range names {
			w.Mems[w.Find(name)].Properties["area"] = "sea"
		}
		return w
	}
	notes := func(w *world, names ...string) *world {
		for _, name := range names {
			w.Note(w.Find(name))
		}
		return w
	}
	byAgents := func(w *world, names ...string) *world {
		for _, name := range names {
			w.Mems[w.Find(name)].ByAgent = true
		}
		return notes(w, names...)
	}
	chain := [][3]string{{"a", "causes", "b"}, {"b", "causes", "c"}, {"c", "causes", "d"}}
	for _, c := range []struct {
		name string
		w    *world
		args walk.ExpandArgs
		want string // ids in short
	}{
		{"OutThenIn", build([3]string{"a", "links-to", "b"}, [3]string{"c", "links-to", "b"}), walk.ExpandArgs{Hops: 2}, "b c"},
		{"JoinedByAThirdThatLinksToBoth", build([3]string{"x", "links-to", "a"}, [3]string{"x", "links-to", "b"}), walk.ExpandArgs{Hops: 2}, "x b"},
		{"NotOutThenInUnderOutgoing", build([3]string{"a", "links-to", "b"}, [3]string{"c", "links-to", "b"}), walk.ExpandArgs{Hops: 2, Direction: "outgoing"}, "b"},
		{"SymmetricUnderIncoming", build([3]string{"a", "contradicts", "b"}, [3]string{"a", "causes", "c"}), walk.ExpandArgs{Hops: 1, Direction: "incoming"}, "b"},
		{"SeedsAreNoResults", build(chain...), walk.ExpandArgs{Seeds: []string{"a", "b", "a"}, Hops: 2}, "c d"},
		{"MentionsAreLeftOut", build([3]string{"a", "mentions", "b"}), walk.ExpandArgs{Hops: 1}, ""},
		{"SupersededIsNotPassed", build([3]string{"a", "causes", "b"}, [3]string{"b", "causes", "c"}, [3]string{"n", "supersedes", "b"}),
			walk.ExpandArgs{Hops: 3}, ""},
		{"SupersededIncluded", build([3]string{"a", "causes", "b"}, [3]string{"b", "causes", "c"}, [3]string{"n", "supersedes", "b"}),
			walk.ExpandArgs{Hops: 3, IncludeSuperseded: true}, "b c n"},
		{"FilterOnResults", area(build(chain...), "c"), walk.ExpandArgs{Hops: 3, FilterProperties: map[string]any{"area": "sea"}}, "c"},
		{"FilterOnTraversal", area(build(chain...), "b", "d"),
			walk.ExpandArgs{Hops: 3, FilterProperties: map[string]any{"area": "sea"}, FilterApplies: "traversal"}, "b"},
		{"NotesOnly", notes(build(chain...), "a", "b", "d"), walk.ExpandArgs{Hops: 3, Memories: "none"}, "b"},
		{"NotesOnlyFromAMemory", notes(build(chain...), "b"), walk.ExpandArgs{Hops: 3, Memories: "none"}, "b"},
		{"LinkedByTheSeed", notes(build([3]string{"a", "links-to", "m"}, [3]string{"o", "links-to", "a"}), "a"), walk.ExpandArgs{Hops: 2, Memories: "linked"}, "m"},
		{"LinkedByAResult", notes(build([3]string{"a", "links-to", "b"}, [3]string{"b", "refers-to", "m"}, [3]string{"m", "causes", "o"}), "a", "b"),
			walk.ExpandArgs{Hops: 3, Memories: "linked"}, "b m"},
		// The route to m starts at the seed a, a memory of an agent, but the note z, which
		// is a seed too, links to m.
		{"LinkedWhateverWayIsTold", notes(build([3]string{"a", "causes", "m"}, [3]string{"z", "links-to", "m"}), "z"),
			walk.ExpandArgs{Seeds: []string{"a", "z"}, Hops: 1, Memories: "linked"}, "m"},
		{"NotesByAgentsAreNoNotes", byAgents(notes(build(chain...), "a", "b"), "c"), walk.ExpandArgs{Hops: 3, Memories: "none"}, "b"},
		{"NotesByAgentsLinkNone", byAgents(notes(build([3]string{"a", "links-to", "m"}, [3]string{"m", "links-to", "n"}, [3]string{"n", "links-to", "o"}, [3]string{"k", "links-to", "a"}), "a"), "k", "m", "n", "o"),
			walk.ExpandArgs{Hops: 3, Memories: "linked"}, "m"},
		{"LinkedIsAllFromANoteByAnAgent", byAgents(build(chain...), "a", "b"), walk.ExpandArgs{Hops: 2, Memories: "linked"}, "b c"},
		{"LinkedIsAllFromAMemory", build(chain...), walk.ExpandArgs{Hops: 2, Memories: "linked"}, "b c"},
		{"OrderOfTypeThenOutThenID", build(
			[3]string{"a", "supports", "b"}, [3]string{"c", "causes", "a"}, [3]string{"a", "causes", "e"}, [3]string{"a", "causes", "d"}),
			walk.ExpandArgs{Hops: 1}, "d e c b"},
		{"OrderOfSeedBeforeType", build([3]string{"a", "supports", "x"}, [3]string{"b", "causes", "y"}),
			walk.ExpandArgs{Seeds: []string{"b", "a"}, Hops: 1}, "x y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.w.Store(t, d, nil, nil)
			if c.args.Seeds == nil {
				c.args.Seeds = []string{"a"}
			}
			for i, s := range c.args.Seeds {
				c.args.Seeds[i] = c.w.ID(s)
			}
			got, err := c.w.graph(d).Expand(t.Context(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			ids := []string{}
			for _, r := range got.Results {
				ids = append(ids, r.ID)
			}
			if have := strings.Join(c.w.Short(ids), " "); have != c.want {
				t.Errorf("results %q, want %q", have, c.want)
			}
		})
	}
}

// Of two routes that differ only in the memory before the last, the result has the one with the
// lower id, although the other one was reached first.
func TestExpandTellsTheWayByTheLowerID(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "y"}, [3]string{"a", "supports", "b"}, [3]string{"y", "links-to", "z"}, [3]string{"b", "links-to", "z"})
	w.Store(t, d, nil, nil)
	e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: 2})
	if err != nil || len(e.Results) != 3 || fmt.Sprint(w.Short(e.Results[2].Route)) != "[a b z]" {
		t.Errorf("%+v, %v", e.Results, err)
	}
}

func TestFilterPropertiesIsStrict(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"})
	w.Mems[w.Find("b")].Properties = map[string]any{
		"text": "1", "number": 1, "flag": true, "list": []any{"x", int64(2)}, "nothing": nil, "deep": map[string]any{"k": []any{int64(1)}},
	}
	w.Store(t, d, nil, nil)
	for _, c := range []struct {
		filter map[string]any
		want   int
	}{
		{map[string]any{"text": "1"}, 1},
		{map[string]any{"text": int64(1)}, 0},
		{map[string]any{"number": int64(1)}, 1},
		{map[string]any{"number": "1"}, 0},
		{map[string]any{"flag": true}, 1},
		{map[string]any{"flag": int64(1)}, 0},
		{map[string]any{"list": "x"}, 1},
		{map[string]any{"list": int64(2)}, 1},
		{map[string]any{"list": []any{"x", int64(2)}}, 1},
		{map[string]any{"list": []any{"x"}}, 0},
		{map[string]any{"nothing": nil}, 1},
		{map[string]any{"absent": nil}, 0},
		{map[string]any{"deep": map[string]any{"k": []any{int64(1)}}}, 1},
		{map[string]any{"text": "1", "number": int64(2)}, 0},
	} {
		got, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: 1, FilterProperties: c.filter})
		if err != nil || len(got.Results) != c.want {
			t.Errorf("%v: %d results, %v; want %d", c.filter, len(got.Results), err, c.want)
		}
	}
}

func TestExpandTellsWhatItFound(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "links-to", "b"})
	w.Note(0)
	w.Note(1)
	w.Mems[1].Content = "**" + strings.Repeat("é", 200) + "** ![[a.png]]"
	w.Store(t, d, nil, nil)
	_, err := d.Write(t.Context(), "test", db.Now(),
		db.S(`update memories set tags = '["x","y"]', content_hash = 'abc', revision = revision + 1 where id = ?`, w.ID("b")),
		db.S(`
insert into sites (note, edge, kind, origin, target, target_key, line, start_byte, end_byte)
select e.from_key, e.key, e.kind, 'wikilink', 'b', 'b', l.value, 0, 1
from edges e, json_each('[12, 7, 30]') l
where e.id = ?`, w.Ties[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: 1, Detail: "full"})
	if err != nil {
		t.Fatal(err)
	}
	want := walk.ExpandResult{
		Results: []walk.Expanded{{
			Seen: ref.Seen{ID: w.ID("b"), URI: *w.Mems[1].URI, Title: w.Mems[1].Title, Kind: "note", Status: "current", Origin: "vault"}, Tags: []string{"x", "y"},
			Snippet: strings.Repeat("é", 159) + "…", ContentHash: "abc",
			Via:   walk.Via{Seed: w.ID("a"), Hop: 1, EdgeType: edges.LinksTo, Direction: "out", From: w.ID("a"), Line: 7},
			Route: []string{w.ID("a"), w.ID("b")},
		}},
		ReturnedCount: 1, Warnings: []walk.SeedWarning{}, SeedCount: 1,
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestExpandWarnsOfSeedsThatMeanNothing(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"c", "causes", "d"})
	w.Mems[2].Title, w.Mems[3].Title = "twin", "twin"
	w.Mems[1].Title = "Harbour"
	w.Store(t, d, nil, nil)
	got, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{"nothing", w.ID("a"), "twin", " ", "harbor"}, Hops: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []walk.SeedWarning{
		{Seed: "nothing", Reason: "unknown_doc"},
		{Seed: "twin", Reason: "ambiguous_doc", Candidates: []ref.Candidate{
			{Named: ref.Named{ID: w.ID("c"), Title: "twin"}, Kind: "fact", Status: "current", CreatedAt: "2026-01-01T00:00:00.000Z"},
			{Named: ref.Named{ID: w.ID("d"), Title: "twin"}, Kind: "fact", Status: "current", CreatedAt: "2026-01-01T00:00:00.000Z"},
		}},
		{Seed: " ", Reason: "unknown_doc"},
		{Seed: "harbor", Reason: "unknown_doc", Near: []string{"Harbour"}},
	}
	if diff := gocmp.Diff(want, got.Warnings); diff != "" || len(got.Results) != 1 {
		t.Errorf("%d results, warnings -want +got\n%s", len(got.Results), diff)
	}
}

func TestExpandRefuses(t *testing.T) {
	w := newWorld()
	g := w.graph(dbtest.New(t))
	for name, a := range map[string]walk.ExpandArgs{
		"NoSeeds":             {Hops: 1},
		"TooManyHops":         {Seeds: []string{"a"}, Hops: 6},
		"LimitTooLarge":       {Seeds: []string{"a"}, Hops: 1, Limit: 501},
		"NegativeLimit":       {Seeds: []string{"a"}, Hops: 1, Limit: -1},
		"BudgetTooSmall":      {Seeds: []string{"a"}, Hops: 1, TokenBudget: 63},
		"UnknownDirection":    {Seeds: []string{"a"}, Hops: 1, Direction: "up"},
		"UnknownMemories":     {Seeds: []string{"a"}, Hops: 1, Memories: "some"},
		"UnknownApplies":      {Seeds: []string{"a"}, Hops: 1, FilterApplies: "both"},
		"UnknownType":         {Seeds: []string{"a"}, Hops: 1, EdgeTypes: []string{"likes"}},
		"UnknownTypeOfKnowns": {Seeds: []string{"a"}, Hops: 1, EdgeTypes: []string{"causes", ""}},
		"UnknownOrigin":       {Seeds: []string{"a"}, Hops: 1, Origins: []string{"link"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := g.Expand(t.Context(), a)
			graphtest.MustFail(t, err, fault.InvalidArgument)
		})
	}
}

func TestTruncatedExactlyAtLimit(t *testing.T) {
	d := dbtest.New(t)
	for _, c := range []struct{ leaves, limit int }{{4, 5}, {5, 5}, {6, 5}} {
		t.Run(fmt.Sprintf("%dOf%d", c.limit, c.leaves), func(t *testing.T) {
			w := star(t, d, c.leaves)
			want := c.leaves > c.limit
			e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("hub")}, Hops: 2, Limit: c.limit})
			if err != nil || e.Truncated != want || (e.Next != "") != want || e.ReturnedCount != min(c.leaves, c.limit) {
				t.Errorf("expand: %d returned, truncated %v, next %q, %v", e.ReturnedCount, e.Truncated, e.Next, err)
			}
			n, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("hub"), Depth: 2, Limit: c.limit})
			if err != nil || n.Truncated != want || (n.Next != "") != want || n.ReturnedCount != min(c.leaves, c.limit) {
				t.Errorf("neighborhood: %d returned, truncated %v, next %q, %v", n.ReturnedCount, n.Truncated, n.Next, err)
			}
		})
	}
}

// One more memory at the next level makes the result truncated too.
func TestTruncatedBeyondAFullLevel(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"b", "causes", "c"})
	w.Store(t, d, nil, nil)
	for hops, want := range map[int]bool{1: false, 2: true} {
		e, err := w.graph(d).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{w.ID("a")}, Hops: hops, Limit: 1})
		if err != nil || e.Truncated != want {
			t.Errorf("expand %d hops: truncated %v, %v; want %v", hops, e.Truncated, err, want)
		}
		n, err := w.graph(d).Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("a"), Depth: hops, Limit: 1})
		if err != nil || n.Truncated != want {
			t.Errorf("neighborhood %d deep: truncated %v, %v; want %v", hops, n.Truncated, err, want)
		}
	}
}

func TestWalksOverALargeHub(t *testing.T) {
	dbtest.SkipUnderRace(t)
	d := dbtest.New(t)
	const leaves = 5_000
	w := star(t, d, leaves)
	g := w.graph(d)
	leaf := func(n int) string { return w.ID(fmt.Sprintf("%06d", n)) }

	e, err := g.Expand(t.Context(), walk.ExpandArgs{Seeds: []string{leaf(3)}, Hops: 2, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, r := range e.Results {
		ids = append(ids, r.ID)
	}
	if want := []string{w.ID("hub"), leaf(0), leaf(1), leaf(2), leaf(4)}; !slices.Equal(ids, want) || !e.Truncated {
		t.Errorf("expand: %v, truncated %v; want %v", ids, e.Truncated, want)
	}
	n, err := g.Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: w.ID("hub"), Depth: 3, Limit: 200})
	if err != nil || len(n.Nodes) != 200 || n.Nodes[199].ID != leaf(199) || len(n.Edges) != 200 || !n.Truncated {
		t.Errorf("neighborhood: %d nodes and %d edges, %v", len(n.Nodes), len(n.Edges), err)
	}
	p, err := g.Path(t.Context(), walk.PathArgs{From: leaf(leaves - 1), To: leaf(0), Alternatives: 5})
	if err != nil || p.Hops != 2 || len(p.Alternatives) != 0 {
		t.Errorf("path: %d hops and %d alternatives, %v", p.Hops, len(p.Alternatives), err)
	}
}
