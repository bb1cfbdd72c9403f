package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/vault"
)

func (s *session) forgetCommand() *cobra.Command {
	var ofVault vaultToForget
	cmd := mirror[memory.ForgetArgs, memory.ForgetResult]{
		use:   "forget [REF]",
		group: groupMemory,
		short: "Put a memory or a vault away, or purge it",
		long: `Puts a memory away: it leaves search, lists and walks, and restore takes it out
again. With --purge the record, its edges and its text are gone for good.

With --vault NAME, all memories of that vault are put away, and importing its
folder brings them back. With --purge they are gone for good, and so is what
hence undo kept of its notes. The files are never touched. It asks first, unless
--yes is given.`,
		example: `  hence forget "Drain time" --reason "measured on the old machine"
  hence forget "Drain time" --purge
  hence forget --vault notes`,
		words: count{0, 1},
		flags: flags.Options{Omit: []string{"id"}},
		also: func(cmd *cobra.Command, a *memory.ForgetArgs) {
			ofVault.memory = a
			cmd.Flags().StringVar(&ofVault.name, "vault", "", "put all of the vault of this `name` away")
			cmd.Flags().BoolVar(&ofVault.yes, "yes", false, "do not ask")
		},
		writes: true,
		place: func(a *memory.ForgetArgs, words []string) error {
			if len(words) == 0 {
				return fault.New(fault.InvalidArgument, "usage: hence forget REF, or hence forget --vault NAME; see hence forget --help")
			}
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
	ofMemory := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		switch {
		case ofVault.name == "" && ofVault.yes:
			return fault.New(fault.InvalidArgument, "forget: --yes goes with --vault; a memory is put away without a question")
		case ofVault.name == "":
			return ofMemory(cmd, words)
		case len(words) > 0 || ofVault.memory.Reason != "":
			return fault.New(fault.InvalidArgument, "forget: --vault takes neither a memory nor --reason; leave them out")
		}
		return asFault(s.forgetVault(cmd.Context(), ofVault))
	}
	return cmd
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

// vaultToForget is what the flags of hence forget say of a vault.
type vaultToForget struct {
	memory *memory.ForgetArgs
	name   string
	yes    bool
}

// forgetVault puts a vault away, once the person has said so.
func (s *session) forgetVault(ctx context.Context, a vaultToForget) (err error) {
	d, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	i, args := vault.Importer{DB: d, Caller: s.person()}, vault.ForgetVaultArgs{Vault: a.name, Purge: a.memory.Purge}
	if !a.yes {
		args.DryRun = true
		would, err := i.ForgetVault(ctx, args)
		if err != nil {
			return err
		}
		if err := s.confirm("forget --vault "+a.name, "This "+consequence(would)); err != nil {
			return err
		}
		args.DryRun = false
	}
	done, err := i.ForgetVault(ctx, args)
	if err != nil {
		return err
	}
	if s.asJSON {
		return printJSON(s.out, done)
	}
	v := &view{Page: screen.PageFor(s.out)}
	v.drawForgotten(done)
	return v.Close()
}

// consequence says what goes with a vault.
func consequence(r vault.ForgetVaultResult) string {
	verb, after := "puts away ", "importing "+r.Root+" brings them back"
	if r.Status != memory.Forgotten {
		verb, after = "purges ", "they are gone for good"
	}
	text := verb + number(r.Memories, "memory", "memories") + " of the vault " + r.Vault + " with " + number(r.Edges, "edge", "edges") + "; " + after + "."
	if r.Others > 0 {
		text += " " + number(r.Others, "other memory has", "other memories have") + " edges to them."
	}
	return text + " The files in " + r.Root + " are not touched."
}

// confirm asks the person at the terminal. It fails where nobody is there to
// answer, or says anything but yes.
func (s *session) confirm(command, question string) error {
	if !screen.IsTerminal(s.in) {
		return fault.New(fault.InvalidArgument, "%s: %s Give --yes to do it", command, question)
	}
	fmt.Fprint(s.err, screen.Clean(question)+" Go on? [y/N] ")
	answer, _ := bufio.NewReader(s.in).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return fault.New(fault.InvalidArgument, "%s: nothing was changed", command)
	}
	return nil
}

// drawForgotten says what went with a vault.
func (v *view) drawForgotten(r vault.ForgetVaultResult) {
	verb := "put away "
	if r.Status != memory.Forgotten {
		verb = "purged "
	}
	v.Line(screen.Span{Text: verb, Style: screen.Good}, screen.Span{Text: r.Vault, Style: screen.Strong},
		screen.Text(": "+number(r.Memories, "memory", "memories")+", "+number(r.Edges, "edge", "edges")+"; the files in "+r.Root+" are as they were"))
	if r.Status == memory.Forgotten {
		v.Item("  ", screen.Span{Text: "hence import " + r.Root + " brings it back", Style: screen.Faint})
	}
}
