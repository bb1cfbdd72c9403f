package graphtest

import (
	"cmp"
	"slices"
	"strings"

	"hence/edges"
	"hence/edges/walk"
)

// Pass restricts a naive walk as the contract does.
type Pass struct {
	Kinds             []edges.Kind
	WhollyFrom        []string // origins allowed in addition to the kinds
	Origins           []string
	Rels              []string
	Direction         walk.Direction
	IncludeSuperseded bool
	IncludeForgotten  bool
	WithoutFiles      bool
	Times             Times
	Ends              []int // may be entered whatever their status
}

// ReadKinds reads edge_types as the contract does.
func ReadKinds(t TB, types []string) []edges.Kind {
	t.Helper()
	if len(types) == 0 {
		return slices.DeleteFunc(edges.Kinds(), func(k edges.Kind) bool { return k == edges.Mentions })
	}
	kinds := []edges.Kind{}
	for _, word := range types {
		k, _, err := edges.Parse(word)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// ReadPass reads edge_types and origins as the contract does for tools that accept both.
func ReadPass(t TB, types, origins []string) (p Pass) {
	t.Helper()
	p.Origins = origins
	kinds := slices.DeleteFunc(slices.Clone(types), func(word string) bool {
		origin := map[string]string{"wikilink": "wikilink", "mention": "mention", "frontmatter_ref": "frontmatter", "hyperlink": "markdown"}[word]
		if origin != "" {
			p.WhollyFrom = append(p.WhollyFrom, origin)
		}
		return origin != ""
	})
	switch {
	case len(types) == 0 && len(origins) > 0:
		p.Kinds = edges.Kinds()
	case len(types) == 0 || len(kinds) > 0:
		p.Kinds = ReadKinds(t, kinds)
	}
	return p
}

// Passes reports whether an edge has one of the kinds or origins.
func (p Pass) Passes(t Tie) bool {
	from := func(origins []string) bool {
		return slices.Contains(origins, t.Origin) || t.Place != "" && slices.Contains(origins, t.Place)
	}
	return (slices.Contains(p.Kinds, t.Kind) || from(p.WhollyFrom)) && (len(p.Origins) == 0 || from(p.Origins))
}

// Stride is one edge as the naive references pass it.
type Stride struct {
	From, To int
	Out      bool
	Tie      Tie
}

// Strides lists all edges that may be passed from one memory.
func (w *World) Strides(at int, p Pass) []Stride {
	strides := []Stride{}
	for _, t := range w.Ties {
		if !p.Passes(t) || len(p.Rels) > 0 && !slices.ContainsFunc(p.Rels, func(rel string) bool { return strings.EqualFold(rel, t.Rel) }) || !t.Holds(p.Times) {
			continue
		}
		symmetric := t.Kind == edges.Contradicts || t.Kind == edges.RelatesTo
		if t.From == at && (p.Direction != walk.Backward || symmetric) && w.Open(t.To, p) {
			strides = append(strides, Stride{at, t.To, true, t})
		}
		if t.To == at && (p.Direction != walk.Forward || symmetric) && w.Open(t.From, p) {
			strides = append(strides, Stride{at, t.From, false, t})
		}
	}
	return strides
}

// CompareStrides is the documented order of edges from one memory: type of edge, out
// before in, the next memory; then the word.
func (w *World) CompareStrides(a, b Stride) int {
	rank := func(s Stride) int {
		if s.Out {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.Tie.Kind, b.Tie.Kind), cmp.Compare(rank(a), rank(b)),
		cmp.Compare(w.Mems[a.To].ID, w.Mems[b.To].ID), cmp.Compare(a.Tie.Rel, b.Tie.Rel))
}

// Distances is a plain breadth-first search. A memory that must not be passed through
// has a distance, but no memories beyond it are reached.
func (w *World) Distances(seeds []int, p Pass, through func(i int) bool) map[int]int {
	distance := map[int]int{}
	queue := []int{}
	for _, s := range seeds {
		if _, ok := distance[s]; !ok {
			distance[s] = 0
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if distance[at] > 0 && !through(at) {
			continue
		}
		for _, s := range w.Strides(at, p) {
			if _, ok := distance[s.To]; !ok {
				distance[s.To] = distance[at] + 1
				queue = append(queue, s.To)
			}
		}
	}
	return distance
}

// Direction returns a direction as the contract names it.
func Direction(out bool) string {
	if out {
		return "out"
	}
	return "in"
}
