package main

import (
	"context"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/journal"
)

// verboseFlag adds -v to a command that otherwise shows a summary.
func verboseFlag(cmd *cobra.Command, verbose *bool, usage string) {
	cmd.Flags().BoolVarP(verbose, "verbose", "v", false, usage)
}

func (s *session) logCommand() *cobra.Command {
	verbose := false
	return mirror[journal.LogArgs, journal.LogResult]{
		use:   "log",
		group: groupMemory,
		short: "What was changed, the latest first",
		long: `Lists the changes of the journal: who did what to which memory or edge, and
when. An import, or a write of notes, is one line; -v lists every change of it.
hence undo takes a change back by its number.`,
		example: `  hence log --limit 50
  hence log -v --id "Drain time"`,
		flags: flags.Options{Omit: []string{"acts"}},
		also: func(cmd *cobra.Command, _ *journal.LogArgs) {
			verboseFlag(cmd, &verbose, "list every change of an import")
		},
		place: func(a *journal.LogArgs, _ []string) error {
			a.Acts = !verbose
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a journal.LogArgs) (journal.LogResult, error) {
			return journal.Journal{DB: d, Caller: c}.Log(ctx, a)
		},
		draw: func(v *view, _ journal.LogArgs, r journal.LogResult) {
			if len(r.Changes) == 0 {
				v.Line(screen.Text("nothing has happened here"))
				return
			}
			v.changes(r.Changes)
			if r.Truncated {
				v.Line(screen.Span{Text: "for earlier ones, --before " + digits(r.Next), Style: screen.Faint})
			}
		},
	}.command(s)
}

// changes draws rows of the journal.
func (v *view) changes(all []journal.Change) {
	rows := [][]screen.Span{}
	for _, c := range all {
		title, what := c.Title, c.What
		if title == "" {
			title = c.ID
		}
		if c.UndoneBy != 0 {
			what += " (undone by " + digits(c.UndoneBy) + ")"
		}
		rows = append(rows, []screen.Span{
			screen.Text(digits(c.Seq)), screen.Text(minute(c.At)), screen.Text(c.Actor), screen.Text(c.Action),
			{Text: title, Style: screen.Strong}, {Text: what, Style: screen.Faint},
		})
	}
	v.Table([]screen.Column{{Head: "change"}, {Head: "at"}, {Head: "by", Min: 5}, {Head: "action"}, {Head: "memory", Min: 8}, {Head: "what", Min: 8}}, rows)
}
