package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/review"
	"hence/memory/tidy"
	"hence/tools/show"
)

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

// reviewCommand lists what waits for a person, and settles it: on a terminal one after another, with a question.
func reviewCommand(s *session) *cobra.Command {
	args := &reviewArgs{}
	cmd := mirror[reviewArgs, reviewed]{
		use:    "review",
		writes: true, // the policy of a store that is made by that
		also:   func(_ *session, _ *cobra.Command, a *reviewArgs) { args = a },
		call: func(ctx context.Context, _ *session, v ref.View, a reviewArgs) (reviewed, error) {
			return decideOn(ctx, v, a)
		},
		tell: func(r reviewed) (d show.Doc) {
			if d = show.Tidied(r.Result); len(r.Proposals)+r.Accepted+r.Rejected == 0 {
				d = show.Doc{}
				d.Add("", "nothing waits for you")
			}
			d.AddIn(show.Faint, "", "policy: "+r.Policy+"; hence review --policy off, low-trust or all")
			return d
		},
	}.command(s)
	list := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		settles := len(args.Accept)+len(args.Reject) > 0 || args.Policy+args.Edit != ""
		if s.asJSON || settles || s.readOnly || !screen.IsTerminal(s.in) || !screen.IsTerminal(s.out) {
			return list(cmd, words)
		}
		return s.withStore(cmd.Context(), true, func(d *db.DB) error {
			return tidyTalk{s, tidy.Tidier{DB: d, Caller: s.person()}}.reviewEach(cmd.Context())
		})
	}
	return cmd
}

// awaited are the kinds of proposals that wait for a person.
var awaited = []string{"pending", "asked"}

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
	all, err := t.Tidy(ctx, tidy.Args{Propose: awaited, Limit: a.Limit})
	if err != nil {
		return result, err
	}
	key := func(text string) string {
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(all.Proposals) {
			return all.Proposals[n-1].Key
		}
		return text
	}
	if a.Edit != "" {
		if _, err := t.Edit(ctx, tidy.EditArgs{Key: key(a.Edit), Title: a.Title, Content: a.Content}); err != nil {
			return result, err
		}
	}
	settle := tidy.Args{Propose: awaited, Limit: a.Limit}
	for _, text := range a.Accept {
		settle.Accept = append(settle.Accept, key(text))
	}
	for _, text := range a.Reject {
		settle.Reject = append(settle.Reject, key(text))
	}
	if result.Result, err = t.Tidy(ctx, settle); err != nil {
		return result, err
	}
	result.Policy, err = desk.Policy(ctx)
	return result, err
}

// reviewEach shows what waits, one after another, and does what the person answers. It lists again after each
// answer, because what accepting the others does may have changed.
func (s tidyTalk) reviewEach(ctx context.Context) error {
	answers, counts, asked := bufio.NewReader(s.input()), map[string]int{}, map[string]bool{}
	for {
		result, err := s.Tidy(ctx, tidy.Args{Propose: awaited, Limit: 200})
		if err != nil {
			return err
		}
		left := []tidy.Proposal{}
		for _, p := range result.Proposals {
			if !asked[p.What+p.Memories[0].ID+p.Call.Tool] {
				left = append(left, p)
			}
		}
		done := ""
		if len(left) > 0 {
			p := left[0]
			if done, err = s.ask(ctx, p, fmt.Sprintf("%d of %d", len(asked)+1, len(asked)+len(left)), answers); err != nil {
				return err
			}
			if done != edited {
				asked[p.What+p.Memories[0].ID+p.Call.Tool] = true
			}
		}
		if done == "" {
			return s.sayCounts(ctx, len(result.Proposals), counts)
		}
		counts[done]++
	}
}

// sayCounts ends a review.
func (s tidyTalk) sayCounts(ctx context.Context, waiting int, counts map[string]int) error {
	policy, err := review.Desk(s.Tidier).Policy(ctx)
	if err != nil {
		return err
	}
	return s.print(counts, func() (d show.Doc) {
		if waiting == 0 && len(counts) == 0 {
			d.Add("", "nothing waits for you")
		} else {
			d.Say("%d accepted, %d rejected, %d skipped", counts[accepted], counts[rejected], counts[skipped])
		}
		if counts[accepted] > 0 {
			d.AddIn(show.Faint, "  ", "hence undo takes back the last one")
		}
		d.AddIn(show.Faint, "", "policy: "+policy+"; hence review --policy off, low-trust or all")
		return d
	})
}
