// Package undolog keeps the bytes that files had before Hence wrote them, so that a write
// can be undone, and one that a crash interrupted can be finished or dropped.
//
// Write stores a batch and the bytes of its files before any of them is touched, and marks it
// as done once the files are written and the store has them. After a crash in between, Settle compares the files with the batch: if it touched none,
// Settle drops the batch, else the store imports the files as they are. (If the bytes were
// stored only after the write, a crash could lose them.)
package undolog

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/projection/folder"
)

// The log keeps the bytes of the last MaxBatches batches of each vault, MaxBytes in total
// at most.
const (
	MaxBatches = 100
	MaxBytes   = 20 << 20
)

// Log is the undo log of a store.
type Log ref.View

// Change is the change of a batch to one file.
type Change struct {
	Before, After         string // its path from the vault's root; "": no file
	Source                []byte // its bytes before; nil: no file, or the bytes stay the same
	HashBefore, HashAfter string // of its bytes; "": no file, or the bytes are not compared
	Folders               int    // the number of folders above After that are created for it
	Versioned             bool   // its bytes before are in the table versions: see Format.Keeps of package projection
}

// Entry is a change as it was logged.
type Entry struct {
	Change
	Batch       int64
	Mode        fs.FileMode // of the file before, if its versions are kept; 0: not known
	SameBytes   bool        // the batch does not change the file's bytes
	Lacks       bool        // the version before is needed and not kept, or without what looked like a secret
	LacksAfter  bool        // the same of the version after
	Memory      int64       // key of the file's memory before; 0: not known
	MemoryAfter int64       // the same after
	Now         string      // where the store has the file now; "" if nowhere
	State       State       // see AsLeft
}

// IsMove reports whether the file gets another path.
func (c Change) IsMove() bool { return c.Before != "" && c.After != "" && c.Before != c.After }

// IsUntouched reports whether the batch does not change the file. Such a file is logged
// because a link in it that was dangling now resolves to a moved file, and must dangle again
// after an undo.
func (e Entry) IsUntouched() bool { return e.SameBytes && e.Before == e.After }

// kept returns the bytes that the batch of a change keeps, nil for none.
func (c Change) kept() []byte {
	if c.Versioned {
		return nil
	}
	return c.Source
}

// Size returns the number of bytes that Begin would keep for changes.
func Size(changes []Change) int {
	return lists.Sum(changes, func(c Change) int { return len(c.kept()) })
}

// begin stores a batch with the files that it will change, and drops the bytes of the
// oldest batches. If the changes have more than MaxBytes, it keeps none of their bytes, and
// the batch cannot be undone. It returns the batch with its number.
func (l Log) begin(ctx context.Context, a journal.Batch, changes []Change) (journal.Batch, error) {
	number, err := journal.NewBatch(ctx, l.DB)
	if err != nil {
		return a, err
	}
	a.Number = number
	statements := []db.Stmt{a.Open()}
	if size := Size(changes); size <= MaxBytes {
		statements = append(statements, db.S(`update batches set kept = ?2 where batch = ?1`, a.Number, size))
		for _, c := range changes {
			var source any // null, where a nil slice would be an empty blob
			if kept := c.kept(); kept != nil {
				source = kept
			}
			statements = append(statements, db.S(insertFile, a.Number, a.Vault, c.Before, c.After, c.Folders, c.HashBefore, c.HashAfter, source))
		}
		if !slices.ContainsFunc(changes, func(c Change) bool { return c.Versioned }) {
			statements = append(statements, db.S(dropOldest, a.Vault, MaxBatches, MaxBytes), db.S(deleteDropped, a.Vault))
		}
	}
	_, err = l.DB.Write(ctx, l.Caller.Actor, db.Now(), statements...)
	return a, err
}

