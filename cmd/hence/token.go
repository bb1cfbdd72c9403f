package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
	"hence/tools/show"
)

// tokenLimits are the flags that limit the requests with a token; 0 for the server's limit.
type tokenLimits struct {
	rate float64
	body int64
}

func (l *tokenLimits) flags(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&l.rate, "rate", 0, "`number` of requests a second; 0 for what the server allows")
	cmd.Flags().Int64Var(&l.body, "max-body", 0, "`bytes` of a request; 0 for what the server allows")
}

// tokenMap says what tokens of the identity provider give access to.
func tokenMap(s *session) *cobra.Command {
	limits, remove := tokenLimits{}, false
	cmd := bare("map", count{0, 2}, func(cmd *cobra.Command, words []string) error {
		switch {
		case len(words) == 1:
			return fault.New(fault.InvalidArgument, "usage: hence token map CLAIM VALUE; see hence token map --help")
		case len(words) == 0 && (remove || limits != tokenLimits{}):
			return fault.New(fault.InvalidArgument, "token map: name a claim and its value")
		}
		// --read-only applies to the row here, not to the store.
		readOnly := s.readOnly && len(words) > 0
		s.readOnly = s.readOnly && !readOnly
		return listing("map", "rules", func(ctx context.Context, v ref.View) (all []oauth.Rule, err error) {
			switch {
			case remove:
				err = oauth.Unmap(ctx, v.DB, v.Caller.Actor, words[0], words[1])
			case len(words) > 0:
				err = oauth.Map(ctx, v.DB, v.Caller.Actor, oauth.Rule{
					Claim: words[0], Value: words[1], Namespace: s.namespace, ReadOnly: readOnly, Rate: limits.rate, MaxBody: limits.body,
				})
			}
			if err == nil {
				all, err = oauth.Rules(ctx, v.DB)
			}
			return all, err
		}, showRules).opening(len(words) > 0).run(cmd.Context(), s, noArguments{})
	})
	limits.flags(cmd)
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the row")
	return cmd
}

func showRules(rules []oauth.Rule) show.Doc {
	if len(rules) == 0 {
		return show.Doc{show.Total{None: "no token of an identity provider gives access; hence token map CLAIM VALUE adds a row"}}
	}
	t := show.Table{Columns: []show.Column{{Head: "claim"}, {Head: "value"}, {Head: "sees", Min: 8}, {Head: "may"}}}
	for _, r := range rules {
		may := []string{rightOf(r.ReadOnly, r.Elsewhere)}
		if r.Rate > 0 {
			may = append(may, strconv.FormatFloat(r.Rate, 'g', -1, 64)+" requests a second")
		}
		if r.MaxBody > 0 {
			may = append(may, strconv.FormatInt(r.MaxBody, 10)+" bytes each")
		}
		t.Rows = append(t.Rows, []show.Cell{{Text: r.Claim}, {Text: r.Value}, {Text: cmp.Or(r.Namespace, "everything")}, {Text: strings.Join(may, ", ")}})
	}
	return show.Doc{t}
}

func tokenAdd(s *session) *cobra.Command {
	mayCode, limits := false, tokenLimits{}
	cmd := bare("add", count{1, 1}, func(cmd *cobra.Command, words []string) error {
		// --read-only applies to the token here, not to the store.
		t := token.Token{Name: strings.TrimSpace(words[0]), Namespace: s.namespace, ReadOnly: s.readOnly, Code: mayCode, Rate: limits.rate, MaxBody: limits.body}
		s.readOnly = false
		return s.withStore(cmd.Context(), false, func(v ref.View) error {
			secret, err := token.Add(cmd.Context(), v.DB, v.Caller.Actor, t)
			if err != nil {
				return err
			}
			if s.asJSON {
				err = printJSON(s.out, map[string]any{"name": t.Name, "namespace": t.Namespace, "read_only": t.ReadOnly, "code": t.Code, "token": secret})
			} else {
				_, err = fmt.Fprintln(s.out, secret)
			}
			if err != nil {
				return revokeUnprinted(cmd.Context(), v, t.Name, err)
			}
			return nil
		})
	})
	limits.flags(cmd)
	cmd.Flags().BoolVar(&mayCode, "code", false, "let it change files and run tests where hence code allow says so")
	return cmd
}

// revokeUnprinted revokes a new token whose secret could not be printed because of err: the
// store has only its hash, so the secret is lost. It returns the error of the command.
func revokeUnprinted(ctx context.Context, v ref.View, name string, err error) error {
	if failed := token.Revoke(ctx, v.DB, v.Caller.Actor, name); failed != nil {
		err = fmt.Errorf("%w; %w", err, failed)
		return fault.Wrap(fault.Unavailable, err, "token add %[1]s: the token could not be printed and could not be revoked; run hence token revoke %[1]s", name)
	}
	return fault.Wrap(fault.Unavailable, err, "token add %s: the token could not be printed and was revoked; run the command again", name)
}

func showTokens(all []token.Token) show.Doc {
	if len(all) == 0 {
		return show.Doc{show.Total{None: "there is no token; hence token add makes one"}}
	}
	// Names are not cut, because hence token revoke needs them.
	t := show.Table{Columns: []show.Column{{Head: "name"}, {Head: "sees", Min: 8}, {Head: "may"}, {Head: "made"}}}
	for _, one := range all {
		may := rightOf(one.ReadOnly, one.Elsewhere)
		if one.Code && !one.Elsewhere {
			may += ", change and run code"
		}
		t.Rows = append(t.Rows, []show.Cell{{Text: one.Name}, {Text: cmp.Or(one.Namespace, "everything")}, {Text: may}, {Text: day(one.CreatedAt)}})
	}
	return show.Doc{t}
}

// rightOf says what a token or a rule gives access to.
func rightOf(readOnly, elsewhere bool) string {
	switch {
	case elsewhere:
		return "nothing: it is from elsewhere, see hence adopt"
	case readOnly:
		return "read"
	}
	return "read and write"
}

// revokeResult is what --json prints.
type revokeResult struct {
	Name    string `json:"name"`
	Revoked bool   `json:"revoked"`
}

// nameArgs name a token.
type nameArgs struct {
	Name string `json:"name"`
}
