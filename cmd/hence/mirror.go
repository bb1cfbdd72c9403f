package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/edges"
	"hence/internal/budget"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
	"hence/tools/show"
)

// command is a command of a group.
type command interface {
	command(s *session) *cobra.Command
}

// function makes a command that a mirror cannot describe.
type function func(s *session) *cobra.Command

func (f function) command(s *session) *cobra.Command { return f(s) }

// parent is a command that only groups others.
type parent struct {
	use   string
	below []command
}

func (p parent) command(s *session) *cobra.Command {
	cmd := &cobra.Command{Use: p.use, Args: cobra.ArbitraryArgs, RunE: onlyCommands}
	for _, c := range p.below {
		cmd.AddCommand(c.command(s))
	}
	return cmd
}

// mirror is a command that does what a tool does: it fills the tool's arguments
// from flags and words, makes the same call, and prints the result as JSON or
// draws it.
type mirror[A, R any] struct {
	use      string   // its name; help.txt has its texts
	defaults A        // the defaults that differ from those of the tool
	fills    []string // arguments that the words fill, in order; the last takes all that are left
	words    count    // number of words; zero: as many as fills
	flags    flags.Options
	also     func(s *session, cmd *cobra.Command, a *A) // flags that cannot be derived
	writes   bool
	place    func(s *session, a *A, words []string) error // completes the arguments; may be nil
	call     func(context.Context, *session, ref.View, A) (R, error)
	tell     func(R) show.Doc                                                        // describes the result
	after    func(context.Context, *session, ref.View, R) error                      // runs after the answer is printed; may be nil
	instead  func(cmd *cobra.Command, a A, words []string, usual func() error) error // what is done in place of all that; nil: the usual
}

// same is the mirror of a method whose arguments are all flags, but for those that words fill:
// fills has their names.
func same[V ref.AnyView, A, R any](use, fills string, call func(V, context.Context, A) (R, error), tell func(R) show.Doc) mirror[A, R] {
	return mirror[A, R]{use: use, fills: strings.Fields(fills), call: method(call), tell: tell}
}

// calling is same for a function.
func calling[A, R any](use, fills string, call func(context.Context, ref.View, A) (R, error), tell func(R) show.Doc) mirror[A, R] {
	return mirror[A, R]{use: use, fills: strings.Fields(fills), tell: tell, call: func(ctx context.Context, _ *session, v ref.View, a A) (R, error) {
		return call(ctx, v, a)
	}}
}

// listing is a command that shows a whole list, which JSON has under a name.
func listing[T any](use, name string, list func(context.Context, ref.View) ([]T, error), tell func([]T) show.Doc) mirror[noArguments, listed[T]] {
	return calling(use, "", func(ctx context.Context, v ref.View, _ noArguments) (listed[T], error) {
		all, err := list(ctx, v)
		return listed[T]{name, all}, err
	}, func(l listed[T]) show.Doc { return tell(l.All) })
}

// writing says that the command writes.
func (m mirror[A, R]) writing() mirror[A, R] { return m.opening(true) }

// opening says whether the command writes.
func (m mirror[A, R]) opening(writes bool) mirror[A, R] {
	m.writes = writes
	return m
}

// taking sets the number of words.
func (m mirror[A, R]) taking(least, most int) mirror[A, R] {
	m.words = count{least, most}
	return m
}

// without leaves out the flag of an argument.
func (m mirror[A, R]) without(argument string) mirror[A, R] {
	m.flags.Omit = []string{argument}
	return m
}

// bare is a command without an argument struct.
func bare(use string, words count, run func(cmd *cobra.Command, words []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: words.check, RunE: run}
}

// count is the number of words that a command takes.
type count struct{ min, max int }

const unlimited = -1

// method adapts a method of a domain package to the call of a mirror.
func method[V ref.AnyView, A, R any](call func(V, context.Context, A) (R, error)) func(context.Context, *session, ref.View, A) (R, error) {
	return func(ctx context.Context, _ *session, v ref.View, a A) (R, error) { return call(V(v), ctx, a) }
}

func (m mirror[A, R]) command(s *session) *cobra.Command {
	if m.words == (count{}) {
		m.words = count{len(m.fills), len(m.fills)}
	}
	a := m.defaults
	cmd := &cobra.Command{
		Use:  m.use,
		Args: m.words.check,
		ValidArgsFunction: func(cmd *cobra.Command, words []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(words) < len(m.fills) && m.fills[len(words)] == "type" {
				return kindCompletions(""), cobra.ShellCompDirectiveNoFileComp
			}
			if n := min(len(words), len(m.fills)-1); n >= 0 && slices.Contains(namesOfMemories, m.fills[n]) && (m.words.max == unlimited || len(words) < m.words.max) {
				return s.titles(cmd.Context(), start), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	if m.flags.Complete == nil {
		m.flags.Complete = map[string][]cobra.Completion{"edge_types": kindCompletions("")}
	}
	m.flags.Omit = slices.Concat(m.flags.Omit, m.fills, []string{"namespace"}) // a global flag
	flags.Derive(cmd, &a, m.flags)
	if m.also != nil {
		m.also(s, cmd, &a)
	}
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		usual := func() error {
			flags.Fill(&a, m.fills, words)
			if m.place != nil {
				if err := m.place(s, &a, words); err != nil {
					return err
				}
			}
			return m.run(cmd.Context(), s, a)
		}
		if m.instead != nil {
			return m.instead(cmd, a, words, usual)
		}
		return usual()
	}
	return cmd
}

func (m mirror[A, R]) run(ctx context.Context, s *session, a A) error {
	return s.withStore(ctx, !m.writes, func(v ref.View) error {
		ctx := ref.Marked(ctx, v.DB)
		result, err := m.call(ctx, s, v, a)
		if err == nil {
			err = budget.Mark(ctx, &result)
		}
		if err != nil {
			return ref.MarkError(ctx, err)
		}
		err = s.printFor(a, result, func() show.Doc { return m.tell(result) })
		if m.after != nil && err == nil {
			err = m.after(ctx, s, v, result)
		}
		return err
	})
}

func (c count) check(cmd *cobra.Command, words []string) error {
	tooMany := c.max != unlimited && len(words) > c.max
	if len(words) >= c.min && !tooMany {
		return nil
	}
	hint := ""
	if tooMany && c.max > 0 {
		hint = ", and quote a title that has spaces"
	}
	return fault.New(fault.InvalidArgument, "usage: %s; see %s --help%s", cmd.UseLine(), cmd.CommandPath(), hint)
}

// kindCompletions returns the types of edge with their meanings, each with what follows it.
func kindCompletions(follows string) []cobra.Completion {
	return lists.Map(edges.Kinds(), func(k edges.Kind) cobra.Completion { return cobra.CompletionWithDesc(string(k)+follows, k.Reads()) })
}

// namesOfMemories are the arguments that name a memory.
var namesOfMemories = []string{"id", "ids", "from", "to", "from_id", "to_id", "seed_doc_ids"}

// titles returns the titles that begin with a text. It returns none if there is no store, or if it
// cannot be read, because a shell shows no errors.
func (s *session) titles(ctx context.Context, start string) (titles []cobra.Completion) {
	const most = 50
	d, err := s.open(ctx, true)
	if err != nil {
		return nil
	}
	defer d.Close()
	titles, _ = memory.Store{DB: d, Caller: s.person()}.Titles(ctx, start, most)
	return titles
}

// readAll reads a text from a stream.
func readAll(in io.Reader) (string, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "standard input cannot be read")
	}
	return string(text), nil
}
