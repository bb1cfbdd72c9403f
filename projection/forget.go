package projection

import (
	"context"
	"database/sql"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/memory"
	"hence/memory/journal"
	"hence/projection/undolog"
)

// ForgetResult is a vault that the store no longer has. Its files are as
// they were.
type ForgetResult struct {
	Vault    string `json:"vault"`
	Root     string `json:"root"`     // its folder
	Memories int    `json:"memories"` // that were forgotten or purged
	Edges    int    `json:"edges"`    // that were removed, mentions included
	Others   int    `json:"others"`   // memories outside the vault with an edge to one of them
	Status   string `json:"status" jsonschema:"forgotten or purged"`
	DryRun   bool   `json:"dry_run,omitempty"`
	Again    string `json:"-"` // what hence import is given to bring it back
}

// forgetLimit and purgeLimit are how many memories one transaction forgets or purges: few
// enough to let other writers in.
const (
	forgetLimit = 1000
	purgeLimit  = 100
)

// Forget forgets all memories of a vault as part of a batch, and deletes the vault's row;
// an import of its folder brings them back under their ids. With purge it deletes them for
// good, also those of files removed earlier, and the bytes kept for undo. It never touches
// the files. It writes in several transactions; if it is interrupted, another call
// continues it, or an import brings the memories back. It returns the batch with its number.
func (m Mirror) Forget(ctx context.Context, operation string, v Vault, purge bool, batch journal.Batch) (result ForgetResult, _ journal.Batch, err error) {
	if m.DB.ReadOnly() {
		return result, batch, fault.New(fault.ReadOnly, "%s: the store is read-only", operation)
	}
	unlock, err := lock(ctx, v.target()) // the folder may be missing
	if err != nil {
		return result, batch, err
	}
	defer unlock()
	if result, err = m.CountForgotten(ctx, v, purge); err != nil {
		return result, batch, err
	}
	if batch.Number, err = journal.NewBatch(ctx, m.DB); err != nil {
		return result, batch, err
	}
	batch.Vault, batch.Namespace, batch.What = v.Name, v.Namespace, m.again(v)
	f := forgetRun{m, v, batch}
	if err := f.forgetMemories(ctx); err != nil {
		return result, batch, err
	}
	if purge {
		err = f.purge(ctx)
	}
	if err == nil {
		err = f.end(ctx)
	}
	db.Keep[states](m.DB).take(v.Name)
	return result, batch, err
}

// again returns the words with which hence import brings a forgotten folder back.
func (m Mirror) again(v Vault) string {
	if m.Format.Form == Agents.Form {
		return "--agents"
	}
	return v.Root
}

// forgetRun is a vault that Forget is forgetting, and the batch of that.
type forgetRun struct {
	Mirror
	vault Vault
	batch journal.Batch
}

func (f forgetRun) commit(ctx context.Context, statements ...db.Stmt) error {
	statements = append(append([]db.Stmt{f.batch.Open()}, statements...), f.batch.Close()...)
	_, err := f.DB.Write(ctx, f.Caller.Actor, db.Now(), statements...)
	return err
}

// forgetMemories forgets the memories of the vault's files and units. It sets the extraction to
// 0 first, so that an import reads every file again if it is interrupted.
func (f forgetRun) forgetMemories(ctx context.Context) error {
	if err := f.commit(ctx, db.S(`update mirrors set extraction = 0 where name = ?`, f.vault.Name)); err != nil {
		return err
	}
	return f.each(ctx, forgetLimit, func(rows string) []db.Stmt {
		return []db.Stmt{
			db.S(deleteSitesOf, rows), db.S(deleteMentionsOf, rows), db.S(dangle, rows), db.S(deleteSymbols, rows), db.S(deleteFiles, rows),
			db.S(forget, rows, "the vault was forgotten"),
		}
	}, `
select memory
from files
where mirror = (select key from mirrors where name = ?1 and namespace = ?2)
union all
select memory
from symbols
where mirror = (select key from mirrors where name = ?1 and namespace = ?2)
order by memory
limit ?5`)
}

