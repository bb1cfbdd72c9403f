package vault

import (
	"context"
	"database/sql"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/vault/writing/undolog"
)

// ForgetVaultArgs name a vault to put away.
type ForgetVaultArgs struct {
	Vault  string `json:"vault"`
	Purge  bool   `json:"purge,omitempty" jsonschema:"remove its records, their edges and their text for good"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only count"`
}

// ForgetVaultResult is a vault that the store no longer has. Its files are as
// they were.
type ForgetVaultResult struct {
	Vault    string `json:"vault"`
	Root     string `json:"root"`     // its folder
	Memories int    `json:"memories"` // notes and other files that were put away
	Edges    int    `json:"edges"`    // that went, those of mentions among them
	Others   int    `json:"others"`   // memories that are no file of the vault and had, or have, an edge to one
	Status   string `json:"status" jsonschema:"forgotten or purged"`
	DryRun   bool   `json:"dry_run,omitempty"`
}

// forgetMemories is how many memories a transaction puts away or purges: few enough
// to let other writers in.
const (
	forgetMemories = 1000
	purgeMemories  = 100
)

// ForgetVault puts all memories of a vault away, and the vault with them; an
// import of its folder brings them back under the ids that they had. With purge
// they go for good, those of files that are long gone too, and with them the
// bytes that are kept of what was written. Its files are never touched. It
// writes in groups; one that was stopped goes on when it is called again, or is
// taken back by an import. It fails with not_found where the caller sees no such
// vault.
func (i Importer) ForgetVault(ctx context.Context, a ForgetVaultArgs) (ForgetVaultResult, error) {
	const operation = "forget"
	if err := args.Check(operation, &a); err != nil {
		return ForgetVaultResult{}, err
	}
	if a.DryRun {
		v, err := i.findVault(ctx, operation, a.Vault)
		if err != nil {
			return ForgetVaultResult{}, err
		}
		result, err := i.countVault(ctx, v, a.Purge)
		result.DryRun = true
		return result, err
	}
	result, _, err := i.forgetVault(ctx, operation, a.Vault, a.Purge, memory.Batch{Operation: operation})
	return result, err
}

// findVault finds a vault that the caller sees.
func (i Importer) findVault(ctx context.Context, operation, name string) (v Vault, err error) {
	vaults, err := i.Attached(ctx, operation, name)
	if err != nil {
		return v, err
	}
	return vaults[0], nil
}

// UndoImport puts a vault away as the undo of its first import, and returns the
// number of the batch that did. It fails as ForgetVault does.
func (i Importer) UndoImport(ctx context.Context, vault string, batch int64) (ForgetVaultResult, int64, error) {
	result, by, err := i.forgetVault(ctx, "undo", vault, false, memory.Batch{Operation: "forget", Undoes: batch})
	return result, by.Number, err
}

// forgetVault puts a vault away as part of a batch, and returns that with its
// number.
func (i Importer) forgetVault(ctx context.Context, operation, name string, purge bool, batch memory.Batch) (result ForgetVaultResult, _ memory.Batch, err error) {
	v, err := i.findVault(ctx, operation, name)
	if err != nil {
		return result, batch, err
	}
	if i.DB.ReadOnly() {
		return result, batch, fault.New(fault.ReadOnly, "%s: the store is read-only", operation)
	}
	unlock, err := lockImport(ctx, ImportArgs{Dir: v.Root, Name: v.Name}) // the folder need not be there
	if err != nil {
		return result, batch, err
	}
	defer unlock()
	if result, err = i.countVault(ctx, v, purge); err != nil {
		return result, batch, err
	}
	if batch.Number, err = memory.NewBatch(ctx, i.DB); err != nil {
		return result, batch, err
	}
	batch.Vault, batch.Namespace, batch.What = v.Name, v.Namespace, v.Root
	f := forgetting{i, v, batch}
	if err := f.putAway(ctx); err != nil {
		return result, batch, err
	}
	if purge {
		err = f.purge(ctx)
	}
	if err == nil {
		err = f.end(ctx)
	}
	db.Kept[projections](i.DB).take(v.Name)
	return result, batch, err
}

// forgetting is a vault on its way out.
type forgetting struct {
	Importer
	vault Vault
	batch memory.Batch
}

func (f forgetting) commit(ctx context.Context, statements ...db.Stmt) error {
	statements = append(append([]db.Stmt{f.batch.Open()}, statements...), f.batch.Close()...)
	_, err := f.DB.Write(ctx, f.Caller.Actor, db.Now(), statements...)
	return err
}

