package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/tools"
	"hence/tools/show"
	"hence/vault/writing"
)

// journalCommands show what was changed, and undo it.
var journalCommands = []command{
	mirror[journal.LogArgs, journal.LogResult]{
		use:      "log",
		defaults: journal.LogArgs{Batches: true},
		flags:    flags.Options{Omit: []string{"batches"}},
		also: func(_ *session, cmd *cobra.Command, a *journal.LogArgs) {
			cmd.Flags().BoolFuncP("verbose", "v", "list every change of an import", func(value string) error {
				verbose, err := strconv.ParseBool(value)
				a.Batches = !verbose
				return err
			})
		},
		call: method(journal.Journal.Log),
		tell: func(r journal.LogResult) show.Doc {
			if len(r.Changes) == 0 {
				return show.Doc{show.Total{None: "there are no changes"}}
			}
			d := show.Doc{changeTable(r.Changes)}
			if r.Truncated {
				d.AddIn(show.Faint, "", "for earlier ones, --before "+digits(r.Next))
			}
			return d
		},
	},
	mirror[journal.UndoArgs, undoResult]{
		use:   "undo",
		words: count{0, 1},
		flags: flags.Options{Omit: []string{"seq"}},
		also: func(s *session, cmd *cobra.Command, _ *journal.UndoArgs) {
			cmd.Flags().BoolVarP(&s.verbose, "verbose", "v", false, "list everything that was undone")
		},
		writes: true,
		place: func(_ *session, a *journal.UndoArgs, words []string) (err error) {
			if len(words) == 0 {
				return nil
			}
			if a.Seq, err = strconv.ParseInt(words[0], 10, 64); err != nil || a.Seq < 1 {
				return fault.New(fault.InvalidArgument, "undo: %q is not the number of a change; hence log lists them", words[0])
			}
			return nil
		},
		call: func(ctx context.Context, s *session, v ref.View, a journal.UndoArgs) (undoResult, error) {
			undone, err := tools.Undo(ctx, v, a)
			return undoResult{undone, s.verbose}, err
		},
		tell: showUndo,
	},
}

// changeTable returns a table of changes.
func changeTable(all []journal.Change) show.Table {
	t := show.Table{Columns: []show.Column{{Head: "change"}, {Head: "at"}, {Head: "by", Min: 5}, {Head: "action"}, {Head: "memory", Min: 8}, {Head: "what", Min: 8}}}
	for _, c := range all {
		title, what := cmp.Or(c.Title, c.ID)+ref.Named{Trust: c.Trust}.Mark(), c.What
		if c.UndoneBy != 0 {
			what += " (undone by " + digits(c.UndoneBy) + ")"
		}
		t.Rows = append(t.Rows, []show.Cell{
			{Text: digits(c.Seq)}, {Text: instant(c.At)}, {Text: c.Actor}, {Text: c.Action},
			{Text: title, Role: show.Strong, Whole: c.Trust != ""}, {Text: what, Role: show.Faint, Whole: c.ToTrust != ""},
		})
	}
	return t
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }

// undoResult is what was undone.
type undoResult struct {
	tools.Undone
	verbose bool // list all of it
}

func (r undoResult) MarshalJSON() ([]byte, error) { return []byte(db.JSON(r.Result)), nil }

// maxListed is the largest number of changes that are listed without -v.
const maxListed = 20

func showUndo(r undoResult) (d show.Doc) {
	if r.Files != nil {
		return showUndoOfFiles(*r.Files, r.verbose)
	}
	u := r.Result.(journal.UndoResult)
	end := showUndoOfUndo(u.By)
	if u.Purged > 0 {
		end.AddIn(show.Warn, "  ", "the merge purged "+plural.Count(u.Purged, "memory", "memories")+", and only a backup brings that back")
	}
	if r.verbose || len(u.Undone) <= maxListed {
		d.Add("", good("undone:"))
		d = append(d, changeTable(u.Undone))
		return append(d, end...)
	}
	all := []show.Counted{} // by action, in the order of their first occurrence
	for _, c := range slices.Backward(u.Undone) {
		at := slices.IndexFunc(all, func(one show.Counted) bool { return one.What == c.Action })
		if at < 0 {
			at, all = len(all), append(all, show.Counted{What: c.Action})
		}
		all[at].N++
	}
	d.Add("", good("undone: "), plural.Count(len(u.Undone), "change", "changes")+" ("+show.Sum(all...)+"); -v lists them")
	return append(d, end...)
}

// showUndoOfUndo says how to take back an undo, if it changed something.
func showUndoOfUndo(seq int64) (d show.Doc) {
	if seq != 0 {
		d.AddIn(show.Faint, "  ", "hence undo "+digits(seq)+" brings it back")
	}
	return d
}

func showUndoOfFiles(r writing.UndoResult, verbose bool) (d show.Doc) {
	if r.Forgotten != nil {
		return showForgottenVault(*r.Forgotten)
	}
	d.Add("", good("undone: "), r.Operation+" in ", strong(r.Vault))
	notes := r.Notes
	if !verbose {
		notes = notes[:min(len(notes), maxListed)]
	}
	for _, n := range notes {
		line := n.Change + " " + n.Path
		if n.From != "" {
			line = "moved back " + n.From + " → " + n.Path
		}
		d.Add("  ", line)
	}
	switch more := len(r.Notes) - len(notes); {
	case more > 0:
		d.AddIn(show.Faint, "  ", "… and "+plural.Count(more, "note", "notes")+" more; -v lists them")
	case len(r.Notes) == 0:
		d.Add("  ", "no file had to change")
	}
	d.Warn(r.Warnings)
	return append(d, showUndoOfUndo(r.By)...)
}
