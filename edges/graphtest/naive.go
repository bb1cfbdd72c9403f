package graphtest

import (
	"cmp"
	"slices"
	"strings"

	"hence/edges"
	"hence/edges/walk"
)

// Pass says which edges and memories a naive walk may pass, as the arguments of a call do.
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
	Ends              []int // indexes of memories that may be entered whatever their status
}

// ReadKinds returns the kinds that the argument edge_types names.
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

// ReadPass returns the Pass for the arguments edge_types and origins of a tool that has both.
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

// Passes reports whether an edge has one of the kinds and origins of the Pass.
func (p Pass) Passes(t Tie) bool {
	hasOrigin := func(origins []string) bool {
		return slices.Contains(origins, t.Origin) || t.Place != "" && slices.Contains(origins, t.Place)
	}
	return (slices.Contains(p.Kinds, t.Kind) || hasOrigin(p.WhollyFrom)) && (len(p.Origins) == 0 || hasOrigin(p.Origins))
}

// Stride is one edge as a naive walk passes it, from the memory From to the memory To. Out
// says whether the edge is stored in this direction.
type Stride struct {
	From, To int
	Out      bool
	Tie      Tie
}

// Strides returns all edges that a walk may pass from one memory.
func (w *World) Strides(memory int, p Pass) []Stride {
	strides := []Stride{}
	for _, t := range w.Ties {
		if !p.Passes(t) || len(p.Rels) > 0 && !slices.ContainsFunc(p.Rels, func(rel string) bool { return strings.EqualFold(rel, t.Rel) }) || !t.Holds(p.Times) {
			continue
		}
		symmetric := t.Kind == edges.Contradicts || t.Kind == edges.RelatesTo
		if t.From == memory && (p.Direction != walk.Backward || symmetric) && w.Open(t.To, p) {
			strides = append(strides, Stride{memory, t.To, true, t})
		}
		if t.To == memory && (p.Direction != walk.Forward || symmetric) && w.Open(t.From, p) {
			strides = append(strides, Stride{memory, t.From, false, t})
		}
	}
	return strides
}

// CompareStrides compares two edges by the documented order of edges from one memory: type,
// out before in, id of the next memory, word.
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

// Distances returns the distance in edges of each memory that a breadth-first search from
// the seeds reaches. It does not continue from a memory for which through returns false,
// unless that is a seed.
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
		current := queue[0]
		queue = queue[1:]
		if distance[current] > 0 && !through(current) {
			continue
		}
		for _, s := range w.Strides(current, p) {
			if _, ok := distance[s.To]; !ok {
				distance[s.To] = distance[current] + 1
				queue = append(queue, s.To)
			}
		}
	}
	return distance
}

// Direction returns the name of a direction in a response.
func Direction(out bool) string {
	if out {
		return "out"
	}
	return "in"
}
