package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
)

// version is what a release is built with: -ldflags "-X main.version=1.2.3".
var version = ""

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
	b := thisBuild()
	if s.asJSON {
		return printJSON(s.out, b)
	}
	p := screen.PageFor(s.out)
	text := "hence " + b.Version
	if b.Revision != "" && !strings.Contains(b.Version, b.Revision) {
		text += " (" + b.Revision + ")"
	}
	p.Line(screen.Text(text + ", " + b.Go))
	return p.Close()
}

type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
}

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	const short = 12
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Revision = setting.Value[:min(len(setting.Value), short)]
		}
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	return b
}
