package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"hence/code/reading"
	"hence/code/suite"
	"hence/code/writing"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/tools/show"
)

// codeCommands read and change repositories, and say what tools may do to them.
var codeCommands = []command{
	parent{
		use:   "code",
		short: "Read source code, and say what agents may do to it",
		long: `Source code that was imported with hence import --code is read and changed by these
commands, and by the tools code_outline, code_read, code_patch and code_test. Agents
may read it. They may change files and run tests only where you allow it.`,
		example: `  hence code outline internal/db
  hence code read db.Open
  hence code patch db/open.go --find "a :=" --replace "b :="
  hence code allow patch
  hence code allow test go -- go test -run={run} ./{package:...}`,
		below: []command{
			mirror[reading.OutlineArgs, reading.OutlineResult]{
				use:   "outline NAME",
				short: "List the symbols of a file, type, package or repository",
				fills: []string{"id"},
				call:  method(reading.Reader.Outline),
				tell:  show.Outlined,
			},
			mirror[reading.ReadArgs, reading.ReadResult]{
				use:   "read NAME",
				short: "Read a symbol, or lines of a file, as it is on disk",
				fills: []string{"id"},
				call:  method(reading.Reader.Read),
				tell:  show.CodeRead,
			},
			mirror[writing.PatchArgs, writing.PatchResult]{
				use:   "patch NAME",
				short: "Replace a text in a file, and tell what rests on it",
				long: `Replaces a literal text in one file, or within one symbol. Unless --dry-run=false is
given it only shows what would change. A file is written only if its hash is the
expected one, and hence undo takes the change back.`,
				example: `  hence code patch db/open.go --find "a :=" --replace "b :="
  hence code patch db.Open --find "a :=" --replace "b :=" --dry-run=false --expected-content-hash 9f86d0…`,
				fills:  []string{"id"},
				writes: true,
				call: func(ctx context.Context, _ *session, v ref.View, a writing.PatchArgs) (writing.PatchResult, error) {
					return writing.New(v).Patch(ctx, a)
				},
				tell: show.Patched,
			},
			mirror[writing.TestArgs, suite.Result]{
				use:   "test SUITE",
				short: "Run a test suite that you allowed",
				fills: []string{"suite"},
				call: func(ctx context.Context, _ *session, v ref.View, a writing.TestArgs) (suite.Result, error) {
					return writing.New(v).Test(ctx, a)
				},
				tell: show.Tested,
			},
			mirror[noArguments, listed[writing.Permissions]]{
				use:   "allowed",
				short: "List what agents may do to each repository",
				call: func(ctx context.Context, _ *session, v ref.View, _ noArguments) (listed[writing.Permissions], error) {
					all, err := writing.New(v).Permissions(ctx)
					return listed[writing.Permissions]{"repositories", all}, err
				},
				tell: func(l listed[writing.Permissions]) show.Doc { return show.Permissions(l.All) },
			},
			parent{
				use:   "allow",
				short: "Allow agents to change files, or to run a test suite",
				long: `Both are off until you allow them for a repository. An agent over HTTP needs a token
that was made with --code besides. A test suite is a list of arguments behind --,
which starts without a shell. An agent fills {package} and {run}, each within
its argument; {package:...} has a default. A suite runs the repository's code with
your rights.`,
				example: `  hence code allow patch
  hence code allow test go -- go test -run={run} ./{package:...}
  hence code allow test unit --time 120 --env GOFLAGS -- make test`,
				below: []command{
					permitCommand{"patch", "Allow agents to change files", count{0, 0}, func(ctx context.Context, w writing.Writer, repository string, _ []string) error {
						return w.AllowPatch(ctx, repository, true)
					}},
					function((*session).allowTest),
				},
			},
			parent{
				use:   "forbid",
				short: "Take back what was allowed",
				example: `  hence code forbid patch
  hence code forbid test go`,
				below: []command{
					permitCommand{"patch", "Forbid agents to change files", count{0, 0}, func(ctx context.Context, w writing.Writer, repository string, _ []string) error {
						return w.AllowPatch(ctx, repository, false)
					}},
					permitCommand{"test NAME", "Take a test suite back", count{1, 1}, func(ctx context.Context, w writing.Writer, repository string, words []string) error {
						return w.ForbidSuite(ctx, repository, words[0])
					}},
				},
			},
		},
	},
}

// permitCommand is a command that changes what agents may do, and then shows it.
type permitCommand struct {
	use, short string
	words      count
	change     func(ctx context.Context, w writing.Writer, repository string, words []string) error
}

func (p permitCommand) command(s *session) *cobra.Command {
	repository := ""
	cmd := &cobra.Command{
		Use:   p.use,
		Short: p.short,
		Args:  p.words.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			return s.withStore(cmd.Context(), false, func(d *db.DB) error {
				w := writing.New(ref.View{DB: d, Caller: s.person()})
				if err := p.change(cmd.Context(), w, repository, words); err != nil {
					return err
				}
				all, err := w.Permissions(cmd.Context())
				if err != nil {
					return err
				}
				return s.print(map[string]any{"repositories": all}, func() show.Doc { return show.Permissions(all) })
			})
		},
	}
	cmd.Flags().StringVar(&repository, "repository", "", "the `name` of the repository, where the store has several")
	return cmd
}

func (s *session) allowTest() *cobra.Command {
	var allowed suite.Suite
	cmd := permitCommand{"test NAME -- PROGRAM [ARGUMENT...]", "Allow agents to run a test suite", count{1, unlimited}, func(ctx context.Context, w writing.Writer, repository string, words []string) error {
		allowed.Name, allowed.Arguments = strings.TrimSpace(words[0]), words[1:]
		return w.AllowSuite(ctx, repository, allowed)
	}}.command(s)
	f := cmd.Flags()
	f.IntVar(&allowed.TimeoutS, "time", 600, "the longest time that a run takes, in `seconds`")
	f.StringVar(&allowed.Folder, "folder", "", "the `folder` that it runs in, from the repository's root")
	f.StringSliceVar(&allowed.Environment, "env", nil, "`names` of variables that it gets besides PATH, HOME and the language")
	return cmd
}
