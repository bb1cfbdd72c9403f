package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

func (s *session) updateCommand() *cobra.Command {
	return mirror[memory.UpdateArgs, memory.UpdateResult]{
		use:   "update REF",
		group: groupMemory,
		short: "Change a memory in place",
		long: `Changes what the flags name, and leaves the rest. To replace a belief by a new
one and keep the old one readable, use store --supersedes instead.`,
		example: `  hence update "Drain time" --tags queue,ops --importance 0.8
  hence update "Drain time" --properties owner=ada --properties draft=null
  hence update "Drain time" --content - < new-text.md`,
		words:  count{1, 1},
		flags:  flags.Options{Omit: []string{"id"}},
		writes: true,
		place: func(a *memory.UpdateArgs, words []string) error {
			a.ID = words[0]
			if a.Content != nil && *a.Content == "-" {
				text, err := readAll(s.in)
				a.Content = &text
				return err
			}
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a memory.UpdateArgs) (memory.UpdateResult, error) {
			return memory.Store{DB: d, Caller: c}.Revise(ctx, a)
		},
		draw: func(v *view, _ memory.UpdateArgs, r memory.UpdateResult) {
			v.done("updated ", r.Memory.Title, r.Memory.ID, screen.Span{Text: fmt.Sprintf(", revision %d", r.Memory.Revision), Style: screen.Faint})
		},
	}.command(s)
}
