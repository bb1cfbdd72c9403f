package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/tools/httpserve/token"
)

func (s *session) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "token",
		GroupID: groupSetup,
		Short:   "Say who may come in over HTTP, and what they see",
		Long: `A token lets an agent in at hence serve --http. With --namespace it sees that
group of memories only, and with --read-only it changes nothing. The store keeps
a hash of it, never the token. A token that is revoked stops working at once.`,
		Example: `  hence token add ci --namespace builds --read-only
  hence token list
  hence token revoke ci`,
		Args: cobra.ArbitraryArgs,
		RunE: onlyCommands,
	}
	cmd.AddCommand(s.tokenAdd(), s.tokenList(), s.tokenRevoke())
	return cmd
}

func (s *session) tokenAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token, and print it this once",
		Args:  count{1, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			// --read-only is about the token here, and not about the store.
			t := token.Token{Name: strings.TrimSpace(words[0]), Namespace: s.namespace, ReadOnly: s.readOnly}
			s.readOnly = false
			return s.withStore(cmd.Context(), false, func(ctx context.Context, d *db.DB) error {
				secret, err := token.Add(ctx, d, s.person().Actor, t)
				if err != nil {
					return err
				}
				if err := s.printToken(t, secret); err != nil { // nobody will ever know it
					err = fault.Wrap(fault.Unavailable, err, "token add %s: the token could not be printed, and does not stay", t.Name)
					return errors.Join(err, token.Revoke(ctx, d, s.person().Actor, t.Name))
				}
				return nil
			})
		},
	}
}

func (s *session) printToken(t token.Token, secret string) error {
	if s.asJSON {
		return printJSON(s.out, map[string]any{"name": t.Name, "namespace": t.Namespace, "read_only": t.ReadOnly, "token": secret})
	}
	_, err := fmt.Fprintln(s.out, secret)
	return err
}

func (s *session) tokenList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Show the tokens there are",
		Args:  count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withStore(cmd.Context(), true, func(ctx context.Context, d *db.DB) error {
				all, err := token.List(ctx, d)
				if err != nil {
					return err
				}
				if s.asJSON {
					return printJSON(s.out, map[string]any{"tokens": all, "returned_count": len(all), "truncated": false})
				}
				return drawTokens(screen.PageFor(s.out), all)
			})
		},
	}
}

func drawTokens(p *screen.Page, all []token.Token) error {
	if len(all) == 0 {
		p.Line(screen.Text("there is no token; hence token add makes one"))
		return p.Close()
	}
	rows := [][]screen.Span{}
	for _, t := range all {
		sees, may := t.Namespace, "read and write"
		if sees == "" {
			sees = "everything"
		}
		if t.ReadOnly {
			may = "read"
		}
		rows = append(rows, []screen.Span{screen.Text(t.Name), screen.Text(sees), screen.Text(may), screen.Text(day(t.CreatedAt))})
	}
	// A name is shown whole, since hence token revoke asks for it.
	p.Table([]screen.Column{{Head: "name"}, {Head: "sees", Min: 8}, {Head: "may"}, {Head: "made"}}, rows)
	return p.Close()
}

func (s *session) tokenRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "Take a token back",
		Args:  count{1, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			return s.withStore(cmd.Context(), true, func(ctx context.Context, d *db.DB) error {
				if err := token.Revoke(ctx, d, s.person().Actor, words[0]); err != nil {
					return err
				}
				if s.asJSON {
					return printJSON(s.out, map[string]any{"name": words[0], "revoked": true})
				}
				p := screen.PageFor(s.out)
				p.Line(screen.Text("revoked " + words[0]))
				return p.Close()
			})
		},
	}
}

// withStore opens the store for one errand, and closes it. An errand that only
// reads does not make a new one.
func (s *session) withStore(ctx context.Context, reads bool, do func(context.Context, *db.DB) error) (err error) {
	d, err := s.open(ctx, reads)
	if err != nil {
		return asFault(err)
	}
	defer func() { err = asFault(errors.Join(err, d.Close())) }()
	return do(ctx, d)
}
