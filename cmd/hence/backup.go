package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
)

func (s *session) backupCommand() *cobra.Command {
	restore := false
	cmd := &cobra.Command{
		Use:     "backup FILE",
		GroupID: groupSetup,
		Short:   "Copy the store to a file, or take such a copy back",
		Long: `Copies the whole store, as it is at this moment, to a new file, while others read
and write. The copy is checked before it gets its name.

With --restore, the store becomes again what FILE holds. What it was is first
saved beside it, and the output says where. Servers that have the store open go
on with what was restored. (hence restore is for one memory that was forgotten.)`,
		Example: `  hence backup ~/backups/hence-$(date +%F).db
  hence backup --restore ~/backups/hence-2026-11-20.db`,
		Args: count{1, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := checkFile(cmd, words[0]); err != nil {
				return err
			}
			if s.namespace != "" {
				return fault.New(fault.InvalidArgument, "backup: a backup is of the whole store; leave --namespace out, or copy one group with hence export --namespace %s FILE", s.namespace)
			}
			if restore {
				return asFault(s.restoreBackup(cmd.Context(), words[0]))
			}
			return asFault(s.backup(cmd.Context(), words[0]))
		},
	}
	cmd.Flags().BoolVar(&restore, "restore", false, "make the store what FILE holds")
	return cmd
}

// checkFile refuses a file without a name, before a long copy is made for it.
func checkFile(cmd *cobra.Command, path string) error {
	if strings.TrimSpace(path) == "" {
		return fault.New(fault.InvalidArgument, "%s: the file has no name; give it one", cmd.Name())
	}
	return nil
}

// backedUp is what --json prints.
type backedUp struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func (s *session) backup(ctx context.Context, path string) (err error) {
	d, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.Backup(ctx, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "backup to %s", path)
	}
	if s.asJSON {
		return printJSON(s.out, backedUp{path, info.Size()})
	}
	p := screen.PageFor(s.out)
	p.Line(screen.Span{Text: "backed up to ", Style: screen.Good}, screen.Span{Text: path, Style: screen.Strong}, screen.Text(" ("+kilobytes(info.Size())+", checked)"))
	return p.Close()
}

// restoredFrom is what --json prints.
type restoredFrom struct {
	File  string `json:"file"`
	Saved string `json:"saved"`
}

func (s *session) restoreBackup(ctx context.Context, backup string) error {
	path, err := s.path()
	if err != nil {
		return err
	}
	saved, err := db.RestoreBackup(ctx, backup, path, s.options())
	if err != nil {
		return err
	}
	if s.asJSON {
		return printJSON(s.out, restoredFrom{backup, saved})
	}
	p := screen.PageFor(s.out)
	p.Line(screen.Span{Text: "restored ", Style: screen.Good}, screen.Span{Text: path, Style: screen.Strong}, screen.Text(" from "+backup))
	if saved != "" {
		p.Item("  ", screen.Span{Text: "what it was is in " + saved, Style: screen.Faint})
	}
	return p.Close()
}

func (s *session) vacuumCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "vacuum",
		GroupID: groupSetup,
		Short:   "Write the file anew, without the room that deleted rows left",
		Long: `Writes the file anew and puts the full-text index together. Others wait
meanwhile; while one of them writes, it fails and changes nothing.`,
		Args: count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error { return asFault(s.vacuum(cmd.Context())) },
	}
}

// vacuumed is what --json prints, in bytes.
type vacuumed struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

func (s *session) vacuum(ctx context.Context) (err error) {
	d, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	before, after, err := d.Vacuum(ctx)
	if err != nil {
		return err
	}
	if s.asJSON {
		return printJSON(s.out, vacuumed{before, after})
	}
	p := screen.PageFor(s.out)
	p.Line(screen.Span{Text: "vacuumed: ", Style: screen.Good}, screen.Text(kilobytes(before)+" → "+kilobytes(after)))
	return p.Close()
}

// kilobytes is a size for people.
func kilobytes(n int64) string {
	const kilo = 1000
	return digits((n+kilo-1)/kilo) + " kB"
}
