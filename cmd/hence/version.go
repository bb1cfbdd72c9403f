package main

import (
	"github.com/spf13/cobra"

	"hence"
	"hence/cmd/hence/internal/screen"
)

func (s *session) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: groupSetup,
		Short:   "Which Hence this is",
		Args:    count{0, 0}.check,
		RunE:    func(*cobra.Command, []string) error { return asFault(s.printVersion()) },
	}
}

func (s *session) printVersion() error {
	b := hence.ThisBuild()
	if s.asJSON {
		return printJSON(s.out, b)
	}
	p := screen.PageFor(s.out)
	p.Line(screen.Text("hence " + b.String() + ", " + b.Go))
	return p.Close()
}
