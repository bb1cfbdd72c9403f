package main

import (
	"context"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

func (s *session) verifyCommand() *cobra.Command {
	return mirror[edges.VerifyArgs, memory.VerifyResult]{
		use:   "verify REF",
		group: groupMemory,
		short: "Say that a stale memory was looked at and still holds",
		long: `Records that a memory still holds although what it rests on has changed, and
says which doubts that clears. They do not come back; new ones do.`,
		example: `  hence verify "Drain time" --note "measured again on the new machine"`,
		words:   count{1, 1},
		flags:   flags.Options{Omit: []string{"id"}},
		writes:  true,
		place: func(a *edges.VerifyArgs, words []string) error {
			a.ID = words[0]
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a edges.VerifyArgs) (memory.VerifyResult, error) {
			return memory.Store{DB: d, Caller: c}.Verify(ctx, a)
		},
		draw: drawVerified,
	}.command(s)
}

func drawVerified(v *view, _ edges.VerifyArgs, r memory.VerifyResult) {
	v.done("verified ", r.Memory.Title, r.Memory.ID)
	for _, c := range r.Cleared {
		v.Item("  ", screen.Text("cleared: "+reason(c.Title, c.Reason)))
	}
	if len(r.Cleared) == 0 {
		v.Item("  ", screen.Span{Text: "it was not in doubt", Style: screen.Faint})
	}
}
