package main

import (
	"strings"

	"github.com/spf13/cobra"

	"hence/internal/fault"
)

// synonyms maps a word that people try to the command that they mean.
var synonyms = map[string]string{
	"add": "store", "new": "store", "create": "store", "put": "store", "save": "store", "remember": "store",
	"show": "get", "open": "get", "read": "get", "cat": "get", "view": "get",
	"rm": "forget", "remove": "forget", "delete": "forget", "del": "forget",
	"ls": "list", "find": "search", "query": "search", "grep": "search",
	"edit": "update", "set": "update", "connect": "link", "disconnect": "unlink",
	"supersede": "store TEXT --supersedes OLD, or hence link NEW supersedes OLD,",
	"replace":   "store TEXT --supersedes OLD, or hence link NEW supersedes OLD,",
	"neighbors": "neighborhood", "neighbours": "neighborhood", "why": "trace", "brief": "prime", "briefing": "prime",
	"mcp": "serve", "server": "serve", "start": "serve", "run": "serve", "install": "setup",
}

// onlyCommands runs a command that only groups others: it shows the help, and
// refuses words that are not commands.
func onlyCommands(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return cmd.Help()
	}
	cmd.SuggestionsMinimumDistance = 2
	mend := "see " + cmd.CommandPath() + " --help"
	if does, ok := synonyms[words[0]]; ok && !cmd.HasParent() {
		mend = "hence " + does + " does that"
	} else if near := cmd.SuggestionsFor(words[0]); len(near) > 0 {
		mend = "did you mean " + strings.Join(near, " or ") + "?"
	}
	name := strings.TrimPrefix(cmd.CommandPath()+" "+words[0], "hence ")
	return fault.New(fault.InvalidArgument, "there is no command %q; %s", name, mend)
}
