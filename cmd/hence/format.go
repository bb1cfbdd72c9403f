package main

import (
	"cmp"
	"slices"

	"hence/cmd/hence/internal/graphfile"
	"hence/edges"
	"hence/edges/walk"
	"hence/internal/ref"
	"hence/memory"
	"hence/tools/show"
)

// nodeOf returns a memory as a node of a graph file.
func nodeOf(m ref.Seen, hop int) graphfile.Node {
	n := graphfile.Node{ID: m.ID, Title: m.Title + m.Named().Mark(), Kind: m.Kind, Status: m.Status, URI: m.URI, Hop: hop}
	if file := show.NotePath(m.URI); file != m.URI && m.Status != memory.Forgotten {
		n.File = file
	}
	return n
}

// node looks up a memory by its id and returns it as a node of a graph file.
func (v *view) node(id string, hop int) graphfile.Node {
	m := v.find(id)
	return nodeOf(ref.Seen{ID: id, Title: m.Title, Trust: m.Trust, Kind: m.Kind, Status: m.Status, URI: m.URI}, hop)
}

// edgeOf returns an edge between two memories of a walk, in its stored direction.
func edgeOf(from, next string, kind edges.Kind, rel, direction string) graphfile.Edge {
	if direction == "in" {
		from, next = next, from
	}
	return graphfile.Edge{
		From: from, To: next, Type: string(kind), Rel: rel,
		Label: show.EdgeName(kind, rel), Symmetric: kind.Symmetric(),
	}
}

func (v *view) pathGraph(_ walk.PathArgs, r walk.PathResult) (g graphfile.Graph) {
	if !r.Found {
		v.warn(r.Message)
	}
	for _, path := range append([][]edges.Hop{r.Path}, r.Alternatives...) {
		for i, hop := range path {
			g.AddNode(v.node(hop.ID, i))
			for _, e := range hop.Edges {
				g.AddEdge(edgeOf(hop.ID, path[i+1].ID, e.Type, e.Rel, e.Direction))
			}
		}
	}
	return g
}

func (v *view) expansionGraph(a walk.ExpandArgs, r walk.ExpandResult) (g graphfile.Graph) {
	for _, seed := range a.Seeds {
		if m := v.find(seed); m.ID != "" {
			g.AddNode(v.node(m.ID, 0))
		}
	}
	for _, x := range r.Results {
		// A memory that a filter rejects may be on the way to a result.
		g.AddNode(v.node(x.Via.From, x.Via.Hop-1))
		g.AddNode(nodeOf(x.Seen, x.Via.Hop))
		g.AddEdge(edgeOf(x.Via.From, x.ID, x.Via.EdgeType, x.Via.Rel, x.Via.Direction))
	}
	v.draw(show.ExpansionNotes(r))
	return g
}

func (v *view) neighborhoodGraph(_ walk.NeighborhoodArgs, r walk.NeighborhoodResult) (g graphfile.Graph) {
	g.AddNode(nodeOf(ref.Seen{ID: r.Seed.ID, Title: r.Seed.Title, Trust: r.Seed.Trust, Kind: r.Seed.Kind, Status: r.Seed.Status, URI: r.Seed.URI}, 0))
	for _, n := range r.Nodes {
		g.AddNode(nodeOf(n.Seen, n.Distance))
	}
	place := map[string]int{}
	for i, n := range g.Nodes {
		place[n.ID] = i
	}
	slices.SortStableFunc(r.Edges, func(a, b walk.Link) int {
		return cmp.Or(cmp.Compare(place[a.From], place[b.From]), cmp.Compare(place[a.To], place[b.To]))
	})
	for _, l := range r.Edges {
		g.AddEdge(edgeOf(l.From, l.To, l.Type, l.Rel, "out"))
	}
	v.cut(r.Truncated, r.Next)
	return g
}

// traceGraph places the reasons of the memory before it, at negative hops, and the memories
// that rest on it after it.
func (v *view) traceGraph(_ walk.TraceArgs, all traces) (g graphfile.Graph) {
	for _, r := range all {
		root := v.node(r.ID, 0)
		root.Stale = len(r.Stale) > 0
		g.AddNode(root)
		for _, x := range r.Results {
			hop := x.Via.Hop
			if r.Direction == "upstream" {
				hop = -hop
			}
			n := nodeOf(x.Seen, hop)
			n.Stale = len(x.Stale) > 0
			g.AddNode(n)
			g.AddEdge(edgeOf(x.Via.From, x.ID, x.Via.EdgeType, x.Via.Rel, x.Via.Direction))
		}
		v.cut(r.Truncated, r.Next)
	}
	return g
}
