package main

import (
	"context"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

func (s *session) neighborhoodCommand() *cobra.Command {
	return mirror[edges.NeighborhoodArgs, edges.NeighborhoodResult]{
		use:   "neighborhood REF",
		group: groupGraph,
		short: "One memory, its neighbours, and every edge among them",
		long: `Draws what lies within --depth edges of a memory, whatever their direction, as a
tree; and below it the other edges among all of these.`,
		example: `  hence neighborhood "Seat Ledger"
  hence neighborhood systems/Job\ Queue.md --depth 2 --edge-types depends-on,part-of
  hence neighborhood "Seat Ledger" --format dot | dot -Tsvg > ledger.svg`,
		words: count{1, 1},
		flags: flags.Options{Omit: []string{"id", "path"}},
		place: func(a *edges.NeighborhoodArgs, words []string) error {
			a.ID = words[0]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.NeighborhoodArgs) (edges.NeighborhoodResult, error) {
			return edges.Graph{DB: d, Caller: c}.Neighborhood(ctx, a)
		},
		draw:  drawNeighborhood,
		graph: (*view).neighborhoodGraph,
	}.command(s)
}

func drawNeighborhood(v *view, _ edges.NeighborhoodArgs, r edges.NeighborhoodResult) {
	routes := map[string][]string{r.Seed.ID: {r.Seed.ID}}
	titles := map[string]string{r.Seed.ID: r.Seed.Title}
	all := []reached{}
	for _, n := range r.Nodes {
		route := append(append([]string{}, routes[n.Via.From]...), n.ID)
		routes[n.ID], titles[n.ID] = route, n.Title
		all = append(all, reached{
			id: n.ID, uri: n.URI, title: n.Title, status: n.Status,
			kind: n.Via.EdgeType, rel: n.Via.Rel, direction: n.Via.Direction, route: route,
		})
	}
	root := &screen.Node{Line: []screen.Span{
		{Text: r.Seed.Title, Style: screen.Strong}, statusSpan(r.Seed.Status), faint(besideTitle(r.Seed.Title, r.Seed.ID, r.Seed.URI)),
	}}
	grow(root, r.Seed.ID, all)
	v.Tree(root)
	v.otherEdges(others(r), titles)
	v.more(r.Truncated, r.Next)
}

// others returns the edges that the tree does not show.
func others(r edges.NeighborhoodResult) []edges.Link {
	shown := map[edges.Link]bool{}
	for _, n := range r.Nodes {
		l := edges.Link{From: n.Via.From, To: n.ID, Type: n.Via.EdgeType, Rel: n.Via.Rel}
		if n.Via.Direction == "in" {
			l.From, l.To = l.To, l.From
		}
		shown[l] = true
	}
	rest := []edges.Link{}
	for _, l := range r.Edges {
		if !shown[l] {
			rest = append(rest, l)
		}
	}
	return rest
}

func (v *view) otherEdges(rest []edges.Link, titles map[string]string) {
	const most = 20
	if len(rest) == 0 {
		return
	}
	v.Line()
	v.Line(screen.Span{Text: "and among these:", Style: screen.Faint})
	for _, l := range rest[:min(len(rest), most)] {
		v.Hang("  ", deeper, screen.Text(titles[l.From]+" "), edgeSpan(l.Type, l.Rel, "out"), screen.Text(titles[l.To]))
	}
	if len(rest) > most {
		v.Item("  ", screen.Span{Text: "… and " + number(len(rest)-most, "edge", "edges") + " more, which --json has", Style: screen.Faint})
	}
}
