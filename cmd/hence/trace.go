package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// The directions of a trace.
const (
	upstream   = "upstream"
	downstream = "downstream"
)

// traces are the answers of one direction, or of both.
type traces []edges.TraceResult

func (s *session) traceCommand() *cobra.Command {
	return mirror[edges.TraceArgs, traces]{
		use:   "trace REF",
		group: groupGraph,
		short: "What a memory rests on, what rests on it, and what is stale",
		long: `Follows causes, depends-on, derived-from and supports: upstream to what a memory
rests on (why), downstream to what rests on it (what breaks). It shows both
where --direction is left out; with --json, which prints one answer, give one.
What rests, at any remove, on something that was superseded, forgotten,
contradicted or changed is stale, until verify says that it was looked at.`,
		example: `  hence trace "Drain time"
  hence trace "Payment Gateway" --direction downstream
  hence trace incidents/Outage.md --max-hops 2 --format canvas > outage.canvas`,
		words: count{1, 1},
		flags: flags.Options{Omit: []string{"id"}},
		place: func(a *edges.TraceArgs, words []string) error {
			a.ID = words[0]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.TraceArgs) (traces, error) {
			if a.Direction == "" && !s.asJSON {
				return bothWays(ctx, edges.Graph{DB: d, Caller: c}, a)
			}
			r, err := edges.Graph{DB: d, Caller: c}.Trace(ctx, a)
			return traces{r}, err
		},
		draw:   drawTraces,
		graph:  (*view).traceGraph,
		asTool: func(r traces) any { return r[0] },
	}.command(s)
}

func bothWays(ctx context.Context, g edges.Graph, a edges.TraceArgs) (all traces, err error) {
	for _, a.Direction = range []string{upstream, downstream} {
		r, err := g.Trace(ctx, a)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func drawTraces(v *view, _ edges.TraceArgs, all traces) {
	m := v.find(all[0].ID)
	v.Line(screen.Span{Text: all[0].Title, Style: screen.Strong}, statusSpan(all[0].Status), faint(besideTitle(m.Title, all[0].ID, m.URI)))
	for _, line := range v.doubts(all[0].Stale) {
		v.Item("  ", line...)
	}
	for _, r := range all {
		v.Line()
		v.trace(r)
	}
}

// trace draws one direction as a tree by route.
func (v *view) trace(r edges.TraceResult) {
	if len(r.Results) == 0 && !r.Truncated {
		v.Line(screen.Text(nothing(r.Direction)))
		return
	}
	all := []reached{}
	for _, x := range r.Results {
		all = append(all, reached{
			id: x.ID, uri: x.URI, title: x.Title, status: x.Status,
			kind: x.Via.EdgeType, rel: x.Via.Rel, direction: x.Via.Direction, route: x.Route, under: v.doubts(x.Stale),
		})
	}
	root := &screen.Node{Line: []screen.Span{screen.Text(heading(r))}}
	grow(root, r.ID, all)
	v.Tree(root)
	v.more(r.Truncated, r.Next)
}

func nothing(direction string) string {
	if direction == upstream {
		return "it rests on nothing"
	}
	return "nothing rests on it"
}

// heading says what a tree shows, and how much of it is stale.
func heading(r edges.TraceResult) string {
	text := "what rests on it"
	if r.Direction == upstream {
		text = "what it rests on"
	}
	if r.StaleCount > 0 {
		text += fmt.Sprintf(" (%d of %d stale)", r.StaleCount, r.ReturnedCount)
	}
	return text
}
