package graphtest

import (
	"fmt"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/walk"
)

// Shape limits the graph that Draw generates.
type Shape struct {
	Mems, Ties int // largest numbers of memories and edges
	Times      bool
	Hide       bool // add superseded and forgotten memories
	Properties bool
	Origins    bool
	Files      bool         // add files without text
	Kinds      []edges.Kind // nil: all
}

// Draw generates a random graph. The order of the ids is independent of the indexes of the memories.
func Draw(t *rapid.T, s Shape) *World {
	w := New()
	n := rapid.IntRange(2, s.Mems).Draw(t, "memories")
	names := rapid.Permutation(Numbers(n)).Draw(t, "ids")
	rank := rapid.Permutation(Numbers(n)).Draw(t, "rank")
	for i := range n {
		w.Add(fmt.Sprintf("%02d", names[i]))
		m := &w.Mems[i]
		if rapid.IntRange(0, 2).Draw(t, "note") == 0 {
			w.Note(i)
			m.ByAgent = rapid.IntRange(0, 3).Draw(t, "by agent") == 0
		}
		m.File = s.Files && rapid.IntRange(0, 2).Draw(t, "file") == 0
		fate := -1
		if s.Hide {
			fate = rapid.IntRange(0, 7).Draw(t, "forgotten")
		}
		switch fate {
		case 0:
			m.Forgotten, m.Status = Ptr(Day(rapid.IntRange(2, 6).Draw(t, "forgotten at"))), "forgotten"
		case 1:
			m.Absent = &Absence{rapid.SampledFrom([]string{"", Day(2), Day(3)}).Draw(t, "edited"), Day(4), Day(rapid.IntRange(5, 6).Draw(t, "restored"))}
		}
		if s.Times {
			if m.Absent == nil {
				m.Created = Day(rapid.IntRange(1, 5).Draw(t, "created"))
			}
			m.ValidFrom, m.ValidTo = DrawSpan(t)
			if m.Absent == nil {
				m.Updated = rapid.SampledFrom([]*string{nil, Ptr(Day(5)), Ptr(Day(7))}).Draw(t, "updated")
			}
		}
		if s.Properties {
			m.Properties = rapid.SampledFrom([]map[string]any{
				{}, {"area": "sea"}, {"area": "land"}, {"area": []any{"sea", "land"}}, {"area": []any{}, "n": int64(1)},
				{"n": int64(1), "area": "sea"}, {"n": "1"}, {"area": nil}, {"area": map[string]any{"x": "sea"}},
			}).Draw(t, "properties")
		}
	}
	kinds := s.Kinds
	if kinds == nil {
		kinds = edges.Kinds()
	}
	type edgeKey struct {
		From, To int
		Kind     edges.Kind
		Rel      string
	}
	used, superseded := map[edgeKey]bool{}, map[int]bool{}
	for range rapid.IntRange(1, s.Ties).Draw(t, "edges") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		rel := rapid.SampledFrom([]string{"", "", "why", "because"}).Draw(t, "rel")
		if kind.Acyclic() && rank[a] < rank[b] {
			a, b = b, a
		}
		key := edgeKey{a, b, kind, rel}
		switch {
		case a == b, used[key], kind.Symmetric() && used[edgeKey{b, a, kind, rel}]:
			continue
		case kind == edges.Supersedes && (superseded[b] || !s.Hide):
			continue
		}
		used[key] = true
		superseded[b] = superseded[b] || kind == edges.Supersedes
		e := w.AddEdge(a, kind, b)
		e.Rel = rel
		if s.Origins {
			e.Origin = rapid.SampledFrom([]string{"person", "wikilink", "mention", "markdown", "frontmatter"}).Draw(t, "origin")
			e.Place = rapid.SampledFrom([]string{"", "", "wikilink", "frontmatter"}).Draw(t, "place")
		}
		// Different products of a few of these weights are never nearly equal.
		e.Weight = rapid.SampledFrom([]float64{1, 0.5, 0.25, 0.9, 0.7, 0.3}).Draw(t, "weight")
		if s.Times {
			e.Created = Day(rapid.IntRange(1, 6).Draw(t, "edge created"))
			e.ValidFrom, e.ValidTo = DrawSpan(t)
		}
	}
	w.SetStatuses()
	return w
}

// DrawSpan draws valid_from and valid_to, nil if not set. The span may begin before the row
// was stored or long after the test, and end in the past or long after the test.
func DrawSpan(t *rapid.T) (from, to *string) {
	switch rapid.IntRange(0, 5).Draw(t, "valid from") {
	case 0, 1:
		from = Ptr(Day(rapid.IntRange(1, 5).Draw(t, "from")))
	case 2:
		return Ptr("2998-01-01T00:00:00.000Z"), nil
	}
	switch rapid.IntRange(0, 4).Draw(t, "valid to") {
	case 0:
		to = Ptr(Day(rapid.IntRange(6, 8).Draw(t, "to")))
	case 1:
		to = Ptr("2999-01-01T00:00:00.000Z")
	}
	return from, to
}

// DrawOrder draws the orders in which World.Store inserts the memories and edges.
func DrawOrder(t *rapid.T, w *World) (mems, ties []int) {
	mems = rapid.Permutation(Numbers(len(w.Mems))).Draw(t, "order of memories")
	ties = rapid.Permutation(Numbers(len(w.Ties))).Draw(t, "order of edges")
	return mems, ties
}

// DrawTypes draws an argument edge_types.
func DrawTypes(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{
		nil, nil, {"causes", "depends-on"}, {"supersedes", "relates-to", "links-to"}, {"mentions", "caused_by", "contradicts"},
	}).Draw(t, "edge_types")
}

// DrawTypesAndWords draws an argument edge_types that may have words of other systems for
// origins.
func DrawTypesAndWords(t *rapid.T) []string {
	types := DrawTypes(t)
	return append(types, rapid.SampledFrom([][]string{nil, nil, {"wikilink"}, {"mention", "frontmatter_ref"}, {"hyperlink"}}).Draw(t, "words")...)
}

// DrawOrigins draws an argument origins.
func DrawOrigins(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{nil, nil, {"wikilink"}, {"mention", "person"}, {"frontmatter", "markdown"}}).Draw(t, "origins")
}

// DrawPathArgs draws the arguments of a path between two memories of a world. It returns also
// the indexes of the two memories, and the Pass that has the meaning of the arguments.
func DrawPathArgs(t *rapid.T, w *World) (a walk.PathArgs, from, to int, p Pass) {
	from = rapid.IntRange(0, len(w.Mems)-1).Draw(t, "from")
	to = rapid.IntRange(0, len(w.Mems)-1).Draw(t, "to")
	a = walk.PathArgs{
		From: w.Mems[from].ID, To: w.Mems[to].ID,
		MaxHops:           rapid.IntRange(1, 6).Draw(t, "max_hops"),
		EdgeTypes:         DrawTypes(t),
		Direction:         rapid.SampledFrom([]string{"", "any", "forward", "backward"}).Draw(t, "direction"),
		Alternatives:      rapid.IntRange(1, 5).Draw(t, "alternatives"),
		Weighted:          rapid.Bool().Draw(t, "weighted"),
		IncludeSuperseded: rapid.SampledFrom([]*bool{nil, Ptr(true), Ptr(false)}).Draw(t, "include_superseded"),
	}
	p = Pass{
		Kinds: ReadKinds(t, a.EdgeTypes), IncludeSuperseded: a.IncludeSuperseded == nil || *a.IncludeSuperseded,
		Ends: []int{from, to}, Direction: walk.Direction(a.Direction),
	}
	return a, from, to, p
}
