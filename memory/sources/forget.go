package sources

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/journal"
)

// ForgetArgs are the arguments of Forget.
type ForgetArgs struct {
	From   string `json:"from"`            // the place, see Args
	Since  string `json:"since,omitempty"` // only memories stored, or edited by the actor, from then on
	Reason string `json:"reason,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

// Forgotten is the result of Forget. Rested lists memories that stay although they depend
// on a forgotten one or are a part of it: they may be stale now.
type Forgotten struct {
	From       string `json:"from"`
	Forgotten  int    `json:"forgotten"`
	Memories   []Node `json:"memories"`              // the first of the forgotten memories
	TakenBack  []Node `json:"taken_back,omitempty"`  // memories of others that the actor edited: their earlier text is back
	Rested     []Node `json:"rested"`                // the first of the memories that stay
	RestedMore bool   `json:"rested_more,omitempty"` // there are more than Rested lists
	DryRun     bool   `json:"dry_run,omitempty"`
	belief.Consequences
	Warnings []string `json:"warnings"`
}

const maxListed = 100 // memories of a list

// Forget forgets all memories that came from a place since a time, as one batch for undo.
// For an actor, memories of others that the actor edited get their earlier text back. Files
// of vaults and repositories stay, and a warning counts them. It fails with not_found if
// nothing came from there, with too_large if there are more memories than undo takes back
// at once, and with conflict if somebody edits one of them at the same time.
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
	c.CleanInPlace(&a.Reason)
	done = Forgotten{Memories: []Node{}, Rested: []Node{}, DryRun: a.DryRun, Consequences: belief.NoConsequences(), Warnings: append([]string{}, c.Warnings()...)}
	ids, restores := []string{}, []db.Stmt{}
	var watch belief.Watch
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		from, err := s.parse(ctx, r, a.From)
		if err != nil {
			return err
		}
		if ids, err = s.findForgettable(ctx, r, from, since, &done); err != nil {
			return err
		}
		changedIDs := slices.Clone(ids)
		for _, n := range done.TakenBack {
			statements, err := restoreText(ctx, r, n.ID, from.value, since)
			if err != nil {
				return err
			}
			restores, changedIDs = append(restores, statements...), append(changedIDs, n.ID)
		}
		watch, err = belief.NewWatch(ctx, r, changedIDs...)
		return err
	})
	if err != nil || a.DryRun || len(ids)+len(restores) == 0 {
		return done, err
	}
	_, err = s.DB.Write(ctx, s.Caller.Actor, db.Now(), append(restores, memory.ForgetStatement(a.Reason, ids...))...)
	if err != nil {
		return done, err
	}
	done.Consequences, err = db.From(ctx, s.DB.ReadBack, func(r *db.Reader) (belief.Consequences, error) { return watch.Consequences(ctx, r) })
	return done, err
}

// findForgettable returns the ids of the memories to forget. It lists in done these, the
// memories that get an earlier text back, and the memories that depend on the former.
func (s Store) findForgettable(ctx context.Context, r *db.Reader, from place, since string, done *Forgotten) (ids []string, err error) {
	done.From = from.String()
	roots, err := s.roots(ctx, r, from, since)
	if err != nil {
		return nil, err
	}
	forgettable, files := []Node{}, 0
	for _, n := range roots {
		if n.file {
			files++
			continue
		}
		if n.Edited {
			done.TakenBack = append(done.TakenBack, n)
			continue
		}
		forgettable, ids = append(forgettable, n), append(ids, n.ID)
	}
	if n := len(forgettable) + len(done.TakenBack); n > journal.MaxUndone {
		return nil, fault.New(fault.TooLarge, "forget: %d memories came from there, and undo takes back at most %d at once; narrow it by --since, or name a part of the address", n, journal.MaxUndone)
	}
	if files > 0 {
		done.Warnings = append(done.Warnings, fmt.Sprintf("%s of vaults or repositories stay; remove the files, and import the folder again", plural.Count(files, "file", "files")))
	}
	done.Forgotten, done.Memories = len(forgettable), append(done.Memories, forgettable[:min(len(forgettable), maxListed)]...)
	nodes, err := s.tree(ctx, r, forgettable, len(forgettable)+maxListed+1)
	for _, n := range nodes {
		if n.Depth > 0 {
			done.Rested = append(done.Rested, n)
		}
	}
	if done.RestedMore = len(done.Rested) > maxListed; done.RestedMore {
		done.Rested = done.Rested[:maxListed]
	}
	return ids, err
}

// restoreText returns the statements that restore the text and source that a memory had before
// the actor's edits. It undoes the edits since a time that come after the last change of the
// text by another actor.
func restoreText(ctx context.Context, r *db.Reader, id, actor, since string) ([]db.Stmt, error) {
	edits, err := db.Select(ctx, r, db.Value[string], `
select j.before
from journal j
where j.id = ?1
  and j.action = 'update'
  and j.actor = ?2
  and j.at >= ?3
  and j.seq > coalesce(
    (
      select max(j.seq)
      from journal j
      where j.id = ?1
        and j.actor <> ?2
        and `+isTextChange+`
    ),
    0
  )
order by j.seq desc`, id, actor, since)
	if err != nil {
		return nil, err
	}
	before := map[string]any{}
	for _, edit := range edits { // the earliest edit comes last and overwrites the others
		if err := json.Unmarshal([]byte(edit), &before); err != nil {
			return nil, err
		}
	}
	revision, _, err := db.One[int64](ctx, r, `select revision from memories where id = ?`, id)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(before, func(name string, _ any) bool {
		return !slices.Contains([]string{"title", "content", "source", "source_url"}, name)
	})
	return []db.Stmt{
		db.Expect(`(select revision from memories where id = ?1) = ?2`,
			fault.New(fault.Conflict, "forget: somebody edited memory %s at the same time; try again", id), id, revision),
		journal.RestoreStatement(id, db.List(before)),
	}, nil
}
