package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

func (s *session) pathCommand() *cobra.Command {
	return mirror[edges.PathArgs, edges.PathResult]{
		use:   "path FROM TO",
		group: groupGraph,
		short: "How one memory leads to another",
		long: `Finds the shortest path between two memories, and draws each arrow the way its
edge is stored, whatever way the path goes along it.`,
		example: `  hence path "Double-sold car deck" "Refund without a claim form"
  hence path incidents/Outage.md Home --max-hops 6 --edge-types causes,depends-on
  hence path A B --direction forward --alternatives 3
  hence path A B --format mermaid`,
		words: count{2, 2},
		flags: flags.Options{Omit: []string{"from_id", "to_id"}},
		place: func(a *edges.PathArgs, words []string) error {
			a.From, a.To = words[0], words[1]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.PathArgs) (edges.PathResult, error) {
			return edges.Graph{DB: d, Caller: c}.Path(ctx, a)
		},
		draw:  drawPaths,
		graph: (*view).pathGraph,
	}.command(s)
}

func drawPaths(v *view, _ edges.PathArgs, r edges.PathResult) {
	if !r.Found {
		v.Line(screen.Text(r.Message))
		return
	}
	v.path(r.Path)
	if r.Strength > 0 {
		v.Line(screen.Span{Text: fmt.Sprintf("strength %.3g", r.Strength), Style: screen.Faint})
	}
	for i, path := range r.Alternatives {
		v.Line()
		v.Line(screen.Span{Text: fmt.Sprintf("or, %d:", i+2), Style: screen.Faint})
		v.path(path)
	}
}

// path draws a path on one line where it fits, and else a hop on each.
func (v *view) path(path []edges.Hop) {
	if line, ok := inline(path); ok && v.Fits(line...) {
		v.Line(line...)
		return
	}
	v.Line(title(path[0])...)
	for i, hop := range path[:len(path)-1] {
		spans := append([]screen.Span{edgeSpan(hop.Type, firstRel(hop), hop.Direction)}, title(path[i+1])...)
		v.Hang("  ", deeper, spans...)
		if also := parallels(hop); also != "" {
			v.Item("      ", screen.Span{Text: "also " + also, Style: screen.Faint})
		}
	}
}

// inline draws a short path without parallel edges.
func inline(path []edges.Hop) (line []screen.Span, ok bool) {
	const mostHops = 2
	if len(path) > mostHops+1 {
		return nil, false
	}
	for i, hop := range path {
		line = append(line, title(hop)...)
		if i == len(path)-1 {
			break
		}
		if len(hop.Edges) > 1 {
			return nil, false
		}
		line = append(line, screen.Text(" "), edgeSpan(hop.Type, firstRel(hop), hop.Direction))
	}
	return line, true
}

func title(hop edges.Hop) []screen.Span {
	return []screen.Span{{Text: hop.Title, Style: screen.Strong}, statusSpan(hop.Status)}
}

func firstRel(hop edges.Hop) string {
	if len(hop.Edges) == 0 {
		return ""
	}
	return hop.Edges[0].Rel
}

// parallels draws the edges of a hop beside the first.
func parallels(hop edges.Hop) string {
	arrows := []string{}
	for i, e := range hop.Edges {
		if i > 0 {
			arrows = append(arrows, arrow(e.Type, e.Rel, e.Direction))
		}
	}
	return strings.Join(arrows, ", ")
}