// putAway forgets the memories of the vault's files. Should it be stopped, an
// import reads every file again.
func (f forgetting) putAway(ctx context.Context) error {
	if err := f.commit(ctx, db.S(`update vaults set extraction = 0 where name = ?`, f.vault.Name)); err != nil {
		return err
	}
	return f.each(ctx, forgetMemories, func(rows string) []db.Stmt {
		return []db.Stmt{
			db.S(deleteSitesOf, rows), db.S(deleteMentionsOf, rows), db.S(dangle, rows), db.S(deleteFiles, rows),
			db.S(forget, rows, "the vault was put away"),
		}
	}, `
select memory
from files
where vault = (select key from vaults where name = ?1 and namespace = ?2)
order by memory
limit ?3`)
}

// purge deletes the memories of the vault, and what is kept of its files. First
// the journal lets go of what it keeps of their edges: each purge looks through
// what there is of that.
func (f forgetting) purge(ctx context.Context) error {
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
  )`, f.vault.Name, f.vault.Namespace))...)
	if err != nil {
		return err
	}
	return f.each(ctx, purgeMemories, func(rows string) []db.Stmt {
		return []db.Stmt{db.S(`delete from memories where key in (select value from json_each(?1))`, rows)}
	}, `
select key
from memories
where `+isOfVault+`
order by key
limit ?3`)
}

// isOfVault is whether a memory that was put away is, or was, a file of a vault.
// Where another file took the path of one that was gone, only the actor says so.
const isOfVault = `status = 'forgotten'
    and namespace = ?2
    and (
      substr(uri, 1, length('obsidian-fs://' || ?1 || '/')) = 'obsidian-fs://' || ?1 || '/'
      or uri is null and origin = 'vault' and actor = ?1
    )`

// each runs a transaction for the next memories that a query finds, until it finds
// none.
func (f forgetting) each(ctx context.Context, most int, statements func(rows string) []db.Stmt, query string) error {
	for {
		var keys []int64
		err := f.DB.Read(ctx, func(r *db.Reader) (err error) {
			keys, err = db.Select(ctx, r, db.Value[int64], query, f.vault.Name, f.vault.Namespace, most)
			return err
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := f.commit(ctx, statements(db.List(keys))...); err != nil {
			return err
		}
	}
}

// end takes the vault itself away, unless a file of it has come meanwhile.
func (f forgetting) end(ctx context.Context) error {
	statements := []db.Stmt{
		db.Expect(`not exists (select 1 from files where vault = (select key from vaults where name = ?))`,
			fault.New(fault.Conflict, "forget: the vault %s was imported meanwhile; stop what imports it and try again", f.vault.Name), f.vault.Name),
		db.S(`delete from vaults where name = ?`, f.vault.Name),
		// An import that was cut off does not go on, and this one is done.
		db.S(`update batches set done = 1 where vault = ? and (operation = 'import' or batch = ?)`, f.vault.Name, f.batch.Number),
	}
	if f.batch.Undoes != 0 {
		statements = append(statements, undolog.MarkUndone(f.batch)...)
	}
	return f.commit(ctx, statements...)
}

// countVault counts what goes with a vault.
func (i Importer) countVault(ctx context.Context, v Vault, purge bool) (result ForgetVaultResult, err error) {
	result = ForgetVaultResult{Vault: v.Name, Root: v.Root, Status: memory.Forgotten}
	if purge {
		result.Status = "purged"
	}
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		_, err := db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
			return struct{}{}, row.Scan(&result.Memories, &result.Edges, &result.Others)
		}, selectCounts, v.Name, v.Namespace, purge)
		return err
	})
	return result, err
}

// An edge that a note declares goes; one that was said outright stays where the
// memories are only put away.
const selectCounts = `
with own (key) as (
  select memory
  from files
  where vault = (select key from vaults where name = ?1)
  union
  select key
  from memories
  where ?3
    and ` + isOfVault + `
),
touching (key, declared, other) as (
  select e.key, e.declared, iif(t.key is null, e.to_key, null)
  from own o
  join edges e on e.from_key = o.key
  left join own t on t.key = e.to_key
  union
  select e.key, e.declared, iif(f.key is null, e.from_key, null)
  from own o
  join edges e on e.to_key = o.key
  left join own f on f.key = e.from_key
)
select
  (select count(*) from own),
  (select count(distinct key) from touching where declared <> 'explicit' or ?3),
  (select count(distinct other) from touching)`
