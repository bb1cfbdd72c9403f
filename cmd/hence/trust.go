package main

import (
	"context"

	"hence/internal/db"
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

// forgetSource forgets what came from one place, as one change for undo.
func (s *session) forgetSource(ctx context.Context, a sources.ForgetArgs) error {
	return s.withStore(ctx, true, func(d *db.DB) error {
		done, err := sources.Store{DB: d, Caller: s.person()}.Forget(ctx, a)
		if err != nil {
			return err
		}
		return s.print(done, func() show.Doc { return show.ForgottenFrom(done) })
	})
}
