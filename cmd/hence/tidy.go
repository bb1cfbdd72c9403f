package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/review"
	"hence/memory/tidy"
	"hence/tools/show"
)

// tidyCommand proposes what could be tidied.
func tidyCommand(s *session) *cobra.Command {
	return asking(s, same("tidy", "", tidy.Tidier.Tidy, show.Tidied), func(a tidy.Args) (tidyTalk, bool) {
		return tidyTalk{session: s, args: a}, len(a.Accept)+len(a.Reject) > 0
	})
}

// asking is a command that lists proposals. On a terminal it asks a person about one after another,
// unless its arguments settle some: talkOf says so, and which are asked about.
func asking[A, R any](s *session, m mirror[A, R], talkOf func(A) (t tidyTalk, settles bool)) *cobra.Command {
	m.instead = func(cmd *cobra.Command, a A, _ []string, usual func() error) error {
		t, settles := talkOf(a)
		if s.asJSON || settles || s.readOnly || !screen.IsTerminal(s.in) || !screen.IsTerminal(s.out) {
			return usual()
		}
		return s.withStore(cmd.Context(), true, func(v ref.View) error {
			t.Tidier, t.answers = tidy.Tidier(v), bufio.NewReader(s.input())
			return t.askEach(cmd.Context())
		})
	}
	return m.command(s)
}

// tidyTalk is a conversation with a person about proposals.
type tidyTalk struct {
	*session
	tidy.Tidier
	args    tidy.Args
	reviews bool // what waits is listed again after each answer, because what accepting the others does may have changed
	answers *bufio.Reader
}

// idOf identifies a proposal in the conversation. The key of what waits changes with what it changes.
func (s tidyTalk) idOf(p tidy.Proposal) string {
	if s.reviews {
		return p.What + p.Memories[0].ID + p.Call.Tool
	}
	return p.Key
}

