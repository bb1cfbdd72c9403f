package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"hence"
	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/memory/doctor"
)

func (s *session) doctorCommand() *cobra.Command {
	fix := false
	cmd := &cobra.Command{
		Use:     "doctor",
		GroupID: groupSetup,
		Short:   "Examine the store, and mend what can be mended",
		Long: `Examines the file and what is in it: whether it is whole, whether the rules of
the schema are all there, whether the full-text index is that of the text and the
vectors are those of its sections, and whether supersession, hashes, places in
notes and permissions are as they are to be. With --fix, what can be made anew
from the rest is made anew. It exits with 1 when something stays wrong.`,
		Example: `  hence doctor
  hence doctor --fix`,
		Args: count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error { return asFault(s.doctor(cmd.Context(), fix)) },
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "make anew what can be made anew")
	return cmd
}

func (s *session) doctor(ctx context.Context, fix bool) (err error) {
	d, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	report, err := doctor.Doctor{DB: d, Actor: s.person().Actor}.Examine(ctx, fix)
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
	}
	p.Line(screen.Span{Text: "hence " + hence.ThisBuild().Version + ", schema " + digits(int64(r.Schema)) + ", SQLite " + r.Engine, Style: screen.Faint})
	return p.Close()
}
