package main

import (
	"context"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/sources"
	"hence/tools/show"
)

// trustCommand says where the texts of the store came from.
var trustCommand = mirror[sources.Args, sources.Result]{
	use:   "trust [FROM]",
	short: "Say where memories came from, and what goes back to one place",
	long: `Counts the memories by their source: person, note, agent, code, import, tool, web.
Text from the web, a tool or an import is a stranger's: it is marked wherever it is
shown, ranks behind its equals, is not a rule in a briefing, and what an agent derives
from it is marked too. hence verify by you confirms a text: then it is yours.

With FROM it shows what came from there, and below each memory what rests on it or
is part of it. FROM is a source, an address (also of a folder or host), a session,
or an actor; source:, url:, host:, session: or actor: before it says which.
hence forget --from FROM forgets what came from there.`,
	example: `  hence trust
  hence trust web
  hence trust https://example.com/blog --since 7d
  hence trust actor:claude-code`,
	words: count{0, 1},
	fills: []string{"from"},
	call:  method(sources.Store.Tell),
	tell:  show.Sources,
}

// sourceToForget are the flags of hence forget for a source.
type sourceToForget struct {
	args sources.ForgetArgs
}

// check refuses flags that do not go together.
func (a *sourceToForget) check(words []string, vault string, purge bool) error {
	switch {
	case a.args.From == "" && (a.args.Since != "" || a.args.DryRun):
		return fault.New(fault.InvalidArgument, "forget: --since and --dry-run go with --from")
	case a.args.From != "" && (len(words) > 0 || vault != "" || purge):
		return fault.New(fault.InvalidArgument, "forget: --from takes neither a memory nor --vault nor --purge; leave them out")
	}
	return nil
}

// forgetSource forgets what came from one place, as one change for undo.
func (s *session) forgetSource(ctx context.Context, a sources.ForgetArgs) error {
	return s.withStore(ctx, true, func(d *db.DB) error {
		done, err := sources.Store{DB: d, Caller: s.person()}.Forget(ctx, a)
		if err != nil {
			return err
		}
		return s.print(done, func(v *view) {
			v.find = s.finder(ctx, d)
			v.draw(show.ForgottenFrom(done))
		})
	})
}
