package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hence/internal/fault"
	"hence/internal/ref"
)

func TestExitCode_EachCodeHasOne(t *testing.T) {
	want := map[fault.Code]int{
		fault.Internal: 1, fault.Unavailable: 1, fault.TooLarge: 2, fault.InvalidArgument: 2,
		fault.NotFound: 3, fault.Ambiguous: 3, fault.Conflict: 4, fault.Exists: 4, fault.Cycle: 4,
		fault.ReadOnly: 5, fault.OutsideVault: 5, fault.OutcomeUnknown: 6,
	}
	for _, code := range fault.Codes() {
		if exit, ok := want[code]; !ok || exitCode(code) != exit {
			t.Errorf("%q exits with %d, want %d (known: %v)", code, exitCode(code), exit, ok)
		}
	}
}

func TestReport(t *testing.T) {
	ambiguous := fault.New(fault.Ambiguous, "%q is the name of several memories", "Plan").
		With("candidates", []ref.Candidate{
			{Named: ref.Named{ID: "a1", Title: "Plan"}, Kind: "note", Status: "current", CreatedAt: "2026-03-01T12:00:00.000Z", URI: "obsidian-fs://v/old/Plan.md"},
			{Named: ref.Named{ID: "b2", Title: "Plan"}, Kind: "decision", Status: "superseded", CreatedAt: "2026-03-02T12:00:00.000Z", FirstWords: "We sail."},
		})
	for _, test := range []struct {
		name   string
		err    error
		asJSON bool
		want   string
		exit   int
	}{
		{"a sentence", fault.New(fault.NotFound, "nothing is there"), false, "hence: nothing is there\n", 3},
		{"with its cause", fault.Wrap(fault.Unavailable, errors.New("disk on fire"), "open x"), false, "hence: open x: disk on fire\n", 1},
		{"an escape of the terminal", fault.New(fault.NotFound, "no \x1b[2Jthing"), false, "hence: no ␛[2Jthing\n", 3},
		{"candidates", ambiguous, false, "hence: \"Plan\" is the name of several memories\n  a1  Plan  note, 2026-03-01  old/Plan.md\n  b2  Plan (superseded)  decision, 2026-03-02  We sail.\n", 3},
		{"JSON", fault.New(fault.Conflict, "moved <on>").With("revision", 2), true,
			`{"error":{"code":"conflict","message":"moved <on>","details":{"revision":2}}}` + "\n", 4},
		{"a usage that cobra refuses", errors.New("unknown command"), false, "hence: unknown command\n", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			var errs strings.Builder
			s := &session{err: &errs, asJSON: test.asJSON}
			exit := s.report(t.Context(), nil, test.err)
			if exit != test.exit || errs.String() != test.want {
				t.Errorf("exit %d, %q\nwant %d, %q", exit, errs.String(), test.exit, test.want)
			}
		})
	}
}

func TestReport_StoppedByTheUser(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs strings.Builder
	s := &session{err: &errs}
	if exit := s.report(ctx, nil, asFault(ctx.Err())); exit != 1 || errs.String() != "hence: stopped\n" {
		t.Errorf("exit %d, %q", exit, errs.String())
	}
}