// purge deletes the memories of the vault and the bytes kept of its files. First it clears
// the deleted edges of these memories in the journal, because the deletion of each memory
// searches those.
func (f forgetRun) purge(ctx context.Context) error {
	err := f.commit(ctx, append(undolog.Purge(f.vault.Name), db.S(`
update journal
set before = null
where thing = 'edge'
  and before is not null
  and exists (
    select 1
    from memories
    where id in (before ->> '$.from', before ->> '$.to')
      and `+isOfVault+`
  )`, f.vault.Name, f.vault.Namespace, f.Format.prefix(f.vault.Name), f.Format.Origin))...)
	if err != nil {
		return err
	}
	err = f.each(ctx, purgeLimit, func(rows string) []db.Stmt {
		return []db.Stmt{db.S(`delete from memories where key in (select value from json_each(?1))`, rows)}
	}, `
select key
from memories
where `+isOfVault+`
order by key
limit ?5`)
	if err != nil {
		return err
	}
	return f.commit(ctx, db.EraseDeleted...)
}

// isOfVault is the condition that a memory is forgotten and was a file or unit of a vault.
// If another file has taken its path since, it has no uri, and only the actor tells.
const isOfVault = `status = 'forgotten'
    and namespace = ?2
    and (
      substr(uri || '/', 1, length(?3)) = ?3
      or uri is null and origin = ?4 and actor = ?1
    )`

// each runs one transaction for the next memories that a query finds, at most ?5 = most at
// a time, until it finds none.
func (f forgetRun) each(ctx context.Context, most int, statements func(rows string) []db.Stmt, query string) error {
	for {
		keys, err := db.Select(ctx, f.DB, db.Value[int64], query, f.vault.Name, f.vault.Namespace, f.Format.prefix(f.vault.Name), f.Format.Origin, most)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := f.commit(ctx, statements(db.List(keys))...); err != nil {
			return err
		}
	}
}

// end removes the vault, unless another import has added a file to it.
func (f forgetRun) end(ctx context.Context) error {
	statements := []db.Stmt{
		db.Expect(`not exists (select 1 from files where mirror = (select key from mirrors where name = ?))`,
			fault.New(fault.Conflict, "forget: the vault %s was imported by another process; stop that and try again", f.vault.Name), f.vault.Name),
		db.S(`delete from mirrors where name = ?`, f.vault.Name),
		// An interrupted import does not continue, and this batch is done.
		db.S(`update batches set done = 1 where mirror = ? and (operation = 'import' or batch = ?)`, f.vault.Name, f.batch.Number),
	}
	if f.batch.Undoes != 0 {
		statements = append(statements, undolog.MarkUndone(f.batch)...)
	}
	if err := f.commit(ctx, statements...); err != nil {
		return err
	}
	return permit.With(ctx, f.DB, func(r permit.Records) error { return r.Remove(f.vault.Name) })
}

// CountForgotten counts the memories and edges that Forget would remove with a vault.
func (m Mirror) CountForgotten(ctx context.Context, v Vault, purge bool) (result ForgetResult, err error) {
	result = ForgetResult{Vault: v.Name, Root: v.Root, Again: m.again(v), Status: memory.Forgotten}
	if purge {
		result.Status = "purged"
	}
	err = db.Each(ctx, m.DB, func(row *sql.Rows) error {
		return row.Scan(&result.Memories, &result.Edges, &result.Others)
	}, selectCounts, v.Name, v.Namespace, m.Format.prefix(v.Name), m.Format.Origin, purge)
	return result, err
}

// An edge that a file declares is deleted; an explicit one stays if
// the memories are only forgotten.
var selectCounts = `
with own (key) as (
  select memory
  from files
  where mirror = (select key from mirrors where name = ?1)
  union
  select memory
  from symbols
  where mirror = (select key from mirrors where name = ?1)
  union
  select key
  from memories
  where ?5
    and ` + isOfVault + `
),
touching (key, declared, other) as (` + edges.BothWays(`
  select e.key, e.declared, iif(t.key is null, e.{to_key|from_key}, null)
  from own o
  join edges e on e.{from_key|to_key} = o.key
  left join own t on t.key = e.{to_key|from_key}`) + `
)
select
  (select count(*) from own),
  (select count(distinct key) from touching where declared <> 'explicit' or ?5),
  (select count(distinct other) from touching)`
