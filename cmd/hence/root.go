// Command hence is the command line of Hence: a memory store for agents in
// which every memory keeps its reasons.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/internal/spelling"
	"hence/memory/erase"
	"hence/tools/show"
)

// session is one run of the program: its streams and global flags.
type session struct {
	in        io.Reader
	out       io.Writer
	err       io.Writer
	file      string
	asJSON    bool
	namespace string
	readOnly  bool
	durable   bool
	actor     string
	project   string // the value of --project
	verbose   bool   // flag of undo
	why       bool   // flag of search
	refused   error  // the error of words with --help that are not commands
	began     bool   // a command runs: an error without a code is an internal one, and no wrong usage

	ctx   context.Context // ends with Ctrl-C
	store *db.DB          // the open store; nil: none
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, words []string, in io.Reader, out, errs io.Writer) int {
	s := &session{in: in, out: out, err: errs, ctx: ctx}
	root := s.root(words...)
	root.SetArgs(words)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = s.refused
	}
	if err == nil || cmd != nil && cmd.Name() == "hook" && cmd.HasParent() { // nobody may see the errors of a hook
		return 0
	}
	if s.began {
		err = asFault(err)
	}
	// A flag that cannot be parsed ends the parsing, perhaps before --json.
	s.asJSON = s.asJSON || slices.Contains(words, "--json")
	return s.report(ctx, cmd, err)
}

type commandGroup struct {
	cobra.Group
	commands []command
}

// groups are the groups of commands in the help.
var groups = []commandGroup{
	{cobra.Group{ID: "memory", Title: "Memory:"}, slices.Concat(memoryCommands, journalCommands)},
	{cobra.Group{ID: "graph", Title: "Graph:"}, graphCommands},
	{cobra.Group{ID: "setup", Title: "Setup:"}, slices.Concat(noteCommands, agentFolderCommands, codeCommands, fileCommands, syncCommands, clusterCommands, agentCommands, replayCommands, adminCommands)},
}

// hookAlone has the one command that has no time for the others to be made.
var hookAlone = []commandGroup{{cobra.Group{ID: "setup"}, []command{function(hookCommand)}}}

// root returns the command above all. For words that call a hook it has that command alone.
func (s *session) root(words ...string) *cobra.Command {
	version, below := false, groups
	if len(words) > 0 && words[0] == "hook" {
		below = hookAlone
	}
	root := &cobra.Command{
		Use:           "hence",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if version {
				return printVersion(s)
			}
			return onlyCommands(cmd, words)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.ValidateFlagGroups(); err != nil { // which cobra does later
				return err
			}
			s.began = true
			return flags.Check(cmd)
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version")
	for _, g := range below {
		root.AddGroup(&g.Group)
		for _, c := range g.commands {
			cmd := c.command(s)
			cmd.GroupID = g.ID
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID("setup")
	root.SetCompletionCommandGroupID("setup")
	root.SetFlagErrorFunc(flagError)
	f := root.PersistentFlags()
	f.StringVar(&s.file, "db", "", "the `file` that holds the store, or rqlite:FILE?at=HOST:PORT,… (else HENCE_DB, else your data directory)")
	f.BoolVar(&s.asJSON, "json", false, "print the structured result as JSON")
	f.StringVar(&s.namespace, "namespace", "", "read and write this `namespace` where a call names no other")
	f.StringVar(&s.project, "project", "", "tag what is stored project/`name` and put that first; auto: that of the team's folder, else the repository's name")
	f.BoolVar(&s.readOnly, "read-only", false, "refuse every write")
	f.BoolVar(&s.durable, "durable", false, "wait for the disk, so that writes survive a power cut")
	f.StringVar(&s.actor, "actor", "", "the `name` of the writer in the journal (default your login name)")
	s.adaptBuiltins(root)
	describe(root)
	return root
}

// adaptBuiltins makes cobra's help command and --help refuse words that are not
// commands, where cobra would show the help of the command above.
func (s *session) adaptBuiltins(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, words []string) {
		if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
			s.refused = onlyCommands(cmd, cmd.Flags().Args()) // a help function returns no error
			return
		}
		nameClients(cmd)
		show(cmd, words)
	})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			show := cmd.Run
			cmd.Run, cmd.RunE = nil, func(cmd *cobra.Command, words []string) error {
				if about, rest, err := root.Find(words); err == nil && len(rest) > 0 {
					return onlyCommands(about, rest)
				}
				show(cmd, words)
				return nil
			}
		case "completion":
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, onlyCommands
		}
	}
}

// flagError returns an error that names the command and the flag. If a word before the flag
// is not a command, the error is about that word.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); !cmd.HasParent() && len(words) > 0 {
		return onlyCommands(cmd, words)
	}
	unknown, isUnknown := errors.AsType[*pflag.NotExistError](err)
	if isUnknown && unknown.GetSpecifiedShortnames() != "" {
		return fault.New(fault.InvalidArgument, "%s: %v; put -- before words that start with a hyphen", cmd.Name(), err)
	}
	mend := "see " + cmd.CommandPath() + " --help"
	if isUnknown {
		names, longer, word := []string{}, []string{}, unknown.GetSpecifiedName()
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if names = append(names, f.Name); strings.HasPrefix(f.Name, word) {
				longer = append(longer, f.Name)
			}
		})
		if near := append(spelling.Nearest(word, names), longer...); len(near) > 0 {
			mend = "did you mean --" + near[0] + "?"
		}
	}
	message := flagProblem(err) + "; " + mend
	if cmd.HasParent() {
		message = cmd.Name() + ": " + message
	}
	return fault.New(fault.InvalidArgument, "%s", message)
}