const (
	insertFile = `
insert into kept_files (batch, memory, path_before, path_after, folders, hash_before, hash_after, bytes)
values (
  ?1,
  (
    select f.memory
    from mirrors v
    join files f on f.mirror = v.key
    where v.name = ?2
      and f.path = ?3
  ),
  nullif(?3, ''),
  nullif(?4, ''),
  ?5,
  ?6,
  ?7,
  ?8
)`
	dropOldest = `
update batches
set kept = null
where batch in (
  select batch
  from (
    select
      batch,
      row_number() over (order by batch) as place,
      sum(kept) over (order by batch) as bytes
    from batches
    where mirror = ?1
      and kept is not null
  )
  where place > ?2
    or bytes > ?3
)`
	deleteDropped = `
delete from kept_files
where batch in (select batch from batches where mirror = ?1 and kept is null)`
)

// finish marks a batch as done: its files are written and the store has them. It does nothing for a batch without a number, whose write
// changed nothing.
func (l Log) finish(ctx context.Context, a journal.Batch) error {
	if a.Number == 0 {
		return nil
	}
	statements := append(Tell(a), db.S(`update batches set done = 1 where batch = ?`, a.Number))
	if a.Undoes != 0 {
		statements = append(statements, MarkUndone(a)...)
	}
	_, err := l.DB.Write(context.WithoutCancel(ctx), l.Caller.Actor, db.Now(), statements...)
	return err
}

// Tell returns the statements that give the logged files of a batch their memories, and the batch a row of
// the journal if it has none, as after a change to a comment in frontmatter.
func Tell(a journal.Batch) []db.Stmt {
	return append([]db.Stmt{LinkMemories(a.Vault), db.S(`
insert into change_list (action, thing, id, before)
select
  'update',
  'memory',
  id,
  '{}'
from memories
where key = (select memory from kept_files where batch = ?1 and memory is not null order by key limit 1)
  and (select changes from batches where batch = ?1) = 0`, a.Number)}, a.Close()...)
}

// LinkMemories returns the statement that gives the logged files of a vault their
// memories: a file that was written before the store had it has one now.
func LinkMemories(vault string) db.Stmt {
	return db.S(`
update kept_files
set memory = (
  select f.memory
  from mirrors v
  join files f on f.mirror = v.key
  where v.name = ?1
    and f.path = coalesce(kept_files.path_after, kept_files.path_before)
)
where memory is null
  and batch in (select batch from batches where mirror = ?1 and kept is not null)`, vault)
}

// MarkUndone returns the statements that record that a batch has undone another.
// If the other was an undo, the changes that it undid are in force again.
func MarkUndone(undo journal.Batch) []db.Stmt {
	return []db.Stmt{
		db.S(`update batches set undone_by = null where undone_by = ?`, undo.Undoes),
		db.S(`update batches set undone_by = ?2 where batch = ?1`, undo.Undoes, undo.Number),
	}
}

// Purge returns the statements that delete all that is kept of a vault's files.
func Purge(vault string) []db.Stmt {
	return []db.Stmt{
		db.S(`delete from kept_files where batch in (select batch from batches where mirror = ?)`, vault),
		db.S(`update batches set kept = null, what = '' where mirror = ?`, vault),
	}
}

// Entries returns the logged changes of a batch, with or without the bytes of its files.
func (l Log) Entries(ctx context.Context, batch int64, bytes bool) (entries []Entry, err error) {
	return db.Select(ctx, l.DB, scanEntry, selectEntries+`
where k.batch = ?2
order by k.key`, bytes, batch)
}

var scanEntry = db.Fields(func(e *Entry) []any {
	return []any{&e.Before, &e.After, &e.Folders, &e.HashBefore, &e.HashAfter, &e.Batch, &e.Memory, &e.MemoryAfter, &e.Source, &e.Mode, &e.Lacks, &e.LacksAfter, &e.SameBytes, &e.Now}
})

const selectEntries = `
select
  coalesce(k.path_before, ''),
  coalesce(k.path_after, ''),
  k.folders,
  k.hash_before,
  k.hash_after,
  k.batch,
  coalesce(k.memory, 0),
  coalesce(k.memory, 0),
  iif(?1, coalesce(k.bytes, b.bytes), null),
  coalesce(b.mode, 0),
  k.path_before is not null and coalesce(b.masked, 1),
  k.path_after is not null and coalesce(a.masked, 1),
  k.bytes is null and k.path_before is not null and k.path_after is not null and k.hash_before = k.hash_after,
  coalesce((select path from files where memory = k.memory), '')
from kept_files k
left join versions b on b.memory = k.memory and b.hash = k.hash_before
left join versions a on a.memory = k.memory and a.hash = k.hash_after
`

