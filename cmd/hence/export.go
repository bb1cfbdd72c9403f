package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/memory/exchange"
)

func (s *session) exportCommand() *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:     "export [FILE]",
		GroupID: groupSetup,
		Short:   "Write memories and edges as lines of JSON, or as notes",
		Long: `Writes every memory and every edge as a line of JSON, to a new file or to
standard output. hence import FILE.jsonl takes them in again: exported from
there they are the same bytes. Memories keep their ids, times and revisions; the
journal and the links of notes that lead nowhere stay behind.

With --vault, memories are written as notes for Obsidian instead, one file each,
with their edges as properties. hence import DIR makes the same edges of them.
Properties that it would read as more than data (a link, tags, a status) are
written under hence-properties, and come back as properties.
Weights and reasons of edges have no place in a note, nor has what was
forgotten; notes that came from a vault are not written again.`,
		Example: `  hence export memories.jsonl
  hence export --namespace team | gzip > team.jsonl.gz
  hence export --vault ~/notes/from-agents`,
		Args: count{0, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				if err := checkFile(cmd, words[0]); err != nil {
					return err
				}
			}
			switch {
			case dir != "" && len(words) > 0:
				return fault.New(fault.InvalidArgument, "export: a file and --vault are two places; choose one")
			case cmd.Flags().Changed("vault"):
				return asFault(s.exportNotes(cmd.Context(), dir))
			case len(words) > 0 && words[0] != "-":
				return asFault(s.exportFile(cmd.Context(), words[0]))
			}
			return asFault(s.exportTo(cmd.Context(), s.out))
		},
	}
	cmd.Flags().StringVar(&dir, "vault", "", "write notes into this new or empty `folder`")
	_ = cmd.MarkFlagDirname("vault")
	return cmd
}

func (s *session) exchange(ctx context.Context, reads bool, f func(x exchange.Store) error) error {
	d, err := s.open(ctx, reads)
	if err != nil {
		return err
	}
	return errors.Join(f(exchange.Store{DB: d, Caller: s.person()}), d.Close())
}

func (s *session) exportTo(ctx context.Context, out io.Writer) error {
	return s.exchange(ctx, true, func(x exchange.Store) error {
		done, err := x.Export(ctx, out)
		if err == nil && done.Replaced > 0 {
			p := screen.PageFor(s.err)
			p.Line(screen.Span{Text: number(done.Replaced, "text was", "texts were") + " not valid UTF-8, and JSON holds no other: the bytes that are wrong are written as \uFFFD", Style: screen.Warn})
			return p.Close()
		}
		return err
	})
}

// exportFile writes a file that is whole or not there.
func (s *session) exportFile(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.Exists, "export to %s: there is a file of that name; choose another", path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".hence-export-*")
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "export to %s: the folder cannot be written", path)
	}
	defer os.Remove(temp.Name())
	if err := errors.Join(s.exportTo(ctx, temp), temp.Sync(), temp.Close()); err != nil {
		return asFirst(err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return fault.Wrap(fault.Unavailable, err, "export to %s", path)
	}
	return nil
}

// asFirst is the first error of several that has a code.
func asFirst(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return err
}

func (s *session) exportNotes(ctx context.Context, dir string) error {
	if dir == "" {
		return fault.New(fault.InvalidArgument, "export: --vault is empty; give it a folder")
	}
	return s.exchange(ctx, true, func(x exchange.Store) error {
		done, err := x.ExportNotes(ctx, dir)
		if err != nil {
			return err
		}
		if s.asJSON {
			return printJSON(s.out, done)
		}
		p := screen.PageFor(s.out)
		p.Line(screen.Span{Text: "wrote ", Style: screen.Good}, screen.Text(number(done.Notes, "note", "notes")+" with "+number(done.Edges, "edge", "edges")+" to "), screen.Span{Text: dir, Style: screen.Strong})
		for _, w := range done.Warnings {
			p.Item("! ", screen.Span{Text: w, Style: screen.Warn})
		}
		return p.Close()
	})
}
