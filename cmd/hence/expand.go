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

func (s *session) expandCommand() *cobra.Command {
	return mirror[edges.ExpandArgs, edges.ExpandResult]{
		use:   "expand SEED...",
		group: groupGraph,
		short: "What lies around one or more memories",
		long: `Walks from the seeds along edges, nearest first, and draws what it reaches as a
tree by the route that led there.`,
		example: `  hence expand "Job Queue"
  hence expand "Job Queue" "Seat Ledger" --hops 3 --edge-types depends-on,causes
  hence expand Home --direction outgoing --filter-properties status=accepted
  hence expand Home --format canvas > home.canvas`,
		defaults: edges.ExpandArgs{Hops: 2},
		words:    count{1, unlimited},
		flags:    flags.Options{Omit: []string{"seed_doc_ids"}, Whole: []string{"rels"}},
		place: func(a *edges.ExpandArgs, words []string) error {
			a.Seeds = words
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.ExpandArgs) (edges.ExpandResult, error) {
			return edges.Graph{DB: d, Caller: c}.Expand(ctx, a)
		},
		draw:  drawExpansion,
		graph: (*view).expansionGraph,
	}.command(s)
}

func drawExpansion(v *view, _ edges.ExpandArgs, r edges.ExpandResult) {
	order, bySeed := []string{}, map[string][]reached{}
	for _, x := range r.Results {
		seed := x.Via.Seed
		if bySeed[seed] == nil {
			order = append(order, seed)
		}
		bySeed[seed] = append(bySeed[seed], reached{
			id: x.ID, uri: x.URI, title: x.Title, status: x.Status,
			kind: x.Via.EdgeType, rel: x.Via.Rel, direction: x.Via.Direction, route: x.Route,
		})
	}
	for i, seed := range order {
		if i > 0 {
			v.Line()
		}
		root := &screen.Node{Line: []screen.Span{{Text: v.title(seed), Style: screen.Strong}}}
		grow(root, seed, bySeed[seed])
		v.Tree(root)
	}
	if len(r.Results) == 0 && len(r.Warnings) == 0 {
		v.Line(screen.Text("nothing is within reach"))
	}
	v.besideExpansion(r)
}

// besideExpansion says what a seed or a limit kept out.
func (v *view) besideExpansion(r edges.ExpandResult) {
	for _, w := range r.Warnings {
		v.warn([]string{w.String()})
	}
	v.more(r.Truncated, r.Next)
}
