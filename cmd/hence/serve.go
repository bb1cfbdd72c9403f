package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"hence/internal/ref"
	"hence/tools"
)

func (s *session) serveCommand() *cobra.Command {
	o := tools.Options{}
	cmd := &cobra.Command{
		Use:     "serve",
		GroupID: groupSetup,
		Short:   "Serve the store to an agent over MCP",
		Long: `Speaks the Model Context Protocol on standard input and output, until the input
ends. A client starts this itself: it needs the path of this program and the
word serve. Logs go to standard error.`,
		Example: `  claude mcp add hence -- /usr/local/bin/hence serve
  hence serve --db team.db --toolsets graph --read-only`,
		Args: count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return asFault(s.serve(cmd.Context(), o))
		},
	}
	cmd.Flags().StringSliceVar(&o.Toolsets, "toolsets", nil, "offer only these `sets` of tools (default all)")
	_ = cmd.RegisterFlagCompletionFunc("toolsets", cobra.FixedCompletions(tools.Toolsets(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (s *session) serve(ctx context.Context, o tools.Options) (err error) {
	d, err := s.open(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	o.ReadOnly, o.Version = s.readOnly, thisBuild().Version
	o.Log = slog.New(slog.NewTextHandler(s.err, nil))
	server, err := tools.New(d, s.agent(), o)
	if err != nil {
		return err
	}
	return tools.Serve(ctx, server, s.in, s.out)
}

// agent is the caller of the tools: whoever is at the other end.
func (s *session) agent() ref.Caller {
	c := s.person()
	c.Origin = "agent"
	if s.actor == "" {
		c.Actor = "agent"
	}
	return c
}
