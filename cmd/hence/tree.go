package main

import (
	"hence/cmd/hence/internal/screen"
	"hence/edges"
)

// reached is a memory as a tree of a walk shows it.
type reached struct {
	id, uri, title, status string
	kind                   edges.Kind
	rel, direction         string
	route                  []string // ids from the seed to this
	under                  [][]screen.Span
}

// grow hangs each memory from the nearest one on its route that the tree
// shows, and says how many between them it does not.
func grow(root *screen.Node, seed string, all []reached) {
	nodes := map[string]*screen.Node{seed: root}
	for _, r := range all {
		above := len(r.route) - 2
		for above > 0 && nodes[r.route[above]] == nil {
			above--
		}
		parent := nodes[r.route[above]]
		n := &screen.Node{Line: r.line(len(r.route) - 2 - above), Under: r.under}
		parent.Children = append(parent.Children, n)
		nodes[r.id] = n
	}
}

func (r reached) line(hidden int) []screen.Span {
	line := []screen.Span{}
	if hidden > 0 {
		line = append(line, screen.Span{Text: "… (" + number(hidden, "memory", "memories") + " between, not shown) … ", Style: screen.Faint})
	}
	return append(line,
		edgeSpan(r.kind, r.rel, r.direction),
		screen.Span{Text: r.title, Style: screen.Strong},
		statusSpan(r.status),
		faint(besideTitle(r.title, r.id, r.uri)),
	)
}
