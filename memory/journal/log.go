// Package journal lists what was changed in a store, and undoes it. Triggers of the
// schema write a row for every change, whoever makes it.
//
// A batch is the unit that undo takes back: one transaction of db.Write, or all
// transactions of a command such as an import. The log shows it on one line. The
// changes that an import of lines made can also be undone one by one.
//
// An undo is planned on a snapshot. Its transaction expects that the journal has not
// grown since; otherwise it is planned again. A memory that was stored is forgotten
// and not deleted, so that an undo can be undone.
package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
)

// Journal lists and undoes the changes of a store for one caller.
type Journal ref.View

// Change is one row of the journal.
type Change struct {
	Seq      int64  `json:"seq"`
	At       string `json:"at"`
	Actor    string `json:"actor"`
	Action   string `json:"action" jsonschema:"store, update, supersede, reinstate, forget, restore, verify, purge, link, relink or unlink; of a batch the command"`
	Thing    string `json:"thing" jsonschema:"memory, edge or batch"`
	ID       string `json:"id"`
	Title    string `json:"title" jsonschema:"of the memory, or of the edge's from; empty when it has been purged; of a batch what it is about"`
	What     string `json:"what" jsonschema:"what changed, or the edge"`
	UndoneBy int64  `json:"undone_by,omitempty" jsonschema:"the change that took it back"`
	Trust    string `json:"trust,omitempty"` // of the memory that Title names: see ref.Named
	ToTrust  string `json:"-"`               // of the memory whose title What ends with

	before    json.RawMessage // the old values, or all of a deleted edge
	from, to  string          // ids of the ends of an existing edge
	namespace string          // "" if the memory, or an end of the edge, was purged
}

// LogArgs say which changes to list.
type LogArgs struct {
	ID      string `json:"id,omitempty" jsonschema:"only changes of this memory and of its edges"`
	Since   string `json:"since,omitempty" jsonschema:"only changes from this time on: a time, a date, 2026-03, 7d"`
	Limit   int    `json:"limit,omitempty" default:"20" min:"1" max:"1000"`
	Before  int64  `json:"before,omitempty" min:"1" jsonschema:"next from the previous response"`
	Batches bool   `json:"batches,omitempty" jsonschema:"one line for all that an import or a write of notes did"`
}

// LogResult is a page of the journal, the latest change first.
type LogResult struct {
	Changes       []Change `json:"changes"`
	ReturnedCount int      `json:"returned_count"`
	Truncated     bool     `json:"truncated"`
	Next          int64    `json:"next,omitempty" jsonschema:"before of the next page"`
}

// Log lists changes, the latest first. With Batches, all changes of a batch are
// one line, with the number of the last of them.
func (j Journal) Log(ctx context.Context, a LogArgs) (result LogResult, err error) {
	if err := args.Check("log", &a); err != nil {
		return result, err
	}
	since, err := db.ParseTime("since", a.Since)
	if err != nil {
		return result, err
	}
	err = j.DB.Read(ctx, func(r *db.Reader) error {
		id := ""
		if a.ID != "" {
			m, err := j.Caller.Find(ctx, r, a.ID)
			if err != nil {
				return err
			}
			id = m.ID
		}
		result.Changes, err = db.Select(ctx, r, scanChange, selectLog, j.Caller.Namespace, id, a.Before, a.Limit+1, since, a.Batches)
		if err != nil || !a.Batches {
			return err
		}
		batches, err := db.Select(ctx, r, scanBatch, selectBatches, j.Caller.Namespace, id, a.Before, a.Limit+1, since)
		result.Changes = append(result.Changes, lists.Map(batches, Batch.asChange)...)
		slices.SortFunc(result.Changes, func(a, b Change) int { return cmp.Compare(b.Seq, a.Seq) })
		return err
	})
	if err != nil {
		return result, err
	}
	if result.Truncated = len(result.Changes) > a.Limit; result.Truncated {
		result.Changes = result.Changes[:a.Limit]
		result.Next = result.Changes[a.Limit-1].Seq
	}
	result.ReturnedCount = len(result.Changes)
	return result, nil
}

// selectChange is the view change_list, with the ends of existing edges only.
const selectChange = `
select
  j.seq,
  j.at,
  j.actor,
  j.action,
  j.thing,
  j.id,
  coalesce(j.title, ''),
  j.what,
  coalesce(j.undone_by, 0),
  coalesce(j.before, '{}'),
  iif(j.there, coalesce(j.from_id, ''), ''),
  iif(j.there, coalesce(j.to_id, ''), ''),
  coalesce(j.namespace, ''),
  ` + markOf + `iif(j.thing = 'memory', j.id, j.from_id)), ''),
  ` + markOf + `iif(j.thing = 'memory', '', j.to_id)), '')
from change_list j
`

// markOf begins an SQL expression: the mark of the memory whose id follows.
const markOf = `coalesce((
    select t.mark
    from memories m
    cross join trusts t on t.memory = m.key
    where ` + ref.LeastRank + ` < 4
      and m.id = `

const selectLog = selectChange + `
where ?1 in ('', j.namespace)
  and (?2 = '' or ?2 in (j.from_id, j.to_id) or j.thing = 'memory' and j.id = ?2)
  and (?3 = 0 or j.seq < ?3)
  and j.at >= ?5
  and not (
    ?6
    and exists (select 1 from batches a where a.batch = j.batch and ` + batchShown + `)
  )
order by j.seq desc
limit ?4`

// batchShown is an SQL condition: the batch is shown on one line. A caller of one
// namespace is shown single changes of a batch that may have changed several, and so
// is a request for the changes of one memory.
const batchShown = `a.changes > 0 and ?1 in ('', a.namespace) and ?2 = ''`

const selectBatches = selectBatch + `
where ` + batchShown + `
  and (?3 = 0 or a.upto < ?3)
  and a.at >= ?5
order by a.upto desc
limit ?4`

func scanChange(row *sql.Rows) (c Change, err error) {
	var before string
	err = row.Scan(
		&c.Seq, &c.At, &c.Actor, &c.Action, &c.Thing, &c.ID, &c.Title, &c.What, &c.UndoneBy, &before, &c.from, &c.to, &c.namespace, &c.Trust, &c.ToTrust,
	)
	c.before = json.RawMessage(before)
	c.What += ref.Named{Trust: c.ToTrust}.Mark() // it ends with the title
	return c, err
}

// changeAt reads a change by its number. It fails with not_found.
func (j Journal) changeAt(ctx context.Context, r *db.Reader, seq int64) (Change, error) {
	c, ok, err := db.First(ctx, r, scanChange, selectChange+`where j.seq = ?2 and ?1 in ('', j.namespace)`, j.Caller.Namespace, seq)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "undo: there is no change %d; hence log lists them", seq)
	}
	return c, err
}
