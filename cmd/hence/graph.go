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
	mirror[edges.LinkArgs, belief.LinkResult]{
		use:   "link FROM TYPE TO",
		short: "Link two memories",
		long: `Declares an edge, which reads FROM TYPE TO: "report supports claim". Inverse types
such as caused-by or superseded-by are reversed. Linking again changes the weight,
the note and the time of validity.`,
		example: `  hence link "Drain time" supports "Job Queue"
  hence link "New plan" supersedes "Old plan" --note "the old one cost too much"`,
		fills:  []string{"from", "type", "to"},
		writes: true,
		call:   method(belief.Graph.Link),
		tell:   show.Linked,
	},
	mirror[edges.UnlinkArgs, edges.UnlinkResult]{
		use:   "unlink FROM TYPE TO",
		short: "Remove an edge",
		long: `Removes the edge of a type between two memories. An edge that a note declares
stays until the note is edited.`,
		example: `  hence unlink "Drain time" supports "Job Queue"`,
		fills:   []string{"from", "type", "to"},
		writes:  true,
		call:    method(edges.Graph.Unlink),
		tell:    show.Unlinked,
	},
	mirror[walk.PathArgs, walk.PathResult]{
		use:   "path FROM TO",
		short: "Find how one memory leads to another",
		long: `Finds the shortest path between two memories, and draws each arrow in the stored
direction of its edge, whichever way the path follows it.`,
		example: `  hence path "Double-sold car deck" "Refund without a claim form"
  hence path incidents/Outage.md Home --max-hops 6 --edge-types causes,depends-on
  hence path A B --direction forward --alternatives 3
  hence path A B --format mermaid`,
		fills: []string{"from_id", "to_id"},
		call:  method(walk.Graph.Path),
		tell:  show.Paths,
		graph: (*view).pathGraph,
	},
	mirror[walk.ExpandArgs, walk.ExpandResult]{
		use:   "expand SEED...",
		short: "Walk from one or more memories",
		long: `Walks from the seeds along edges, nearest first, and draws the memories it reaches
as a tree of routes.`,
		example: `  hence expand "Job Queue"
  hence expand "Job Queue" "Seat Ledger" --hops 3 --edge-types depends-on,causes
  hence expand Home --direction outgoing --filter-properties status=accepted
  hence expand Home --format canvas > home.canvas`,
		defaults: walk.ExpandArgs{Hops: 2}, // a person sees a tree
		words:    count{1, unlimited},
		fills:    []string{"seed_doc_ids"},
		flags:    flags.Options{Whole: []string{"rels"}},
		call:     method(walk.Graph.Expand),
		tell:     show.Expanded,
		graph:    (*view).expansionGraph,
	},
	mirror[walk.NeighborhoodArgs, walk.NeighborhoodResult]{
		use:   "neighborhood REF",
		short: "Show a memory, its neighbours and all edges among them",
		long: `Draws the memories within --depth edges of a memory, in either direction, as a tree,
and below it the other edges among them.`,
		example: `  hence neighborhood "Seat Ledger"
  hence neighborhood systems/Job\ Queue.md --depth 2 --edge-types depends-on,part-of
  hence neighborhood "Seat Ledger" --format dot | dot -Tsvg > ledger.svg`,
		fills: []string{"id"},
		flags: flags.Options{Omit: []string{"path"}},
		call:  method(walk.Graph.Neighborhood),
		tell:  show.Neighborhood,
		graph: (*view).neighborhoodGraph,
	},
	mirror[edges.HistoryArgs, edges.HistoryResult]{
		use:   "history REF",
		short: "Show what a memory replaced, and what replaced it",
		long: `Draws the chain of successors that a memory is part of, oldest first, with the
reason for each.`,
		example: `  hence history "Hold seats in the session cache"`,
		fills:   []string{"id"},
		call:    method(edges.Graph.History),
		tell:    show.History,
	},
	mirror[walk.TraceArgs, traces]{
		use:   "trace REF",
		short: "Show what a memory rests on, and what rests on it",
		long: `Follows causes, depends-on, derived-from and supports: upstream to what a memory
rests on (why), downstream to what rests on it (what breaks). Without --direction
it shows both, with --json upstream only. A memory is stale
if it rests, directly or through others, on something that was superseded,
forgotten, contradicted or changed, until verify records that it still holds.`,
		example: `  hence trace "Drain time"
  hence trace "Payment Gateway" --direction downstream
  hence trace incidents/Outage.md --max-hops 2 --format canvas > outage.canvas`,
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
		also:  func(_ *session, cmd *cobra.Command, _ *walk.TraceArgs) { cmd.Flags().Lookup("direction").DefValue = "" }, // both
		tell:  func(all traces) show.Doc { return show.Traced(all...) },
		graph: (*view).traceGraph,
	},
	mirror[walk.OverviewArgs, walk.OverviewResult]{
		use:   "overview",
		short: "Summarise the graph",
		long: `Counts memories and edges by kind, and lists the most linked memories, those
without an edge, stale ones, contradictions and cycles of causes.`,
		example: `  hence overview
  hence overview --namespace friends --limit 50
  hence overview --as-of 2026-03`,
		call: method(walk.Graph.Overview),
		tell: show.Overview,
	},
	function((*session).exploreCommand),
}

// traces are the results for one direction, as the tool has it, or both.
type traces []walk.TraceResult

func (all traces) MarshalJSON() ([]byte, error) { return []byte(db.JSON(all[0])), nil }
