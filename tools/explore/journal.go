package explore

import (
	"context"
	"time"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/memory/replay"
	"hence/tools"
	"hence/vault/writing"
)

// DaysArgs choose the number of days to count.
type DaysArgs struct {
	Days int `json:"days,omitempty" default:"30" min:"1" max:"366" jsonschema:"today included"`
}

// Day counts the changes of one day, in UTC.
type Day struct {
	Day       string `json:"day" jsonschema:"2026-11-21"`
	Changes   int    `json:"changes" jsonschema:"of any sort"`
	Stored    int    `json:"stored" jsonschema:"memories that are new"`
	Revised   int    `json:"revised" jsonschema:"edits of memories"`
	Linked    int    `json:"linked" jsonschema:"edges that are new"`
	Forgotten int    `json:"forgotten" jsonschema:"memories forgotten"`
}

// Days counts the changes of each day up to today, the earliest first. It includes days without
// changes.
func (q reader) Days(ctx context.Context, a DaysArgs) ([]Day, error) {
	if err := args.Check("days", &a); err != nil {
		return nil, err
	}
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-a.Days)
	days, indexes := make([]Day, a.Days), map[string]int{}
	for i := range days {
		days[i].Day = first.AddDate(0, 0, i).Format(time.DateOnly)
		indexes[days[i].Day] = i
	}
	counts, err := db.Select(ctx, q.DB, db.Fields(func(d *Day) []any {
		return []any{&d.Day, &d.Changes, &d.Stored, &d.Revised, &d.Linked, &d.Forgotten}
	}), selectDays, q.Caller.Namespace, db.Time(first))
	for _, d := range counts {
		if i, ok := indexes[d.Day]; ok { // skips later days, which a clock that was ahead may have written
			days[i] = d
		}
	}
	return days, err
}

const selectDays = `
select
  substr(j.at, 1, 10),
  count(*),
  count(*) filter (where j.action = 'store'),
  count(*) filter (where j.action = 'update'),
  count(*) filter (where j.action = 'link'),
  count(*) filter (where j.action = 'forget')
from journal j
where j.at >= ?2
  and (
    ?1 = ''
    or j.thing = 'memory' and ?1 = (select namespace from memories where id = j.id)
    or j.thing = 'edge' and ?1 = coalesce(
      (select m.namespace from edges e join memories m on m.key = e.from_key where e.id = j.id),
      -- an edge that is gone: what was kept of it when it went
      (select m.namespace from journal u join memories m on m.id = u.before ->> '$.from' where u.id = j.id limit 1)
    )
  )
group by 1`

// UndoResult lists what was undone: changes of the store, or files.
type UndoResult struct {
	journal.UndoResult
	Files *writing.UndoResult `json:"files,omitempty"`
}

// undo undoes a batch of changes as the command line does. If the batch wrote files, the caller must be able to call the
// tool that wrote them; what clients did to their own files asks the person's permission by itself. Journal.Undo refuses
// other changes of files, such as an import, which only the command line undoes.
func (a *API) undo(ctx context.Context, args journal.UndoArgs) (UndoResult, error) {
	v := ref.View{DB: a.db, Caller: a.caller}
	changes := journal.Journal(v)
	batch, wroteFiles, err := changes.VaultBatch(ctx, args)
	for wroteFiles && err == nil && batch.Operation == "undo" {
		batch, err = changes.BatchByNumber(ctx, batch.Undoes)
	}
	if err != nil {
		return UndoResult{}, err
	}
	tool, offered := a.calls[callPath+batch.Operation]
	if wroteFiles && !(offered && tool.refusal == "") && !(batch.OfAgents && !batch.First) {
		done, err := changes.Undo(ctx, args)
		return UndoResult{UndoResult: done}, err
	}
	done, err := tools.Undo(ctx, v, args)
	if done.Files != nil {
		return UndoResult{journal.UndoResult{Undone: []journal.Change{}, By: done.Files.By}, done.Files}, err
	}
	return UndoResult{UndoResult: done.Result.(journal.UndoResult)}, err
}

// ChangesResult is a page of the journal.
type ChangesResult struct {
	journal.LogResult
	Rejections []Rejection `json:"rejections"` // of the same time
}

// Changes lists changes, the latest first.
func (q reader) Changes(ctx context.Context, a journal.LogArgs) (result ChangesResult, err error) {
	if result.LogResult, err = journal.Journal(q).Log(ctx, a); err != nil {
		return result, err
	}
	since := ""
	if n := len(result.Changes); result.Truncated && n > 0 {
		since = result.Changes[n-1].At
	}
	result.Rejections, err = db.Select(ctx, q.DB, db.Fields(func(r *Rejection) []any { return []any{&r.At, &r.What, &r.Title, &r.Count, &r.By} }),
		selectRejections, q.Caller.Actor, q.Caller.Namespace, since, a.Limit, q.Caller.IsPerson())
	return result, err
}

// Replay returns what a conversation was shown, or the conversations, without asking again.
func (q reader) Replay(ctx context.Context, a replay.Args) (replay.Result, error) {
	return replay.Reader(q).Replay(ctx, a, nil)
}
