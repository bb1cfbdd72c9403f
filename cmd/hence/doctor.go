package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"hence"
	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/memory/doctor"
)

func (s *session) doctorCommand() *cobra.Command {
	fix := false
	cmd := &cobra.Command{
		Use:     "doctor [FOLDER]...",
		GroupID: groupSetup,
		Short:   "Examine the store, and mend what can be mended",
		Long: `Examines the file and what is in it: whether it is whole, whether the rules of
the schema are all there, whether the full-text index is that of the text and the
vectors are those of its sections, and whether every memory can be read,
supersession, hashes, places in notes and permissions are as they are to be, and
the journal agrees with what is there. With --fix, what can be made anew from the
rest is made anew. It exits with 1 when something stays wrong.

A command that is killed leaves the file that it was writing, which may be a copy
of the whole store. doctor lists such files in the folder of the store, in the
folder where it runs, in the vaults and in each FOLDER, such as the one for
backups; --fix removes those that nobody has written to for an hour.

Doctor cannot know of a row of the journal that was added by hand in the right
form, or whose text was changed, or that was taken away.`,
		Example: `  hence doctor
  hence doctor --fix ~/backups`,
		Args: count{0, unlimited}.check,
		RunE: func(cmd *cobra.Command, folders []string) error {
			return asFault(s.doctor(cmd.Context(), fix, folders))
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "make anew what can be made anew")
	return cmd
}

func (s *session) doctor(ctx context.Context, fix bool, folders []string) (err error) {
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fault.New(fault.InvalidArgument, "doctor: %s is not a folder; name the folders where backups and exports go", folder)
		}
	}
	d, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	report, err := doctor.Doctor{DB: d, Actor: s.person().Actor, Folders: append(folders, ".")}.Examine(ctx, fix)
	if err != nil {
		return err
	}
	if s.asJSON {
		err = printJSON(s.out, report)
	} else {
		err = s.drawReport(report)
	}
	if err == nil && report.Sick > 0 {
		err = fault.New(fault.Internal, "doctor: %s found something wrong in %s", number(report.Sick, "check", "checks"), d.Path())
	}
	return err
}

func (s *session) drawReport(r doctor.Report) error {
	p := screen.PageFor(s.out)
	for _, f := range r.Findings {
		switch {
		case f.Fixed:
			p.Line(screen.Span{Text: "mended  ", Style: screen.Good}, screen.Text(f.Check))
		case f.Healthy:
			p.Line(screen.Span{Text: "well    ", Style: screen.Good}, screen.Text(f.Check))
		default:
			p.Line(screen.Span{Text: "wrong   ", Style: screen.Bad}, screen.Span{Text: f.Check, Style: screen.Strong}, screen.Text(": "+f.Mend))
		}
		for _, problem := range f.Problems {
			p.Item("        ", screen.Text(problem))
		}
		for _, note := range f.Notes {
			p.Item("        ", screen.Span{Text: note, Style: screen.Faint})
		}
	}
	p.Line(screen.Span{Text: "hence " + hence.ThisBuild().Version + ", schema " + digits(int64(r.Schema)) + ", SQLite " + r.Engine, Style: screen.Faint})
	return p.Close()
}
