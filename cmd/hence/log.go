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

func (s *session) logCommand() *cobra.Command {
	return mirror[journal.LogArgs, journal.LogResult]{
		use:   "log",
		group: groupMemory,
		short: "What was changed, the latest first",
		long: `Lists the changes of the journal: who did what to which memory or edge, and
when. hence undo takes one back by its number.`,
		example: `  hence log --limit 50
  hence log --id "Drain time"`,
		place: func(*journal.LogArgs, []string) error { return nil },
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

func (s *session) undoCommand() *cobra.Command {
	return mirror[journal.UndoArgs, journal.UndoResult]{
		use:   "undo [CHANGE]",
		group: groupMemory,
		short: "Take a change back",
		long: `Takes back what the last command did, or the change that hence log gives a
number: whole, or not at all when the same memory or edge was changed again
since. What was stored is forgotten, not deleted. An import is taken back whole;
one of more than 10,000 changes is not, so make a backup before it. With
--namespace, what was done in that group is; where other groups are part of it,
nothing is. Undoing twice goes further back; undoing an undo by its number brings
back what it took. A purge has no way back.`,
		example: `  hence undo
  hence log --limit 5
  hence undo 1042`,
		words:  count{0, 1},
		flags:  flags.Options{Omit: []string{"seq"}},
		writes: true,
		place: func(a *journal.UndoArgs, words []string) (err error) {
			if len(words) > 0 {
				a.Seq, err = changeNumber(words[0])
			}
			return err
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a journal.UndoArgs) (journal.UndoResult, error) {
			return journal.Journal{DB: d, Caller: c}.Undo(ctx, a)
		},
		draw: func(v *view, _ journal.UndoArgs, r journal.UndoResult) {
			v.Line(screen.Span{Text: "undone:", Style: screen.Good})
			v.changes(r.Undone)
			v.Item("  ", screen.Span{Text: "hence undo " + digits(r.By) + " brings it back", Style: screen.Faint})
		},
	}.command(s)
}
