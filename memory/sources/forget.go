package sources

import (
	"context"
	"fmt"

	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/secret"
	"hence/memory"
)

// ForgetArgs name the place whose memories are forgotten.
type ForgetArgs struct {
	From   string `json:"from"`
	Since  string `json:"since,omitempty"`
	Reason string `json:"reason,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

// Forgotten says what was forgotten, and what goes back to it and stays: it is stale now,
// or a part of it.
type Forgotten struct {
	From       string `json:"from"`
	Forgotten  int    `json:"forgotten"`
	Memories   []Node `json:"memories"` // the first of them
	Rested     []Node `json:"rested"`   // the first of those that go back to them
	RestedMore bool   `json:"rested_more,omitempty"`
	DryRun     bool   `json:"dry_run,omitempty"`
	belief.Consequences
	Warnings []string `json:"warnings"`
}

const shown = 100 // memories of a list

// Forget forgets all that came from a place since a time, as one change for undo. Files of
// vaults and repositories stay, and a warning counts them. It fails with not_found if
// nothing came from there, and with too_large beyond what undo takes back at once.
func (s Store) Forget(ctx context.Context, a ForgetArgs) (done Forgotten, err error) {
	if err := args.Check("forget", &a); err != nil {
		return done, err
	}
	if err := db.CheckText("forget", "reason", a.Reason, 4000); err != nil {
		return done, err
	}
	since, err := db.ParseTime("since", a.Since)
	if err != nil {
		return done, err
	}
	var c secret.Cleaner
	c.CleanIn(&a.Reason)
	done = Forgotten{Memories: []Node{}, Rested: []Node{}, DryRun: a.DryRun, Consequences: belief.NoConsequences(), Warnings: append([]string{}, c.Warnings()...)}
	ids := []string{}
	var watch belief.Watch
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if ids, err = s.goes(ctx, r, a.From, since, &done); err != nil {
			return err
		}
		watch, err = belief.Before(ctx, r, ids...)
		return err
	})
	if err != nil || a.DryRun || len(ids) == 0 {
		return done, err
	}
	_, err = s.DB.Write(ctx, s.Caller.Actor, db.Now(), db.S(`
update memories
set
  status = 'forgotten',
  forgotten_at = (select at from writer),
  forget_reason = nullif(?2, '')
where id in (select value from json_each(?1))
  and status <> 'forgotten'`, db.List(ids), a.Reason))
	if err != nil {
		return done, err
	}
	return done, s.DB.Read(ctx, func(r *db.Reader) error {
		done.Consequences, err = watch.After(ctx, r)
		return err
	})
}

// goes finds what is forgotten, and describes it and what rests on it.
func (s Store) goes(ctx context.Context, r *db.Reader, name, since string, done *Forgotten) (ids []string, err error) {
	from, err := s.parse(ctx, r, name)
	if err != nil {
		return nil, err
	}
	done.From = from.String()
	roots, err := s.roots(ctx, r, from, since)
	if err != nil {
		return nil, err
	}
	going, files := []Node{}, 0
	for _, n := range roots {
		if n.file {
			files++
			continue
		}
		going, ids = append(going, n), append(ids, n.ID)
	}
	if len(going) > memory.MaxUndone {
		return nil, fault.New(fault.TooLarge, "forget: %d memories came from there, and undo takes back at most %d at once; narrow it by --since, or name a part of the address", len(going), memory.MaxUndone)
	}
	if files > 0 {
		done.Warnings = append(done.Warnings, fmt.Sprintf("%s of vaults or repositories stay; remove the files, and import the folder again", plural.Count(files, "file", "files")))
	}
	done.Forgotten, done.Memories = len(going), append(done.Memories, going[:min(len(going), shown)]...)
	all, err := s.tree(ctx, r, going, len(going)+shown+1)
	for _, n := range all {
		if n.Depth > 0 {
			done.Rested = append(done.Rested, n)
		}
	}
	if done.RestedMore = len(done.Rested) > shown; done.RestedMore {
		done.Rested = done.Rested[:shown]
	}
	return ids, err
}
