package main

import (
	"bufio"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
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
		id := ""
		if len(words) > 0 {
			id = words[0]
		}
		return s.withStore(cmd.Context(), o.dry, func(d *db.DB) error {
			e := erase.Store{DB: d, Caller: s.person()}
			switch {
			case o.agents != "":
				return s.letErase(cmd.Context(), d, o.agents)
			case id == "" && o.from == "":
				return s.receipts(cmd.Context(), e)
			}
			return s.erase(cmd.Context(), e, erase.Args{ID: id, From: o.from}, o)
		})
	})
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "erase all that came from this `source`, address, actor or session: see hence trust")
	f.BoolVar(&o.yes, "yes", false, "do not ask; what is below is kept unless --all is given")
	f.BoolVar(&o.all, "all", false, "with --yes: purge what is below too, but for your files")
	f.StringArrayVar(&o.keep, "keep", nil, "with --all: keep this `memory`")
	f.StringArrayVar(&o.rewrite, "rewrite", nil, "give a memory below another text, as `memory=text`")
	f.BoolVar(&o.dry, "dry-run", false, "only list what is below")
	f.StringVar(&o.agents, "agents", "", "`allow` agents to erase what they stored, or forbid it")
	return cmd
}

// erase erases a memory, or what came from a place, after asking for each of what is below.
func (s *session) erase(ctx context.Context, e erase.Store, a erase.Args, o eraseOptions) error {
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
	if !o.yes && !o.dry {
		if s.asJSON || !screen.IsTerminal(s.in) {
			return fault.New(fault.InvalidArgument, "erase: what is erased cannot come back; look with --dry-run, then give --yes, and --all for what is below too")
		}
		listed, err := e.Erase(ctx, a)
		if err != nil {
			return err
		}
		if a.Also, err = s.tick(listed); err != nil {
			return err
		}
	}
	dry := o.dry
	a.DryRun = &dry
	done, err := e.Erase(ctx, a)
	if err != nil {
		return err
	}
	err = s.print(done, func() show.Doc { return show.Erased(done) })
	if r := done.Receipt; err == nil && r != nil && len(r.Found)+len(r.Unfinished) > 0 {
		err = fault.New(fault.Unavailable, "erase: parts of the text still stand where it says; erase what holds them, or run hence erase again")
	}
	return err
}

// tick asks what to do with each memory below what is erased, and whether to erase.
func (s *session) tick(listed erase.Result) (also []erase.Choice, err error) {
	if err := s.draw(s.err, show.Erased(listed)); err != nil {
		return nil, err
	}
	answers := bufio.NewReader(s.input())
	read := func(question string) string {
		_, _ = s.err.Write([]byte(screen.Clean(question)))
		answer, _ := answers.ReadString('\n')
		return strings.TrimSpace(answer)
	}
	for _, t := range listed.Below {
		if t.File != "" {
			continue
		}
		c := erase.Choice{ID: t.ID, Do: t.Do}
		switch strings.ToLower(read(t.Text() + ": purge, rewrite or keep? [" + t.Do + "] ")) {
		case "p", erase.Purge:
			c.Do = erase.Purge
		case "k", erase.Keep:
			c.Do = erase.Keep
		case "r", erase.Rewrite:
			if c.Do, c.Content = erase.Rewrite, read("its new text: "); c.Content == "" {
				c.Do = erase.Keep
			}
		}
		also = append(also, c)
	}
	if answer := strings.ToLower(read("Erase this for good? [y/N] ")); answer != "y" && answer != "yes" {
		return nil, fault.New(fault.InvalidArgument, "erase: nothing was changed")
	}
	return also, nil
}

// receipts finishes what an interrupted erasure left, and prints all receipts.
func (s *session) receipts(ctx context.Context, e erase.Store) error {
	_, err := e.Finish(ctx)
	if err != nil {
		return err
	}
	all, err := e.Receipts(ctx)
	if err != nil {
		return err
	}
	return s.print(listed[erase.Receipt]{"receipts", all}, func() (d show.Doc) {
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
	})
}

// letErase allows agents to erase, or forbids it.
func (s *session) letErase(ctx context.Context, d *db.DB, what string) error {
	allow := what == "allow"
	if !allow && what != "forbid" {
		return fault.New(fault.InvalidArgument, "erase: --agents is %q, and must be allow or forbid", what)
	}
	records, err := permit.Of(ctx, d, d)
	if err == nil {
		err = records.LetErase(allow)
	}
	if err != nil {
		return err
	}
	return s.print(map[string]bool{"agents_may_erase": allow}, func() (d show.Doc) {
		d.Add("", good(map[bool]string{true: "allowed ", false: "forbade "}[allow]), "agents to erase what they stored")
		return d
	})
}

// purged is a memory that was forgotten for good, with the receipt of it.
type purged struct {
	memory.ForgetResult
	Receipt *erase.Receipt `json:"receipt,omitempty"`
}

// forgetOrErase forgets a memory, or erases it without a list.
func forgetOrErase(ctx context.Context, _ *session, v ref.View, a memory.ForgetArgs) (done purged, err error) {
	if !a.Purge {
		done.ForgetResult, err = memory.Store(v).Forget(ctx, a)
		return done, err
	}
	done.ForgetResult, done.Receipt, err = erase.Store(v).Forget(ctx, a)
	return done, err
}
