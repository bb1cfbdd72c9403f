package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	codewriting "hence/code/writing"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/tools/show"
	"hence/vault/writing"
)

// journalCommands show what was changed, and undo it.
var journalCommands = []command{
	mirror[journal.LogArgs, journal.LogResult]{
		use:   "log",
		short: "List changes, the latest first",
		long: `Lists the changes in the journal: who did what to which memory or edge, and when.
An import, or a write of notes, is one line; -v lists each of its changes.
hence undo reverts a change by its number.`,
		example: `  hence log --since 7d --limit 50
  hence log -v --id "Drain time"`,
		flags: flags.Options{Omit: []string{"batches"}},
		also: func(s *session, cmd *cobra.Command, _ *journal.LogArgs) {
			cmd.Flags().BoolVarP(&s.verbose, "verbose", "v", false, "list every change of an import")
		},
		place: func(s *session, a *journal.LogArgs, _ []string) error {
			a.Batches = !s.verbose
			return nil
		},
		call: method(journal.Journal.Log),
		draw: func(v *view, r journal.LogResult) {
			if len(r.Changes) == 0 {
				v.Line(screen.Text("there are no changes"))
				return
			}
			v.changes(r.Changes)
			if r.Truncated {
				v.Line(faint("for earlier ones, --before " + digits(r.Next)))
			}
		},
	},
	mirror[journal.UndoArgs, undoResult]{
		use:   "undo [CHANGE]",
		short: "Undo a change",
		long: `Undoes the last command, or the change with a number from hence log: completely,
or not at all if the same memory or edge was changed again since. Stored memories
are forgotten, not deleted. Undoing twice goes further back; undoing an undo by
its number restores what it removed. A purge cannot be undone. With --namespace,
changes in that namespace are undone; if the command also changed others, nothing
is undone.

Where Hence wrote notes, their previous text is restored, a created note is removed
and a moved one is moved back, with its links; if a note was edited since, nothing
is undone. The last 100 writes to a vault, or 20 MB of them, can be undone.

An import of lines is undone completely, by its number with --whole, and so is one of
the last 20 merges of hence sync, by its number. An import or merge of more than 10,000
changes cannot be undone, so make a backup before it. Undoing the first import of a
vault forgets the vault, like hence forget --vault. Later imports cannot be undone,
because the notes are what their files say.`,
		example: `  hence undo
  hence log --limit 5
  hence undo 1042`,
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
		// The change is a patch of code, a write of notes, or else changes of the store alone.
		call: func(ctx context.Context, _ *session, v ref.View, a journal.UndoArgs) (r undoResult, err error) {
			patch, ok, err := codewriting.New(v).Undo(ctx, a)
			if err != nil || ok {
				return undoResult{patch: &patch}, err
			}
			files, ok, err := writing.New(v).Undo(ctx, a)
			if err != nil || ok {
				return undoResult{files: &files}, err
			}
			r.changes, err = journal.Journal(v).Undo(ctx, a)
			return r, err
		},
		draw: (*view).printUndo,
		asTool: func(r undoResult) any {
			switch {
			case r.files != nil:
				return r.files
			case r.patch != nil:
				return r.patch
			}
			return r.changes
		},
	},
}

// changes draws a table of changes.
func (v *view) changes(all []journal.Change) {
	rows := [][]screen.Span{}
	for _, c := range all {
		title, what := cmp.Or(c.Title, c.ID)+ref.Named{Trust: c.Trust}.Mark(), c.What
		if c.UndoneBy != 0 {
			what += " (undone by " + digits(c.UndoneBy) + ")"
		}
		rows = append(rows, []screen.Span{
			screen.Text(digits(c.Seq)), screen.Text(moment(c.At)), screen.Text(c.Actor), screen.Text(c.Action),
			{Text: title, Style: screen.Strong, Whole: c.Trust != ""}, {Text: what, Style: screen.Faint, Whole: c.ToTrust != ""},
		})
	}
	v.Table([]screen.Column{{Head: "change"}, {Head: "at"}, {Head: "by", Min: 5}, {Head: "action"}, {Head: "memory", Min: 8}, {Head: "what", Min: 8}}, rows)
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }

// undoResult is the result of undoing changes in the store, writes to a vault, or a patch of
// source code.
type undoResult struct {
	changes journal.UndoResult
	files   *writing.UndoResult
	patch   *codewriting.UndoResult
}

// maxListed is the largest number of changes that are listed without -v.
const maxListed = 20

func (v *view) printUndo(r undoResult) {
	changes := r.changes.Undone
	switch {
	case r.files != nil:
		v.printUndoOfFiles(*r.files)
		return
	case r.patch != nil:
		v.Line(good("undone: "), screen.Text(r.patch.Operation+" in "), strong(r.patch.Repository))
		v.Item("  ", screen.Text("restored "+r.patch.Path))
		v.hintUndo(r.patch.By)
		return
	case v.verbose || len(changes) <= maxListed:
		v.Line(good("undone:"))
		v.changes(changes)
	default:
		all := []show.Counted{} // by action, in the order of their first occurrence
		for _, c := range slices.Backward(changes) {
			at := slices.IndexFunc(all, func(one show.Counted) bool { return one.What == c.Action })
			if at < 0 {
				at, all = len(all), append(all, show.Counted{What: c.Action})
			}
			all[at].N++
		}
		v.Line(good("undone: "), screen.Text(plural.Count(len(changes), "change", "changes")+" ("+show.Sum(all...)+"); -v lists them"))
	}
	v.hintUndo(r.changes.By)
}

func (v *view) hintUndo(seq int64) {
	if seq != 0 {
		v.Item("  ", faint("hence undo "+digits(seq)+" brings it back"))
	}
}

func (v *view) printUndoOfFiles(r writing.UndoResult) {
	if r.Forgotten != nil {
		v.forgottenVault(*r.Forgotten)
		return
	}
	v.Line(good("undone: "), screen.Text(r.Operation+" in "), strong(r.Vault))
	notes := r.Notes
	if !v.verbose {
		notes = notes[:min(len(notes), maxListed)]
	}
	for _, n := range notes {
		line := n.Change + " " + n.Path
		if n.From != "" {
			line = "moved back " + n.From + " → " + n.Path
		}
		v.Item("  ", screen.Text(line))
	}
	switch more := len(r.Notes) - len(notes); {
	case more > 0:
		v.Item("  ", faint("… and "+plural.Count(more, "note", "notes")+" more; -v lists them"))
	case len(r.Notes) == 0:
		v.Item("  ", screen.Text("no file had to change"))
	}
	v.warn(r.Warnings...)
	v.hintUndo(r.By)
}
