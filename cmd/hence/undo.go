package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/vault"
)

// undone is what was taken back: changes of the store, or what concerned the
// files of a vault.
type undone struct {
	changes journal.UndoResult
	files   *vault.UndoResult
}

func (s *session) undoCommand() *cobra.Command {
	verbose := false
	return mirror[journal.UndoArgs, undone]{
		use:   "undo [CHANGE]",
		group: groupMemory,
		short: "Take a change back",
		long: `Takes back what the last command did, or the change that hence log gives a
number: whole, or not at all when the same memory or edge was changed again
since. What was stored is forgotten, not deleted. Undoing twice goes further
back; undoing an undo by its number brings back what it took. A purge has no way
back. With --namespace, what was done in that group is taken back; where other
groups are part of it, nothing is.

Where Hence wrote notes, they get back what they said, a created note is removed
and a moved one goes back, with its links; a note that was edited since is not
touched, and nothing is undone. The last 100 writes to a vault, or 20 MB of
them, can be undone.

An import of lines is taken back whole, by its number with --whole; one of more
than 10,000 changes is not, so make a backup before it. Undoing the first import
of a vault puts the vault away, as hence forget --vault does. A later import has
no way back, because the notes are what their files say.`,
		example: `  hence undo
  hence log --limit 5
  hence undo 1042`,
		words: count{0, 1},
		flags: flags.Options{Omit: []string{"seq"}},
		also: func(cmd *cobra.Command, _ *journal.UndoArgs) {
			verboseFlag(cmd, &verbose, "list all that was undone")
		},
		writes: true,
		place: func(a *journal.UndoArgs, words []string) (err error) {
			if len(words) > 0 {
				a.Seq, err = changeNumber(words[0])
			}
			return err
		},
		call: undo,
		draw: func(v *view, _ journal.UndoArgs, r undone) {
			if r.files != nil {
				v.drawUndoneFiles(*r.files, verbose)
				return
			}
			v.drawUndoneChanges(r.changes, verbose)
		},
		asTool: func(r undone) any {
			if r.files != nil {
				return r.files
			}
			return r.changes
		},
	}.command(s)
}

// undo has the vault take back what concerns files, and the journal the rest.
func undo(ctx context.Context, d *db.DB, c ref.Caller, a journal.UndoArgs) (r undone, err error) {
	files, ok, err := vault.Importer{DB: d, Caller: c}.Undo(ctx, a)
	if err != nil || ok {
		return undone{files: &files}, err
	}
	r.changes, err = journal.Journal{DB: d, Caller: c}.Undo(ctx, a)
	return r, err
}

// fewUndone is how much is listed without -v.
const fewUndone = 20

func (v *view) drawUndoneChanges(r journal.UndoResult, verbose bool) {
	if verbose || len(r.Undone) <= fewUndone {
		v.Line(screen.Span{Text: "undone:", Style: screen.Good})
		v.changes(r.Undone)
	} else {
		v.Line(screen.Span{Text: "undone: ", Style: screen.Good}, screen.Text(number(len(r.Undone), "change", "changes")+" ("+countActions(r.Undone)+"); -v lists them"))
	}
	v.tellWayBack(r.By)
}

func (v *view) tellWayBack(seq int64) {
	if seq != 0 {
		v.Item("  ", screen.Span{Text: "hence undo " + digits(seq) + " brings it back", Style: screen.Faint})
	}
}

// countActions counts changes by what was done, in the order in which it first was.
func countActions(changes []journal.Change) string {
	all := []counted{}
	for _, c := range slices.Backward(changes) {
		at := slices.IndexFunc(all, func(one counted) bool { return one.what == c.Action })
		if at < 0 {
			at, all = len(all), append(all, counted{what: c.Action})
		}
		all[at].n++
	}
	return counts(all)
}

func (v *view) drawUndoneFiles(r vault.UndoResult, verbose bool) {
	if r.Forgotten != nil {
		v.drawForgotten(*r.Forgotten)
		return
	}
	v.Line(screen.Span{Text: "undone: ", Style: screen.Good}, screen.Text(r.Operation+" in "), screen.Span{Text: r.Vault, Style: screen.Strong})
	shown := r.Notes
	if !verbose {
		shown = shown[:min(len(shown), fewUndone)]
	}
	for _, n := range shown {
		line := n.Change + " " + n.Path
		if n.From != "" {
			line = "moved back " + n.From + " → " + n.Path
		}
		v.Item("  ", screen.Text(line))
	}
	switch more := len(r.Notes) - len(shown); {
	case more > 0:
		v.Item("  ", screen.Span{Text: "… and " + number(more, "note", "notes") + " more; -v lists them", Style: screen.Faint})
	case len(r.Notes) == 0:
		v.Item("  ", screen.Text("every file was so already"))
	}
	v.warn(r.Warnings)
	v.tellWayBack(r.By)
}
