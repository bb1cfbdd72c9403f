package main

import (
	"bufio"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/erase"
	"hence/tools/show"
)

// eraseOptions are the flags of hence erase.
type eraseOptions struct {
	from, agents  string
	yes, all, dry bool
	keep, rewrite []string
}

func eraseCommand(s *session) *cobra.Command {
	o := eraseOptions{}
	cmd := bare("erase", count{0, 1}, func(cmd *cobra.Command, words []string) error {
		switch ctx := cmd.Context(); {
		case o.agents != "":
			return calling("erase", "", letErase, showLetErase).opening(!o.dry).run(ctx, s, o.agents)
		case len(words) == 0 && o.from == "":
			return listing("erase", "receipts", receiptsOf, showReceipts).opening(!o.dry).run(ctx, s, noArguments{})
		default:
			return s.erase(ctx, erase.Args{ID: strings.Join(words, ""), From: o.from}, o)
		}
	})
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "erase all that came from this `source`, address, actor or session: see hence trust")
	f.BoolVar(&o.yes, "yes", false, "do not ask; what is below is kept unless --all is given")
	f.BoolVar(&o.all, "all", false, "with --yes: do what is proposed for what is below")
	f.StringArrayVar(&o.keep, "keep", nil, "with --all: keep this `memory`")
	f.StringArrayVar(&o.rewrite, "rewrite", nil, "give a memory below another text, as `memory=text`")
	f.BoolVar(&o.dry, "dry-run", false, "only list what is below")
	f.StringVar(&o.agents, "agents", "", "`allow` agents to erase what they stored, or forbid it")
	return cmd
}

// erase erases a memory, or what came from a place, after asking for each of what is below.
func (s *session) erase(ctx context.Context, a erase.Args, o eraseOptions) error {
	a.All = o.all
	for _, name := range o.keep {
		a.Also = append(a.Also, erase.Choice{ID: name, Do: erase.Keep})
	}
	for _, given := range o.rewrite {
		name, text, ok := strings.Cut(given, "=")
		if !ok || name == "" || text == "" {
			return fault.New(fault.InvalidArgument, "erase: --rewrite %q is not memory=text", given)
		}
		a.Also = append(a.Also, erase.Choice{ID: name, Do: erase.Rewrite, Content: text})
	}
	if !o.yes && !o.dry && (s.asJSON || !screen.IsTerminal(s.in)) {
		return fault.New(fault.InvalidArgument, "erase: what is erased cannot come back; look with --dry-run, then give --yes, and --all for what is below too")
	}
	m := calling("erase", "", func(ctx context.Context, v ref.View, a erase.Args) (result erase.Result, err error) {
		if !o.yes && !o.dry {
			if result, err = erase.Store(v).Erase(ctx, a); err == nil {
				a.Also, err = s.tick(result)
			}
			if err != nil {
				return result, err
			}
		}
		a.DryRun = &o.dry
		return erase.Store(v).Erase(ctx, a)
	}, show.Erased).opening(!o.dry)
	m.after = func(_ context.Context, _ *session, _ ref.View, done erase.Result) error {
		if r := done.Receipt; r != nil && len(r.Found)+len(r.Unfinished) > 0 {
			return fault.New(fault.Unavailable, "erase: parts of the text still stand where it says; erase what holds them, or run hence erase again")
		}
		return nil
	}
	return m.run(ctx, s, a)
}

// tick asks what to do with each memory below what is erased, and whether to erase.
func (s *session) tick(listed erase.Result) (also []erase.Choice, err error) {
	if err := s.draw(s.err, show.Erased(listed)); err != nil {
		return nil, err
	}
	answers := bufio.NewReader(s.input())
	for _, t := range listed.Below {
		if t.File != "" {
			continue
		}
		c := erase.Choice{ID: t.ID, Do: t.Do}
		switch strings.ToLower(s.asks(answers, t.Text()+": purge, rewrite or keep? ["+t.Do+"] ")) {
		case "p", erase.Purge:
			c.Do = erase.Purge
		case "k", erase.Keep:
			c.Do = erase.Keep
		case "r", erase.Rewrite:
			if c.Do, c.Content = erase.Rewrite, s.asks(answers, "its new text: "); c.Content == "" {
				c.Do = erase.Keep
			}
		}
		also = append(also, c)
	}
	if !isYes(s.asks(answers, "Erase this for good? [y/N] ")) {
		return nil, fault.New(fault.InvalidArgument, "erase: nothing was changed")
	}
	return also, nil
}

// receiptsOf finishes what an interrupted erasure left, and returns all receipts.
func receiptsOf(ctx context.Context, v ref.View) ([]erase.Receipt, error) {
	if _, err := erase.Store(v).Finish(ctx); err != nil {
		return nil, err
	}
	return erase.Store(v).Receipts(ctx)
}

func showReceipts(all []erase.Receipt) (d show.Doc) {
	for _, r := range all {
		for _, t := range r.Erased {
			d.Add("", good(t.Do+" "), t.ID)
		}
		d = append(d, show.Receipt(r)...)
	}
	if len(all) == 0 {
		d.Add("", "nothing was erased")
	}
	return d
}

// letErase allows agents to erase, or forbids it.
func letErase(ctx context.Context, v ref.View, what string) (map[string]bool, error) {
	allow := what == "allow"
	if !allow && what != "forbid" {
		return nil, fault.New(fault.InvalidArgument, "erase: --agents is %q, and must be allow or forbid", what)
	}
	err := permit.With(ctx, v.DB, func(r permit.Records) error { return r.LetErase(allow) })
	return map[string]bool{"agents_may_erase": allow}, err
}

func showLetErase(r map[string]bool) show.Doc {
	return show.OneLine(good(map[bool]string{true: "allowed ", false: "forbade "}[r["agents_may_erase"]]), "agents to erase what they stored")
}

// purged is a memory that was forgotten for good, with the receipt of it.
type purged struct {
	memory.ForgetResult
	Receipt *erase.Receipt `json:"receipt,omitempty"`
}

// forgetOrErase forgets a memory, or erases it without a list.
func forgetOrErase(ctx context.Context, v ref.View, a forgetArgs) (done purged, err error) {
	if !a.Purge {
		done.ForgetResult, err = memory.Store(v).Forget(ctx, a.ForgetArgs)
		return done, err
	}
	done.ForgetResult, done.Receipt, err = erase.Store(v).Forget(ctx, a.ForgetArgs)
	return done, err
}
