package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/code"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/exchange/transcript"
	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
)

// noteCommands import notes and check them.
var noteCommands = []command{
	function((*session).importCommand),
	function((*session).checkCommand),
}

// checkVault lists what may need repair in a vault.
var checkVault = mirror[reading.CheckArgs, reading.CheckResult]{
	use:   "check [VAULT]",
	short: "List what may need repair in a vault, or what changed in a team's memory",
	long: `Lists, as of the last import, links that lead nowhere, links that could mean
another note too, declarations that were refused (a cycle, a second successor),
notes without a link, what could not be read as written, and what looks like a
secret: a key, a token, a password. A note with a secret is imported as it is;
searches show the secret masked.

With --since it says what the current branch changes in a team's memory, as it is
in the folder now: what is new, changed, superseded, forgotten or contradicted, and
what became stale, since the last commit in common with the revision. It reads the
folder and git, and no store. It exits with 4 where a file has git's conflict marks
or what looks like a secret.`,
	example: `  hence check
  hence check work --limit 200
  hence check --since origin/main`,
	words: count{0, 1},
	fills: []string{"name"},
	call:  method(reading.Reader.Check),
	tell:  show.Checked,
}

const aboutImport = `Reads a folder of Markdown notes (an Obsidian vault) and makes a memory of each
note and an edge of each link. The folder is only read. Importing again imports
what has changed since; moved notes keep their id, deleted ones are forgotten.
With --watch it keeps running and imports edits as they are made.

With --code, DIR holds source code: files, packages and symbols become memories, and
calls, imports and implementations become edges. A git repository that is not a vault
is imported as source code without --code too. The import leaves out node_modules,
vendor, repositories and worktrees within, files over 1 MB, and everything that
.gitignore (in any folder) or .henceignore (at the root) excludes. A symbol that moves
or gets another name keeps its id; what depends on it becomes stale once its tokens
change, not when comments or layout do.

A file must hold the lines that hence export writes, or those of the official MCP
memory server. A line that the store has changes nothing, so an interrupted import
can be repeated. A line with a later updated_at replaces what the store has, an
older one is named, and both texts are shown where times do not decide. A file of
the MCP memory server has no times: new observations are added to an entity, and a
line that cannot be read is left out. With --namespace all of the file goes into
that namespace. With --merge texts that were edited apart are both kept, as by
hence sync, which merges the other way too. A file of Hence is trusted as whoever hands it over: its
lines say what a person said. A stranger's file is imported with --source: then nothing
of it is trusted more than that source, what it would replace of yours is a proposal
(hence tidy), and its removals are left out. A merge trusts a file wholly.

With --from, DIR or FILE holds conversations: the session files of claude-code
(~/.claude/projects) or codex (~/.codex/sessions), or conversations.json of an
export of chatgpt or of claude (claude.ai). Each becomes a memory of kind session, and what was said memories
of kind turn, without the output of tools and without secrets. A search puts turns
behind what was stored on purpose. Importing again adds what was said since.`

func (s *session) importCommand() *cobra.Command {
	var watch, asCode, merge bool
	var from, source string
	var vaultArgs *vault.ImportArgs
	m := mirror[vault.ImportArgs, vault.Report]{
		use:   "import DIR|FILE",
		short: "Import a vault of notes, source code, or lines of JSON",
		long:  aboutImport,
		example: `  hence import ~/notes
  hence import ~/notes --watch
  hence import --code ~/src/project
  hence import memories.jsonl
  hence import --from claude-code ~/.claude/projects
  hence import ~/notes --name work --namespace work --dry-run`,
		fills: []string{"dir"},
		also: func(_ *session, cmd *cobra.Command, a *vault.ImportArgs) {
			vaultArgs = a
			cmd.Flags().BoolVar(&asCode, "code", false, "the folder holds source code")
			cmd.Flags().BoolVar(&merge, "merge", false, "join the lines with what the store has, as hence sync does")
			cmd.Flags().BoolVar(&watch, "watch", false, "keep running and import edits")
			cmd.Flags().StringVar(&from, "from", "", "read conversations of a `program`: "+strings.Join(transcript.Formats(), ", "))
			cmd.Flags().StringVar(&source, "source", "", "trust a file of lines no more than this `source`: "+strings.Join(ref.Sources(), ", "))
			_ = cmd.RegisterFlagCompletionFunc("source", cobra.FixedCompletions(ref.Sources(), cobra.ShellCompDirectiveNoFileComp))
		},
		writes: true,
		place: func(s *session, a *vault.ImportArgs, _ []string) error {
			a.Namespace = s.namespace
			return nil
		},
		call: func(ctx context.Context, s *session, v ref.View, a vault.ImportArgs) (vault.Report, error) {
			progress, done := s.progressBar("importing")
			defer done()
			into, err := importerFor(ctx, v, a.Dir, asCode, progress)
			if err != nil {
				return vault.Report{}, err
			}
			return into.Import(ctx, a)
		},
		tell: show.Imported,
		after: func(ctx context.Context, s *session, v ref.View, r vault.Report) error {
			if !r.DryRun {
				s.embedWaiting(ctx, v.DB, unhurried)
			}
			return nil
		},
	}
	cmd := m.command(s)
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	importFolder := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		path, isTalk := words[0], cmd.Flags().Changed("from")
		info, err := os.Stat(path)
		isFile := path == "-" || err == nil && !info.IsDir()
		if err := checkImport(path, isFile, merge, isTalk, source); err != nil {
			return err
		}
		switch {
		case isTalk:
			return s.importConversations(cmd, path, from)
		case merge, isFile:
			return s.importLines(cmd, path, source, merge)
		case watch:
			vaultArgs.Dir, vaultArgs.Namespace = path, s.namespace
			return s.watch(cmd.Context(), *vaultArgs, asCode)
		}
		return importFolder(cmd, words)
	}
	return cmd
}