// Write carries out a batch: it keeps the bytes of the files, calls change, which changes all of
// them or none, and then project, which imports them as part of the batch. It returns the batch
// with its number.
func (l Log) Write(ctx context.Context, f *folder.Folder, a journal.Batch, changes []Change, change func() error, project func(a journal.Batch) error) (journal.Batch, error) {
	a, err := l.begin(ctx, a, changes)
	if err != nil {
		return a, err
	}
	if err := change(); err != nil {
		return a, l.abandon(ctx, a.Operation, f, a, err)
	}
	if err := project(a); err != nil {
		return a, err
	}
	return a, l.finish(ctx, a)
}

// abandon drops a batch that failed before it touched a file, and leaves one that touched a
// file to Settle. It returns the error failed, joined with its own.
func (l Log) abandon(ctx context.Context, operation string, f *folder.Folder, a journal.Batch, failed error) error {
	ctx = context.WithoutCancel(ctx)
	if fault.CodeOf(failed) == fault.Exists { // another program created the file
		return errors.Join(failed, l.drop(ctx, a))
	}
	touched, _, err := l.compareAll(ctx, operation, f, a.Number)
	if err == nil && !touched {
		err = l.drop(ctx, a)
	}
	return errors.Join(failed, err)
}

// drop deletes a batch that has touched no file.
func (l Log) drop(ctx context.Context, a journal.Batch) error {
	_, err := l.DB.Write(ctx, l.Caller.Actor, db.Now(),
		db.S(`delete from kept_files where batch = ?`, a.Number),
		db.S(`delete from batches where batch = ? and changes = 0`, a.Number))
	return err
}

// Unfinished returns the batches that a crash interrupted in a vault, or in all for "", the latest first.
func (l Log) Unfinished(ctx context.Context, vault string) ([]journal.Batch, error) {
	return db.Select(ctx, l.DB, db.Fields(func(a *journal.Batch) []any {
		return []any{&a.Number, &a.Operation, &a.Vault, &a.Namespace, &a.What, &a.Undoes}
	}), `
select
  a.batch,
  a.operation,
  a.mirror,
  a.namespace,
  a.what,
  coalesce(a.undoes, 0)
from batches a
where a.done = 0
  and ?1 in ('', a.mirror)
  and a.operation <> 'import' -- the next import finishes it
  and exists (select 1 from kept_files k where k.batch = a.batch)
order by a.batch desc`, vault)
}

// Settle finishes or drops the batches that a crash interrupted in a vault. The caller
// holds the vault's lock. For a batch that touched files it calls project, which imports
// the folder as part of the batch; moved maps the new paths of moved files to their old
// ones.
func (l Log) Settle(ctx context.Context, operation, vault string, f *folder.Folder, project func(a journal.Batch, moved map[string]string) error) error {
	batches, err := l.Unfinished(ctx, vault)
	if err != nil {
		return err
	}
	for _, a := range batches {
		touched, moved, err := l.compareAll(ctx, operation, f, a.Number)
		switch {
		case err != nil:
		case !touched:
			err = l.drop(ctx, a)
		default:
			if err = project(a, moved); err == nil {
				err = l.finish(ctx, a)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compareAll reports whether a batch has touched any of its files, and returns the files
// that it moves: new path → old path.
func (l Log) compareAll(ctx context.Context, operation string, f *folder.Folder, batch int64) (touched bool, moved map[string]string, err error) {
	entries, err := l.Entries(ctx, batch, false)
	if err != nil {
		return false, nil, err
	}
	moved = map[string]string{}
	for _, e := range entries {
		if e.IsUntouched() {
			continue
		}
		state, _, err := Compare(operation, f, e.Change)
		if err != nil {
			return false, nil, err
		}
		touched = touched || state != AsBefore
		if e.IsMove() {
			moved[e.After] = e.Before
		}
	}
	return touched, moved, nil
}
