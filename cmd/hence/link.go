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

func (s *session) linkCommand() *cobra.Command {
	return mirror[edges.LinkArgs, edges.LinkResult]{
		use:   "link FROM TYPE TO",
		group: groupGraph,
		short: "Tie two memories together",
		long: `Declares an edge, which reads FROM TYPE TO: "report supports claim". Inverse words
such as caused-by or superseded-by are turned round. Linking again changes the
weight, the note and the time of validity.`,
		example: `  hence link "Drain time" supports "Job Queue"
  hence link "New plan" supersedes "Old plan" --note "the old one cost too much"`,
		words:  count{3, 3},
		flags:  flags.Options{Omit: []string{"from", "to", "type"}},
		kindAt: 2,
		writes: true,
		place: func(a *edges.LinkArgs, words []string) error {
			a.From, a.Type, a.To = words[0], words[1], words[2]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.LinkArgs) (edges.LinkResult, error) {
			return edges.Graph{DB: d, Caller: c}.Link(ctx, a)
		},
		draw: func(v *view, _ edges.LinkArgs, r edges.LinkResult) {
			done := "linked "
			if !r.Created {
				done = "updated "
			}
			v.edge(done, r.Edge)
		},
	}.command(s)
}

func (s *session) unlinkCommand() *cobra.Command {
	return mirror[edges.UnlinkArgs, edges.UnlinkResult]{
		use:   "unlink FROM TYPE TO",
		group: groupGraph,
		short: "Take an edge back",
		long: `Removes the edge of a type between two memories. An edge that a note declares
stays until the note is edited.`,
		example: `  hence unlink "Drain time" supports "Job Queue"`,
		words:   count{3, 3},
		flags:   flags.Options{Omit: []string{"from", "to", "type"}},
		kindAt:  2,
		writes:  true,
		place: func(a *edges.UnlinkArgs, words []string) error {
			a.From, a.Type, a.To = words[0], words[1], words[2]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.UnlinkArgs) (edges.UnlinkResult, error) {
			return edges.Graph{DB: d, Caller: c}.Unlink(ctx, a)
		},
		draw: func(v *view, _ edges.UnlinkArgs, r edges.UnlinkResult) {
			if r.Removed > 0 {
				v.Line(screen.Span{Text: "removed ", Style: screen.Good}, screen.Text(number(int(r.Removed), "edge", "edges")))
			} else if len(r.Warnings) == 0 {
				v.Line(screen.Text("there is no such edge; nothing was removed"))
			}
			v.warn(r.Warnings)
		},
	}.command(s)
}

// edge says on one line what became of an edge.
func (v *view) edge(done string, e edges.Edge) {
	v.Line(
		screen.Span{Text: done, Style: screen.Good},
		screen.Span{Text: e.From.Title, Style: screen.Strong},
		screen.Text(" "), edgeSpan(e.Type, e.Rel, "out"),
		screen.Span{Text: e.To.Title, Style: screen.Strong},
	)
}
