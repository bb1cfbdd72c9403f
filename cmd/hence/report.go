package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/clients"
	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/internal/lines"
	"hence/internal/pattern"
	"hence/internal/ref"
	"hence/tools/show"
)

// exitCode returns the exit code of the program for the code of an error.
func exitCode(code fault.Code) int { return cmp.Or(exitCodes[code], 1) }

var exitCodes = map[fault.Code]int{
	fault.InvalidArgument: 2, fault.TooLarge: 2, fault.NotFound: 3, fault.Ambiguous: 3,
	fault.Conflict: 4, fault.Exists: 4, fault.Cycle: 4, fault.ReadOnly: 5, fault.OutsideVault: 5, fault.OutcomeUnknown: 6,
}

// asFault returns an error with a code: internal if it has none.
func asFault(err error) error {
	if _, isKnown := errors.AsType[*fault.Error](err); err == nil || isKnown {
		return err
	}
	return fault.Wrap(fault.Internal, err, "the command failed")
}

// report prints the error of a command, for a person or with --json for a program, and returns
// the exit code.
func (s *session) report(ctx context.Context, cmd *cobra.Command, err error) int {
	if ctx.Err() != nil && fault.CodeOf(err) != fault.OutcomeUnknown {
		s.freshLine()
		err = fault.New(fault.Unavailable, "%s", stopped(cmd))
	}
	code, details := fault.InvalidArgument, map[string]any(nil)
	known, isKnown := errors.AsType[*fault.Error](err)
	if isKnown {
		code, details = known.Code, known.Details
	}
	if s.asJSON {
		_ = printJSON(s.err, map[string]any{"error": failure{code, err.Error(), details}})
		return exitCode(code)
	}
	fmt.Fprintln(s.err, screen.Clean("hence: "+err.Error()))
	if isKnown {
		d := show.Doc{}
		for _, c := range ref.Candidates(known) {
			d.Add("  ", c.ID+"  "+c.Title+c.Mark(), statusSpan(c.Status), spanToCopy(c.Kind+", "+day(c.CreatedAt)), spanToCopy(show.NotePath(c.URI)), spanToCopy(c.FirstWords))
		}
		_ = s.draw(s.err, d)
	}
	return exitCode(code)
}

// failure is an error as tools report it.
type failure struct {
	Code    fault.Code     `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// ifStopped says what holds after Ctrl-C, by the name of a command, or of a command with a flag.
// Other commands change nothing, or little and at once.
var ifStopped = map[string]string{
	"import":           "what was taken in is kept, and the same command goes on from there",
	"sync":             "what was merged is kept, and the same command goes on from there",
	"embed run":        "the vectors that were made are kept, and the same command goes on from there",
	"tidy":             "what was accepted before is kept",
	"doctor --fix":     "what was mended before is kept, and the same command goes on from there",
	"vacuum":           "the store holds what it held; run it again",
	"backup":           "no copy was made; run it again",
	"backup --restore": "the store holds what it held, or all of the backup; run it again",
	"cluster import":   "the cluster holds what it held, or all of the file; run it again",
	"export":           "what was written is not all; run it again",
	"export --vault":   "the folder has a part of the notes; remove it, and run it again",
	"forget --vault":   "what was forgotten before stays so, and the same command goes on from there",
}

// stopped returns the message of a command that Ctrl-C stopped.
func stopped(cmd *cobra.Command) string {
	if cmd == nil {
		return "stopped"
	}
	if dry := cmd.Flags().Lookup("dry-run"); dry != nil && dry.Value.String() == "true" {
		return "stopped; nothing was written"
	}
	name := strings.TrimPrefix(cmd.CommandPath(), "hence ")
	text := ifStopped[name]
	for _, flag := range []string{"fix", "restore", "vault"} {
		if with, ok := ifStopped[name+" --"+flag]; ok && cmd.Flags().Changed(flag) {
			text = with
		}
	}
	return strings.TrimSuffix("stopped; "+text, "; ")
}

// freshLine ends the line on which a terminal shows ^C or a bar.
func (s *session) freshLine() {
	if screen.IsTerminal(s.err) {
		fmt.Fprintln(s.err)
	}
}

// input is standard input, of which no read outlasts Ctrl-C.
func (s *session) input() io.Reader { return s.until(s.in) }

// until returns a reader of which no read outlasts Ctrl-C.
func (s *session) until(in io.Reader) io.Reader { return lines.Until(s.ctx, in) }

// helpText has the texts of each command: its name and arguments on a line, what it does in a
// line, and its help, with examples behind "--".
//
//go:embed help.txt
var helpText string

// firstArgument matches the beginning of a command's arguments, behind its name.
var firstArgument = pattern.Lazy(` [^a-z].*`)

// describe gives a command, and those below it, their texts of help.txt.
func describe(root *cobra.Command) {
	type help struct{ arguments, short, long, example string }
	all := map[string]help{}
	text := strings.TrimPrefix(strings.TrimSuffix(helpText, "\n"), "== ")
	for section := range strings.SplitSeq(text, "\n\n== ") {
		head, body, _ := strings.Cut(section, "\n")
		about, example, _ := strings.Cut(body, "\n--\n")
		short, long, _ := strings.Cut(about, "\n\n")
		arguments := firstArgument().FindString(head)
		all[strings.TrimSuffix(head, arguments)] = help{arguments, short, long, example}
	}
	var give func(cmd *cobra.Command)
	give = func(cmd *cobra.Command) {
		if h, ok := all[strings.TrimPrefix(cmd.CommandPath(), "hence ")]; ok {
			cmd.Use, cmd.Short, cmd.Long, cmd.Example = cmd.Name()+h.arguments, h.short, h.long, h.example
		}
		for _, below := range cmd.Commands() {
			give(below)
		}
	}
	give(root)
}

// nameClients puts the names of the clients into the help of a command, when it is shown.
func nameClients(cmd *cobra.Command) {
	cmd.Long = strings.ReplaceAll(cmd.Long, "{clients}", strings.Join(clients.Names(), ", "))
}

// completeClients completes the name of a client.
func completeClients(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return clients.Names(), cobra.ShellCompDirectiveNoFileComp
}

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
