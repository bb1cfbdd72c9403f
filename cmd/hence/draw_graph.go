package main

import (
	"strings"

	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/plural"
	"hence/tools/show"
)

// path draws each hop of a path on its own line.
func (v *view) path(p show.Path) {
	if p.Alternative {
		v.Line()
		v.Line(faint("or " + plural.Count(len(p.Hops)-1, "hop", "hops") + ":"))
	}
	v.Line(v.hop(p.Hops[0])...)
	for i, hop := range p.Hops[:len(p.Hops)-1] {
		v.Hang("  ", deeper, append([]screen.Span{arrowOut(hop)}, v.hop(p.Hops[i+1])...)...)
		also := []string{}
		for _, e := range hop.Edges[min(1, len(hop.Edges)):] {
			also = append(also, show.Link{Kind: e.Type, Rel: e.Rel, Direction: e.Direction, Ended: e.Ended}.Arrow())
		}
		if len(also) > 0 {
			v.Item(deeper, faint("also "+strings.Join(also, ", ")))
		}
	}
}

// hop returns the name of a memory on a path.
func (v *view) hop(h edges.Hop) []screen.Span {
	return v.ref(show.Plain, show.Ref{Named: h.Named, Status: show.StatusText(h.Status, h.Aging), Form: show.Bare})
}

// arrowOut returns the arrow from a hop to the next one, with a space after it.
func arrowOut(h edges.Hop) screen.Span {
	along := show.Link{Kind: h.Type, Direction: h.Direction}
	if len(h.Edges) > 0 {
		along.Rel, along.Ended = h.Edges[0].Rel, h.Edges[0].Ended
	}
	a := arrow(along)
	a.Text += " "
	return a
}

// walk draws a tree for each seed, in the order of the results.
func (v *view) walk(w show.Walk) {
	roots := map[string]*screen.Node{}
	order := []*screen.Node{}
	root := func(seed string) *screen.Node {
		if roots[seed] == nil {
			line := v.spans(show.Plain, w.Root)
			if w.Root == nil {
				line = []screen.Span{strong(v.title(seed))}
			}
			roots[seed] = &screen.Node{Line: line}
			order = append(order, roots[seed])
		}
		return roots[seed]
	}
	if w.Root != nil {
		root(w.Seed.ID)
	}
	nodes := map[[2]string]*screen.Node{} // by seed and id
	for _, r := range w.Reached {
		// A memory on the route may not be a result; the tree skips it.
		seed, above := r.Route[0], len(r.Route)-2
		for above > 0 && nodes[[2]string{seed, r.Route[above]}] == nil {
			above--
		}
		parent := root(seed)
		if above > 0 {
			parent = nodes[[2]string{seed, r.Route[above]}]
		}
		n := &screen.Node{Under: v.doubtLines(show.Doubts{Stale: r.Stale})}
		if hidden := len(r.Route) - 2 - above; hidden > 0 {
			n.Line = append(n.Line, faint("… ("+plural.Count(hidden, "memory", "memories")+" between, not shown) … "))
		}
		n.Line = append(n.Line, arrow(show.ViaLink(r.Via)), screen.Text(" "), strong(r.Title),
			statusSpan(show.Ref{Named: r.Named(), Status: show.StatusText(r.Status, r.Aging)}.Marks()), spanToCopy(besideTitle(r.Title, r.ID, r.URI)))
		parent.Children = append(parent.Children, n)
		nodes[[2]string{seed, r.ID}] = n
	}
	for i, tree := range order {
		if i > 0 {
			v.Line()
		}
		v.Tree(tree)
	}
}
