package sources

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

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
	Memories   []Node `json:"memories"`             // the first of them
	TakenBack  []Node `json:"taken_back,omitempty"` // what the actor edited and another wrote: it has its text from before
	Rested     []Node `json:"rested"`               // the first of those that go back to them
	RestedMore bool   `json:"rested_more,omitempty"`
	DryRun     bool   `json:"dry_run,omitempty"`
	belief.Consequences
	Warnings []string `json:"warnings"`
}

const shown = 100 // memories of a list

// Forget forgets all that came from a place since a time, as one change for undo. What an
// actor edited, and another wrote, gets the text that it had before. Files of
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
	ids, undone := []string{}, []db.Stmt{}
	var watch belief.Watch
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		from, err := s.parse(ctx, r, a.From)
		if err != nil {
			return err
		}
		if ids, err = s.goes(ctx, r, from, since, &done); err != nil {
			return err
		}
		touched := slices.Clone(ids)
		for _, n := range done.TakenBack {
			statements, err := takeBack(ctx, r, n.ID, from.value, since)
			if err != nil {
				return err
			}
			undone, touched = append(undone, statements...), append(touched, n.ID)
		}
		watch, err = belief.NewWatch(ctx, r, touched...)
		return err
	})
	if err != nil || a.DryRun || len(ids)+len(undone) == 0 {
		return done, err
	}
	_, err = s.DB.Write(ctx, s.Caller.Actor, db.Now(), append(undone, db.S(`
update memories
set
  status = 'forgotten',
  forgotten_at = (select at from writer),
  forget_reason = nullif(?2, '')
where id in (select value from json_each(?1))
  and status <> 'forgotten'`, db.List(ids), a.Reason))...)
	if err != nil {
		return done, err
	}
	return done, s.DB.Read(ctx, func(r *db.Reader) error {
		done.Consequences, err = watch.Consequences(ctx, r)
		return err
	})
}

// goes finds what is forgotten, and describes it and what rests on it.
func (s Store) goes(ctx context.Context, r *db.Reader, from place, since string, done *Forgotten) (ids []string, err error) {
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
		if n.Edited {
			done.TakenBack = append(done.TakenBack, n)
			continue
		}
		going, ids = append(going, n), append(ids, n.ID)
	}
	if n := len(going) + len(done.TakenBack); n > memory.MaxUndone {
		return nil, fault.New(fault.TooLarge, "forget: %d memories came from there, and undo takes back at most %d at once; narrow it by --since, or name a part of the address", n, memory.MaxUndone)
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

// takeBack returns the statements that give a memory the text and source that it had before
// the last edits of an actor since a time.
func takeBack(ctx context.Context, r *db.Reader, id, actor, since string) ([]db.Stmt, error) {
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
        and `+ofText+`
    ),
    0
  )
order by j.seq desc`, id, actor, since)
	if err != nil {
		return nil, err
	}
	before := map[string]any{}
	for _, edit := range edits { // the first edit last: it stands
		if err := json.Unmarshal([]byte(edit), &before); err != nil {
			return nil, err
		}
	}
	revision, _, err := db.One[int64](ctx, r, `select revision from memories where id = ?`, id)
	if err != nil {
		return nil, err
	}
	hash := any(nil)
	if content, ok := before["content"].(string); ok {
		hash = db.Hash(content)
	}
	isOf := func(name string) bool { _, ok := before[name]; return ok }
	return []db.Stmt{
		db.Expect(`(select revision from memories where id = ?1) = ?2`,
			fault.New(fault.Conflict, "forget: a memory was edited meanwhile; try again"), id, revision),
		db.S(`
update memories
set
  title = coalesce(?2, title),
  content = coalesce(?3, content),
  content_hash = coalesce(?4, content_hash),
  source = iif(?5, ?6, source),
  source_url = iif(?7, ?8, source_url)
where id = ?1`, id, before["title"], before["content"], hash, isOf("source"), before["source"], isOf("source_url"), before["source_url"]),
	}, nil
}
