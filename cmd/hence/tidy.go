package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/sources"
	"hence/memory/tidy"
	"hence/tools/show"
)

// tidyCommand proposes what could be tidied: on a terminal one proposal at a time, with
// a question; else as a list.
func tidyCommand(s *session) *cobra.Command {
	args := &tidy.Args{}
	cmd := mirror[tidy.Args, tidy.Result]{
		use:  "tidy",
		also: func(_ *session, _ *cobra.Command, a *tidy.Args) { args = a },
		call: method(tidy.Tidier.Tidy),
		tell: show.Tidied,
	}.command(s)
	list := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		settles := len(args.Accept)+len(args.Reject) > 0
		if s.asJSON || settles || s.readOnly || !screen.IsTerminal(s.in) || !screen.IsTerminal(s.out) {
			return list(cmd, words)
		}
		return s.withStore(cmd.Context(), true, func(d *db.DB) error {
			return tidyTalk{s, tidy.Tidier{DB: d, Caller: s.person()}}.askEach(cmd.Context(), *args)
		})
	}
	return cmd
}

// tidyTalk is a conversation with a person about proposals.
type tidyTalk struct {
	*session
	tidy.Tidier
}

// askEach shows one proposal after another, and does what the person answers.
func (s tidyTalk) askEach(ctx context.Context, a tidy.Args) error {
	result, err := s.Tidy(ctx, a)
	if err != nil {
		return err
	}
	answers := bufio.NewReader(s.input())
	counts := map[string]int{}
	for i, p := range result.Proposals {
		done, err := s.ask(ctx, p, fmt.Sprintf("%d of %d", i+1, len(result.Proposals)), answers)
		if err != nil {
			return err
		}
		if done == "" {
			break
		}
		counts[done]++
	}
	return s.print(result, func() (d show.Doc) {
		if len(result.Proposals) == 0 {
			return show.Tidied(result)
		}
		d.Say("%d accepted, %d rejected, %d skipped", counts[accepted], counts[rejected], counts[skipped])
		if counts[accepted] > 0 {
			d.AddIn(show.Faint, "  ", "hence undo takes back the last one")
		}
		return d
	})
}

// The answers to a proposal.
const (
	accepted = "accepted"
	rejected = "rejected"
	skipped  = "skipped"
	edited   = "edited"
)

// ask shows a proposal, asks until there is an answer, and acts on it. It returns the answer,
// or "" if the person stops. place is that of the proposal, such as 1 of 3.
func (s tidyTalk) ask(ctx context.Context, p tidy.Proposal, place string, answers *bufio.Reader) (done string, err error) {
	if err := s.print(p, func() show.Doc {
		return append(show.Doc{show.Line{Parts: []show.Part{faint(place)}}}, show.Proposed(p)...)
	}); err != nil {
		return "", err
	}
	question := "accept? [y]es, [n]o, [s]kip, [q]uit "
	if p.Does != nil {
		question = "accept? [y]es, [n]o, [e]dit, [s]kip, [q]uit "
	}
	for {
		fmt.Fprint(s.out, question)
		line, err := answers.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return s.settle(ctx, accepted, tidy.Args{Accept: []string{p.Key}})
		case "n", "no":
			return s.settle(ctx, rejected, tidy.Args{Reject: []string{p.Key}})
		case "e", "edit":
			if p.Does != nil {
				return edited, s.edit(ctx, p, answers)
			}
		case "s", "skip":
			return skipped, nil
		case "q", "quit":
			return "", nil
		}
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return "", fault.Wrap(fault.Unavailable, err, "tidy: the answer cannot be read")
		}
	}
}

// edit reads another text for what waits.
func (s tidyTalk) edit(ctx context.Context, p tidy.Proposal, answers *bufio.Reader) error {
	fmt.Fprint(s.out, "its text, on one line (empty: as it is): ")
	line, err := answers.ReadString('\n')
	if line = strings.TrimSpace(line); line == "" || err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	if _, err = s.Edit(ctx, tidy.EditArgs{Key: p.Key, Content: &line}); err != nil {
		fmt.Fprintln(s.err, screen.Clean(ref.Explain(err)))
	}
	return nil
}

// settle accepts or rejects one proposal, and returns the answer. It skips a proposal that no
// longer stands, perhaps because of one that was accepted before.
func (s tidyTalk) settle(ctx context.Context, answer string, a tidy.Args) (string, error) {
	_, err := s.Tidy(ctx, a)
	if fault.CodeOf(err) == fault.Conflict {
		fmt.Fprintln(s.err, screen.Clean(ref.Explain(err)))
		return skipped, nil
	}
	return answer, err
}

// forgetSource forgets what came from one place, as one change for undo.
func forgetSource(ctx context.Context, s *session, a sources.ForgetArgs) error {
	return s.withStore(ctx, true, func(d *db.DB) error {
		done, err := sources.Store{DB: d, Caller: s.person()}.Forget(ctx, a)
		if err != nil {
			return err
		}
		return s.print(done, func() show.Doc { return show.ForgottenFrom(done) })
	})
}