// checkImport fails with invalid_argument if the flags of an import exclude each other or do
// not go with its path.
func checkImport(path string, isFile, merge, isTalk bool, source string) error {
	switch {
	case source != "" && (merge || isTalk):
		return fault.New(fault.InvalidArgument, "import %s: --source goes with neither --merge nor --from: a merge trusts a file as a colleague's; import a stranger's without --merge", path)
	case isTalk:
		return nil
	case isFile && strings.EqualFold(filepath.Ext(path), ".md"):
		return fault.New(fault.InvalidArgument, "import %[1]s: that is a note; import its folder: hence import %[2]s", path, filepath.Dir(path))
	case merge && !isFile:
		return fault.New(fault.InvalidArgument, "import %s: --merge takes a file that hence export wrote; to merge a folder, run hence sync %s", path, path)
	case source != "" && !isFile:
		return fault.New(fault.InvalidArgument, "import %s: --source takes a file, such as one that hence export wrote; a note names the page that it copies in its property source", path)
	}
	return nil
}

// importer imports a folder and its later edits.
type importer interface {
	Import(ctx context.Context, a vault.ImportArgs) (vault.Report, error)
	Watch(ctx context.Context, a vault.ImportArgs, each func(vault.Report, error)) error
}

// importerFor returns the importer of source code if asCode or if code.Importer recognises
// the folder, and else the importer of notes.
func importerFor(ctx context.Context, v ref.View, dir string, asCode bool, progress func(done, total int)) (importer, error) {
	codeImporter := code.Importer{DB: v.DB, Caller: v.Caller, Progress: progress}
	if !asCode {
		recognised, err := codeImporter.Recognises(ctx, dir)
		if err != nil {
			return nil, err
		}
		asCode = recognised
	}
	if asCode {
		// An import holds the whole repository in memory. With this early garbage collection
		// it needs about two thirds of the memory, and a few per cent more time.
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(40)
		}
		return codeImporter, nil
	}
	return vault.Importer{DB: v.DB, Caller: v.Caller, Progress: progress}, nil
}

// progressBar shows a bar with a caption, if stderr is a terminal. done removes the bar.
func (s *session) progressBar(caption string) (progress func(done, total int), done func()) {
	if !screen.IsTerminal(s.err) {
		return nil, func() {}
	}
	const (
		width = 30
		often = 65 * time.Millisecond
	)
	bar := progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(s.err),
		progressbar.OptionSetDescription(caption),
		progressbar.OptionSetWidth(width),
		progressbar.OptionThrottle(often),
		progressbar.OptionClearOnFinish(),
	)
	progress = func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
	return progress, func() { _ = bar.Clear() }
}

// watch imports a vault and then its edits, until it is stopped. It prints a
// report, or a line of JSON, for each import that changed something.
func (s *session) watch(ctx context.Context, a vault.ImportArgs, asCode bool) error {
	if a.DryRun {
		return fault.New(fault.InvalidArgument, "import: --watch and --dry-run do not go together")
	}
	return s.withStore(ctx, false, func(d *db.DB) error {
		progress, done := s.progressBar("importing")
		wake, stop := s.keepEmbedded(ctx, d, s.person(), func(err error) {
			fmt.Fprintln(s.err, "hence: vectors could not be made: "+screen.Clean(err.Error()))
		})
		defer stop()
		into, err := importerFor(ctx, ref.View{DB: d, Caller: s.person()}, a.Dir, asCode, progress)
		if err != nil {
			return err
		}
		return into.Watch(ctx, a, func(r vault.Report, err error) {
			done()
			if err == nil {
				err = s.print(r, func() show.Doc { return show.Imported(r) })
			}
			if err != nil {
				fmt.Fprintln(s.err, "hence: "+screen.Clean(err.Error()))
			}
			wake()
		})
	})
}