// flagProblem returns the text of an error of a flag. pflag's own text for a wrong value shows
// the Go function that failed.
func flagProblem(err error) string {
	wrong, isWrong := errors.AsType[*pflag.InvalidValueError](err)
	if !isWrong {
		return err.Error()
	}
	name, must := wrong.GetFlag().Name, ""
	switch wrong.GetFlag().Value.Type() {
	case "bool":
		must = "true or false"
	case "int", "int64":
		must = "a whole number"
	case "float64":
		must = "a number"
	case "duration":
		must = "a time such as 500ms or 10s"
	default: // a flag of package flags, whose error is plain
		return fmt.Sprintf("--%s: %v", name, errors.Unwrap(wrong))
	}
	return fmt.Sprintf("--%s is %q, and must be %s", name, wrong.GetValue(), must)
}

// open opens the store. If the command only reads, it fails with not_found if there is none,
// and otherwise makes one.
func (s *session) open(ctx context.Context, reads bool) (*db.DB, error) {
	path, err := s.path()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); reads && !db.IsCluster(path) && path != db.InMemory && errors.Is(err, os.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "there is no store at %s; hence import or hence store makes one, --db names another", path)
	}
	o := s.options()
	d, err := db.Open(ctx, path, o)
	if err == nil && d.Made() {
		if err := permit.With(ctx, d, permit.Records.Adopt); err != nil { // the store works without
			fmt.Fprintln(s.err, "hence: "+screen.Clean(err.Error()))
		}
	}
	if err == nil && !reads && !d.ReadOnly() { // what an interrupted erasure has left
		if _, err := (erase.Store{DB: d, Caller: s.person()}).Finish(ctx); err != nil {
			fmt.Fprintln(s.err, "hence: "+screen.Clean(err.Error()))
		}
	}
	return d, err
}

// withStore opens the store as open does, calls do and closes the store.
func (s *session) withStore(ctx context.Context, reads bool, do func(ref.View) error) error {
	d, err := s.open(ctx, reads)
	if err != nil {
		return err
	}
	s.store = d
	err = do(ref.View{DB: d, Caller: s.person()})
	s.store = nil
	s.askToAdopt(ctx, d)
	return errors.Join(err, d.Close())
}

// print prints a result as JSON, or what tell says of it for people.
func (s *session) print(result any, tell func() show.Doc) error {
	return s.printFor(nil, result, tell)
}

// printFor is print for the result of a call with some arguments. It marks the memories that
// lists of the result name.
func (s *session) printFor(args, result any, tell func() show.Doc) error {
	if s.store != nil {
		if err := ref.Mark(context.WithoutCancel(s.ctx), s.store, result); err != nil {
			return err
		}
	}
	if s.asJSON {
		return printJSON(s.out, result)
	}
	v := s.viewOn(s.out)
	v.args = args
	v.draw(tell())
	return v.Close()
}

// viewOn returns a page on a stream, on which memories are found in the open store.
func (s *session) viewOn(out io.Writer) *view {
	return &view{Page: screen.PageFor(out), why: s.why, find: s.find}
}

// find looks up a memory by its id in the open store. It returns the zero Memory if there is
// none.
func (s *session) find(id string) (m ref.Memory) {
	_ = s.store.Read(s.ctx, func(r *db.Reader) (err error) {
		memories, err := s.person().Matches(s.ctx, r, id)
		if len(memories) == 1 {
			m = memories[0]
		}
		if err == nil {
			err = ref.Mark(s.ctx, r, &m)
		}
		return err
	})
	return m
}

// draw draws a description on a stream.
func (s *session) draw(out io.Writer, d show.Doc) error {
	v := s.viewOn(out)
	v.draw(d)
	return v.Close()
}

func (s *session) options() db.Options {
	state, err := stateHere()
	if err != nil {
		state = "" // then nothing is allowed, and who allows something is told why
	}
	return db.Options{ReadOnly: s.readOnly, Durable: s.durable, State: state, Migrated: func(m db.Migration) {
		before := cmp.Or(m.WrittenBy, "an older version")
		// It goes to standard error, because a program may read standard output.
		fmt.Fprintf(s.err, "hence: the store was written by Hence %s and now has schema %d instead of %d; as it was, it is saved as %s\n", before, m.To, m.From, m.Saved)
	}}
}

func (s *session) path() (string, error) {
	if file := cmp.Or(s.file, os.Getenv("HENCE_DB")); file != "" {
		return file, nil
	}
	return defaultPath(os.Getenv)
}

// person returns the caller of a command.
func (s *session) person() ref.Caller {
	here, _ := os.Getwd()
	folder, _ := checkout.Tree(here)
	project, shares := s.projectName()
	c := ref.Caller{Actor: db.WithoutControls(s.actor), Origin: "person", Namespace: s.namespace, Project: project, SharesProject: shares, Folder: folder}
	if c.Actor != "" {
		return c
	}
	if u, err := user.Current(); err == nil {
		c.Actor = u.Username[strings.LastIndexByte(u.Username, '\\')+1:] // Windows has DOMAIN\name
	}
	c.Actor = cmp.Or(c.Actor, db.WithoutControls(os.Getenv("USER")), "person")
	return c
}

// printJSON writes a result on one line.
func printJSON(out io.Writer, result any) error {
	_, err := io.WriteString(out, screen.CleanJSON(db.JSON(result))+"\n")
	return err
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C stops the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
