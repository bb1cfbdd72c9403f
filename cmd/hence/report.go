package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools/show"
)

// exitCode returns the exit code of the program for the code of an error.
func exitCode(code fault.Code) int {
	switch code {
	case "":
		return 0
	case fault.InvalidArgument, fault.TooLarge:
		return 2
	case fault.NotFound, fault.Ambiguous:
		return 3
	case fault.Conflict, fault.Exists, fault.Cycle:
		return 4
	case fault.ReadOnly, fault.OutsideVault:
		return 5
	case fault.OutcomeUnknown:
		return 6
	}
	return 1
}

// asFault returns an error with a code: internal if it has none.
func asFault(err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.Wrap(fault.Internal, err, "the command failed")
}

// report prints the error of a command, for a person or with --json for a program, and returns
// the exit code.
func (s *session) report(ctx context.Context, cmd *cobra.Command, err error) int {
	if ctx.Err() != nil && fault.CodeOf(err) != fault.OutcomeUnknown {
		s.freshLine()
		err = fault.New(fault.Unavailable, "%s", stopped(cmd))
	}
	code, details := fault.InvalidArgument, map[string]any(nil)
	var known *fault.Error
	if errors.As(err, &known) {
		code, details = known.Code, known.Details
	}
	if s.asJSON {
		_ = printJSON(s.err, map[string]any{"error": failure{code, err.Error(), details}})
		return exitCode(code)
	}
	fmt.Fprintln(s.err, screen.Clean("hence: "+err.Error()))
	if known != nil {
		d := show.Doc{}
		for _, c := range ref.Candidates(known) {
			d.Add("  ", c.ID+"  "+c.Title+c.Mark(), statusSpan(c.Status), spanToCopy(c.Kind+", "+day(c.CreatedAt)), spanToCopy(show.NotePath(c.URI)), spanToCopy(c.FirstWords))
		}
		_ = s.draw(s.err, d)
	}
	return exitCode(code)
}

// failure is an error as tools report it.
type failure struct {
	Code    fault.Code     `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}
