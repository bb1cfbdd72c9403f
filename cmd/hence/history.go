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

func (s *session) historyCommand() *cobra.Command {
	return mirror[edges.HistoryArgs, edges.HistoryResult]{
		use:   "history REF",
		group: groupGraph,
		short: "What a memory replaced, and what replaced it",
		long: `Draws the line of succession that a memory is part of, oldest first, with the
reason of each step.`,
		example: `  hence history "Hold seats in the session cache"`,
		words:   count{1, 1},
		flags:   flags.Options{Omit: []string{"id"}},
		place: func(a *edges.HistoryArgs, words []string) error {
			a.ID = words[0]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.HistoryArgs) (edges.HistoryResult, error) {
			return edges.Graph{DB: d, Caller: c}.History(ctx, a)
		},
		draw: drawHistory,
	}.command(s)
}

func drawHistory(v *view, _ edges.HistoryArgs, r edges.HistoryResult) {
	titles := map[string]string{}
	for i, version := range r.Chain {
		titles[version.ID] = version.Title
		if i > 0 {
			v.step(version.Reason)
		}
		v.Item(day(version.CreatedAt)+"  ",
			screen.Span{Text: version.Title, Style: screen.Strong}, versionStatus(version.Status), faint(ref.ShortID(version.ID)))
	}
	for _, m := range r.MergedFrom {
		v.Line()
		v.Item("also        ", screen.Span{Text: m.Title, Style: screen.Strong}, versionStatus(m.Status), faint(ref.ShortID(m.ID)))
		v.Item("            ", screen.Text("was replaced by "+titles[m.Into]+because(m.Reason)))
	}
	if len(r.Chain) == 1 {
		v.Item("            ", screen.Span{Text: "replaced nothing, and nothing replaced it", Style: screen.Faint})
	}
}

// step is what lies between two memories of the line.
func (v *view) step(reason string) {
	if reason == "" {
		v.Item("     ↓      ", screen.Span{Text: "replaced by", Style: screen.Faint})
		return
	}
	v.Item("     ↓      ", screen.Text("because "+reason))
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ", because " + reason
}

func versionStatus(status string) screen.Span {
	style := screen.Warn
	if status == "current" {
		style = screen.Good
	}
	return screen.Span{Text: " (" + status + ")", Style: style}
}
