package main

import (
	"context"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/tools/show"
)

// graphCommands make edges and walk along them.
var graphCommands = []command{
	same("link", "from type to", belief.Graph.Link, show.Linked).writing(),
	same("unlink", "from type to", edges.Graph.Unlink, show.Unlinked).writing(),
	same("path", "from_id to_id", walk.Graph.Path, show.Paths),
	mirror[walk.ExpandArgs, walk.ExpandResult]{
		use:      "expand",
		defaults: walk.ExpandArgs{Hops: 2}, // a person sees a tree
		words:    count{1, unlimited},
		fills:    []string{"seed_doc_ids"},
		flags:    flags.Options{Whole: []string{"rels"}},
		call:     method(walk.Graph.Expand),
		tell:     show.Expanded,
	},
	same("neighborhood", "id", walk.Graph.Neighborhood, show.Neighborhood).without("path"),
	same("history", "id", edges.Graph.History, show.History),
	mirror[walk.TraceArgs, traces]{
		use:   "trace",
		fills: []string{"id"},
		call: func(ctx context.Context, s *session, v ref.View, a walk.TraceArgs) (all traces, err error) {
			directions := []string{a.Direction}
			switch {
			case a.Direction == "" && s.asJSON: // one answer
				directions = []string{"upstream"}
			case a.Direction == "":
				directions = []string{"upstream", "downstream"}
			}
			for _, a.Direction = range directions {
				r, err := walk.Graph(v).Trace(ctx, a)
				if err != nil {
					return nil, err
				}
				all = append(all, r)
			}
			return all, nil
		},
		also: func(_ *session, cmd *cobra.Command, _ *walk.TraceArgs) { cmd.Flags().Lookup("direction").DefValue = "" }, // both
		tell: func(all traces) show.Doc { return show.Traced(all...) },
	},
	same("overview", "", walk.Graph.Overview, show.Overview),
	function(exploreCommand),
}

// traces are the results for one direction, as the tool has it, or both.
type traces []walk.TraceResult

func (all traces) MarshalJSON() ([]byte, error) { return []byte(db.JSON(all[0])), nil }
