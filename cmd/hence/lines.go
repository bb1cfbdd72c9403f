package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/memory/exchange"
)

// isLines reports whether what is to be imported is not a folder: a file, a
// pipe, or "-" for standard input.
func isLines(path string) bool {
	info, err := os.Stat(path)
	return path == "-" || err == nil && !info.IsDir()
}

// isNote reports whether what is to be imported is one Markdown file.
func isNote(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(path), ".md")
}

// importLines takes in a file of the exchange format. Flags that only a vault
// has are refused.
func (s *session) importLines(cmd *cobra.Command, path string) (err error) {
	a := exchange.ImportArgs{Name: path}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "dry-run":
			a.DryRun = f.Value.String() == "true"
		case cmd.InheritedFlags().Lookup(f.Name) == nil:
			err = fault.New(fault.InvalidArgument, "import %s: --%s is for a folder of notes; leave it out", path, f.Name)
		}
	})
	if err != nil {
		return err
	}
	in, err := s.rewindable(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	bar, clear := progressBar(s.err)
	a.Progress = bar
	var done exchange.Imported
	err = s.exchange(cmd.Context(), false, func(x exchange.Store) (err error) {
		done, err = x.Import(cmd.Context(), in, a)
		return err
	})
	clear()
	switch {
	case err != nil:
		return asFirst(err)
	case s.asJSON:
		return printJSON(s.out, done)
	}
	return s.drawImported(path, done)
}

// rewindable opens a file that is read several times. What comes through a
// pipe is written to a file first.
func (s *session) rewindable(path string) (io.ReadSeekCloser, error) {
	var in io.Reader = s.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "import %s: the file cannot be read", path)
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f, nil
		}
		defer f.Close()
		in = f
	}
	temp, err := os.CreateTemp("", "hence-import-*")
	if err == nil {
		_ = os.Remove(temp.Name()) // gone with the last who has it open
		_, err = io.Copy(temp, in)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "import %s: the input cannot be kept", path)
	}
	return temp, nil
}

func (s *session) drawImported(path string, done exchange.Imported) error {
	p := screen.PageFor(s.out)
	verb := screen.Span{Text: "imported ", Style: screen.Good}
	if done.DryRun {
		verb = screen.Span{Text: "would import ", Style: screen.Warn}
	}
	p.Line(verb, screen.Span{Text: path, Style: screen.Strong}, screen.Text(": "+
		number(done.Memories.Added, "memory", "memories")+" and "+number(done.Edges.Added, "edge", "edges")))
	if there := done.Memories.Present + done.Edges.Present; there > 0 {
		p.Item("  ", screen.Text(number(done.Memories.Present, "memory", "memories")+" and "+number(done.Edges.Present, "edge", "edges")+" were there already, and stay as they are"))
	}
	for _, w := range done.Warnings {
		p.Item("! ", screen.Span{Text: w, Style: screen.Warn})
	}
	return p.Close()
}
