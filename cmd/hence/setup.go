package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/clients"
	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
)

func (s *session) setupCommand() *cobra.Command {
	write := false
	cmd := &cobra.Command{
		Use:     "setup CLIENT",
		GroupID: groupSetup,
		Short:   "Tell a client where the server is",
		Long: `Shows what goes into the configuration of a client, and where, so that it starts
hence serve by itself. With --write it is put there: the file as it was is kept
beside it, and nothing else in it changes, neither comments nor order.

The clients are ` + strings.Join(clients.Names(), ", ") + `.`,
		Example: `  hence setup claude-code
  hence setup zed --write --db ~/team.db`,
		Args:              count{1, 1}.check,
		ValidArgsFunction: cobra.FixedCompletions(clients.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, words []string) error {
			return asFault(s.setup(words[0], write))
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "put it there")
	return cmd
}

func (s *session) setup(name string, write bool) error {
	client, err := clients.Find(name)
	if err != nil {
		return err
	}
	places, err := clientPlaces()
	if err != nil {
		return err
	}
	server, err := s.asServer()
	if err != nil {
		return err
	}
	snippet, err := client.Snippet(server)
	if err != nil {
		return err
	}
	done := clients.Written{File: client.File(places)}
	if write {
		if done, err = client.Write(places, server); err != nil {
			return err
		}
	}
	if s.asJSON {
		return printJSON(s.out, map[string]any{"client": client.Name, "entry": snippet, "written": write, "file": done.File, "backup": done.Backup, "changed": done.Changed})
	}
	p := screen.PageFor(s.out)
	switch {
	case done.Changed && done.Backup != "":
		p.Line(screen.Span{Text: "written to " + done.File, Style: screen.Good})
		p.Line(screen.Text("as it was: " + done.Backup))
	case done.Changed:
		p.Line(screen.Span{Text: "made " + done.File, Style: screen.Good})
	case write:
		p.Line(screen.Text(done.File + " says it already"))
	default:
		p.Line(screen.Text("in " + done.File + ":"))
		p.Line()
		p.Block("  ", snippet)
		p.Line()
		p.Line(screen.Span{Text: "--write puts it there, and leaves the rest as it is", Style: screen.Faint})
	}
	if client.Note != "" {
		p.Line(screen.Span{Text: client.Note, Style: screen.Faint})
	}
	return p.Close()
}

// asServer is this program with the flags that were given and say which store,
// as a client is to start it. A client has neither this shell's folder nor its
// environment.
func (s *session) asServer() (clients.Server, error) {
	program, err := os.Executable()
	if err != nil {
		return clients.Server{}, fault.Wrap(fault.Unavailable, err, "setup: the path of this program is not known")
	}
	server := clients.Server{Command: program, Args: []string{"serve"}}
	path, err := s.path()
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return clients.Server{}, fault.Wrap(fault.Unavailable, err, "setup: the store has no path")
	}
	usual, err := defaultPathIn(func(string) string { return "" })
	if s.file != "" || err != nil || path != usual {
		server.Args = append(server.Args, "--db", path)
	}
	if s.namespace != "" {
		server.Args = append(server.Args, "--namespace", s.namespace)
	}
	if s.readOnly {
		server.Args = append(server.Args, "--read-only")
	}
	if s.durable {
		server.Args = append(server.Args, "--durable")
	}
	if s.actor != "" {
		server.Args = append(server.Args, "--actor", s.actor)
	}
	return server, nil
}

func clientPlaces() (p clients.Places, err error) {
	p.Getenv = os.Getenv
	if p.Home, err = os.UserHomeDir(); err == nil {
		p.Config, err = os.UserConfigDir()
	}
	if err == nil {
		p.Project, err = os.Getwd()
	}
	if err != nil {
		return p, fault.Wrap(fault.Unavailable, err, "setup: your folders are not known")
	}
	return p, nil
}