// askEach shows one proposal after another, and does what the person answers.
func (s tidyTalk) askEach(ctx context.Context) error {
	counts, asked := map[string]int{}, map[string]bool{}
	result, err := s.Tidy(ctx, s.args)
	for err == nil {
		left := []tidy.Proposal{}
		for _, p := range result.Proposals {
			if !asked[s.idOf(p)] {
				left = append(left, p)
			}
		}
		if len(left) == 0 {
			break
		}
		done, failed := s.ask(ctx, left[0], fmt.Sprintf("%d of %d", len(asked)+1, len(asked)+len(left)))
		if failed != nil {
			return failed
		}
		if done == "" {
			break
		}
		counts[done]++
		if done != edited || !s.reviews {
			asked[s.idOf(left[0])] = true
		}
		if s.reviews {
			result, err = s.Tidy(ctx, s.args)
		}
	}
	policy := ""
	if err == nil && s.reviews {
		policy, err = review.Desk(s.Tidier).Policy(ctx)
	}
	if err != nil {
		return err
	}
	return s.print(result, func() (d show.Doc) {
		switch {
		case len(result.Proposals)+len(counts) > 0:
			d.Say("%d accepted, %d rejected, %d skipped", counts[accepted], counts[rejected], counts[skipped])
		case s.reviews:
			d.Add("", nothingWaits)
		default:
			d = show.Tidied(result)
		}
		if counts[accepted] > 0 {
			d.AddIn(show.Faint, "  ", "hence undo takes back the last one")
		}
		if s.reviews {
			d.AddIn(show.Faint, "", policyLine(policy))
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
func (s tidyTalk) ask(ctx context.Context, p tidy.Proposal, place string) (done string, err error) {
	if err := s.print(p, func() show.Doc {
		return append(show.Doc{show.Line{Parts: []show.Part{faint(place)}}}, show.Proposed(p)...)
	}); err != nil {
		return "", err
	}
	question := "accept? [y]es, [n]o, [s]kip, [q]uit "
	if p.What == "pending" {
		question = "accept? [y]es, [n]o, [e]dit, [s]kip, [q]uit "
	}
	for {
		fmt.Fprint(s.out, question)
		line, err := s.answers.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return s.settle(ctx, accepted, tidy.Args{Accept: []string{p.Key}})
		case "n", "no":
			return s.settle(ctx, rejected, tidy.Args{Reject: []string{p.Key}})
		case "e", "edit":
			if p.What == "pending" {
				return edited, s.edit(ctx, p)
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
func (s tidyTalk) edit(ctx context.Context, p tidy.Proposal) error {
	fmt.Fprint(s.out, "its text, on one line (empty: as it is): ")
	line, err := s.answers.ReadString('\n')
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

// reviewArgs say what a person decides about what waits.
type reviewArgs struct {
	Policy  string   `json:"policy,omitempty" enum:"off,low-trust,all" jsonschema:"which calls of agents wait from now on"`
	Accept  []string `json:"accept,omitempty" jsonschema:"keys or numbers"`
	Reject  []string `json:"reject,omitempty" jsonschema:"keys or numbers"`
	Edit    string   `json:"edit,omitempty" jsonschema:"key or number of the one to change, by --title and --content"`
	Title   *string  `json:"title,omitempty" jsonschema:"the title it gets"`
	Content *string  `json:"content,omitempty" jsonschema:"the text it gets"`
	Limit   int      `json:"limit,omitempty" default:"20" min:"1" max:"200"`
}

// reviewed is what waits, and the policy.
type reviewed struct {
	Policy string `json:"policy"`
	tidy.Result
}

const nothingWaits = "nothing waits for you"

func policyLine(policy string) string {
	return "policy: " + policy + "; hence review --policy off, low-trust or all"
}

// awaited are the kinds of proposals that wait for a person.
var awaited = []string{"pending", "asked"}

// reviewCommand lists what waits for a person, and settles it.
func reviewCommand(s *session) *cobra.Command {
	m := calling("review", "", decideOn, func(r reviewed) (d show.Doc) {
		if d = show.Tidied(r.Result); len(r.Proposals)+r.Accepted+r.Rejected == 0 {
			d = show.OneLine(nothingWaits)
		}
		d.AddIn(show.Faint, "", policyLine(r.Policy))
		return d
	}).writing() // the policy of a store that is made by that
	return asking(s, m, func(a reviewArgs) (tidyTalk, bool) {
		t := tidyTalk{session: s, args: tidy.Args{Propose: awaited, Limit: 200}, reviews: true}
		return t, len(a.Accept)+len(a.Reject) > 0 || a.Policy+a.Edit != ""
	})
}

// decideOn does what the arguments say, and lists what waits then.
func decideOn(ctx context.Context, v ref.View, a reviewArgs) (result reviewed, err error) {
	t, desk := tidy.Tidier(v), review.Desk(v)
	if a.Policy != "" {
		if err := desk.SetPolicy(ctx, a.Policy); err != nil {
			return result, err
		}
	}
	if (a.Edit != "") != (a.Title != nil || a.Content != nil) {
		return result, fault.New(fault.InvalidArgument, "review: --edit names what changes, and --title or --content says to what; give both")
	}
	settle := tidy.Args{Propose: awaited, Limit: a.Limit}
	all, err := t.Tidy(ctx, settle)
	if err != nil {
		return result, err
	}
	keys := func(texts []string) (keys []string) {
		for _, text := range texts {
			if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(all.Proposals) {
				text = all.Proposals[n-1].Key
			}
			keys = append(keys, text)
		}
		return keys
	}
	if a.Edit != "" {
		if _, err := t.Edit(ctx, tidy.EditArgs{Key: keys([]string{a.Edit})[0], Title: a.Title, Content: a.Content}); err != nil {
			return result, err
		}
	}
	settle.Accept, settle.Reject = keys(a.Accept), keys(a.Reject)
	if result.Result, err = t.Tidy(ctx, settle); err != nil {
		return result, err
	}
	result.Policy, err = desk.Policy(ctx)
	return result, err
}
