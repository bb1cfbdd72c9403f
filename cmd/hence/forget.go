package main

import (
	"context"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

func (s *session) forgetCommand() *cobra.Command {
	return mirror[memory.ForgetArgs, memory.ForgetResult]{
		use:   "forget REF",
		group: groupMemory,
		short: "Put a memory away, or purge it",
		long: `Puts a memory away: it leaves search, lists and walks, and restore takes it out
again. With --purge the record, its edges and its text are gone for good.`,
		example: `  hence forget "Drain time" --reason "measured on the old machine"
  hence forget "Drain time" --purge`,
		words:  count{1, 1},
		flags:  flags.Options{Omit: []string{"id"}},
		writes: true,
		place: func(a *memory.ForgetArgs, words []string) error {
			a.ID = words[0]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a memory.ForgetArgs) (memory.ForgetResult, error) {
			return memory.Store{DB: d, Caller: c}.Forget(ctx, a)
		},
		draw: func(v *view, _ memory.ForgetArgs, r memory.ForgetResult) {
			v.done(r.Status+" ", r.Title, r.ID)
			if r.Status == memory.Forgotten {
				v.Item("  ", screen.Span{Text: "hence restore " + ref.ShortID(r.ID) + " takes it out again", Style: screen.Faint})
			}
		},
	}.command(s)
}

func (s *session) restoreCommand() *cobra.Command {
	return mirror[memory.RestoreArgs, memory.RestoreResult]{
		use:     "restore REF",
		group:   groupMemory,
		short:   "Take a forgotten memory out again",
		long:    `Takes a memory that was forgotten, but not purged, out again, with its edges.`,
		example: `  hence restore "Drain time"`,
		words:   count{1, 1},
		flags:   flags.Options{Omit: []string{"id"}},
		writes:  true,
		place: func(a *memory.RestoreArgs, words []string) error {
			a.ID = words[0]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a memory.RestoreArgs) (memory.RestoreResult, error) {
			return memory.Store{DB: d, Caller: c}.Restore(ctx, a)
		},
		draw: func(v *view, _ memory.RestoreArgs, r memory.RestoreResult) {
			v.done("restored ", r.Memory.Title, r.Memory.ID)
		},
	}.command(s)
}
