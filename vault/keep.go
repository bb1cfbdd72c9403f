package vault

import (
	"context"
	"database/sql"
	"errors"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/projection/folder"
)

// What Hence writes into a vault can be taken back, see Undo. The bytes before
// are kept in the store before a file is touched: after a crash in between, the
// file is found as it was, and the row goes (see settle). The other way round a
// crash would leave a note overwritten, and nothing to take it back with.

// Of a vault the last so many batches are kept, as long as their bytes are not
// more than so many.
const (
	keptBatches = 100
	keptBytes   = 20 << 20
)

// change is what a batch does to a file.
type change struct {
	before, after         string // its path; "" where there is no file
	source                []byte // its bytes before; nil where there was no file, or they stay
	hashBefore, hashAfter string // of its bytes; "" where there is no file, or they are not compared
	folders               int    // how many folders above after are made for it
}

// sizeOf is how many bytes are to be kept of changes.
func sizeOf(changes []change) (bytes int) {
	for _, c := range changes {
		bytes += len(c.source)
	}
	return bytes
}

// begin keeps what a batch is to change in the files of a vault, and lets the
// oldest go. Of more than keptBytes nothing is kept. It returns the batch with its
// number.
func (i Importer) begin(ctx context.Context, a memory.Batch, changes []change) (memory.Batch, error) {
	number, err := memory.NewBatch(ctx, i.DB)
	if err != nil {
		return a, err
	}
	a.Number = number
	statements := []db.Stmt{a.Open()}
	if size := sizeOf(changes); size <= keptBytes {
		statements = append(statements, db.S(`update batches set kept = ?2 where batch = ?1`, a.Number, size))
		for _, c := range changes {
			statements = append(statements, c.keep(a))
		}
		statements = append(statements, db.S(letGo, a.Vault, keptBatches, keptBytes), db.S(deleteKept, a.Vault))
	}
	_, err = i.DB.Write(ctx, i.Caller.Actor, db.Now(), statements...)
	return a, err
}

func (c change) keep(a memory.Batch) db.Stmt {
	var source any
	if c.source != nil {
		source = c.source
	}
	return db.S(`
insert into kept_files (batch, memory, path_before, path_after, folders, hash_before, hash_after, bytes)
values (
  ?1,
  (select key from memories where uri = ?2),
  nullif(?3, ''),
  nullif(?4, ''),
  ?5,
  ?6,
  ?7,
  ?8
)`, a.Number, URI(a.Vault, c.before), c.before, c.after, c.folders, c.hashBefore, c.hashAfter, source)
}

const (
	letGo = `
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
    where vault = ?1
      and kept is not null
  )
  where place > ?2
    or bytes > ?3
)`
	deleteKept = `
delete from kept_files
where batch in (select batch from batches where vault = ?1 and kept is null)`
)

// finish says of a batch that its files are written and the store knows them.
// Where nothing that the journal tells has changed (a comment in frontmatter),
// the note was edited all the same, and a row says so.
func (i Importer) finish(ctx context.Context, a memory.Batch) error {
	if a.Number == 0 {
		return nil
	}
	statements := []db.Stmt{
		db.S(linkKept, a.Vault),
		db.S(`
insert into journal (batch, at, actor, action, thing, id, before)
select
  w.batch,
  w.at,
  w.actor,
  'update',
  'memory',
  m.id,
  '{}'
from writer w
join memories m on m.key = (select memory from kept_files where batch = ?1 and memory is not null order by key limit 1)
where (select changes from batches where batch = ?1) = 0`, a.Number),
	}
	statements = append(append(statements, a.Close()...), db.S(`update batches set done = 1 where batch = ?`, a.Number))
	if a.Undoes != 0 {
		statements = append(statements, markUndone(a)...)
	}
	_, err := i.DB.Write(context.WithoutCancel(ctx), i.Caller.Actor, db.Now(), statements...)
	return err
}

// markUndone returns the statements that say of a batch that another has taken it back.
// Where it was an undo itself, that one no longer counts.
func markUndone(by memory.Batch) []db.Stmt {
	return []db.Stmt{
		db.S(`update batches set undone_by = null where undone_by = ?`, by.Undoes),
		db.S(`update batches set undone_by = ?2 where batch = ?1`, by.Undoes, by.Number),
	}
}

// keptFile is a row of kept_files.
type keptFile struct {
	change
	same bool // the bytes stayed
}

// readKept reads what is kept of a batch, the bytes only where they are wanted.
func (i Importer) readKept(ctx context.Context, batch int64, bytes bool) (files []keptFile, err error) {
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		files, err = db.Select(ctx, r, func(row *sql.Rows) (f keptFile, err error) {
			err = row.Scan(&f.before, &f.after, &f.folders, &f.hashBefore, &f.hashAfter, &f.source, &f.same)
			return f, err
		}, `
select
  coalesce(path_before, ''),
  coalesce(path_after, ''),
  folders,
  hash_before,
  hash_after,
  iif(?2, bytes, null),
  bytes is null and path_before is not null and path_after is not null
from kept_files
where batch = ?1
order by key`, batch, bytes)
		return err
	})
	return files, err
}

// stays says whether the batch did nothing to the file. It is kept because a link
// of it that led nowhere leads to what was moved, and is to lead nowhere again.
func (f keptFile) stays() bool { return f.same && f.before == f.after }

// isMove says whether the file is to be at another path afterwards.
func (c change) isMove() bool { return c.before != "" && c.after != "" && c.before != c.after }

// standing is how a file is found: as it was before a batch, as the batch left it,
// at both paths of a move that was cut off, or otherwise.
type standing int

const (
	asBefore standing = iota
	asAfter
	atBoth
	edited
)

// standingOf looks at a file on disk. The hash is that of the bytes that are
// there, "" where there are none.
func (o *opened) standingOf(operation string, c change) (stands standing, hash string, err error) {
	before, hashBefore, err := o.hashAt(operation, c.before, c)
	if err != nil {
		return edited, "", err
	}
	after, hashAfter := before, hashBefore
	if c.after != c.before {
		if after, hashAfter, err = o.hashAt(operation, c.after, c); err != nil {
			return edited, "", err
		}
	}
	same := func(there bool, is, was string) bool { return there && (was == "" || is == was) }
	isBefore, isAfter := same(before, hashBefore, c.hashBefore), same(after, hashAfter, c.hashAfter)
	hash = hashAfter
	if !after {
		hash = hashBefore
	}
	switch {
	case c.before == c.after && isAfter:
		return asAfter, hash, nil
	case c.before == c.after && isBefore:
		return asBefore, hash, nil
	case c.before == c.after:
		return edited, hash, nil
	case c.before == "" && !after, c.after == "" && isBefore, c.isMove() && isBefore && !after:
		return asBefore, hash, nil
	case c.before == "" && isAfter, c.after == "" && !before, c.isMove() && isAfter && !before:
		return asAfter, hash, nil
	case c.isMove() && isBefore && isAfter:
		return atBoth, hash, nil
	}
	return edited, hash, nil
}

// hashAt says whether a file is at a path, and the hash of its bytes where they
// are compared.
func (o *opened) hashAt(operation, name string, c change) (there bool, hash string, err error) {
	if name == "" {
		return false, "", nil
	}
	if _, err := folder.CheckPath(operation, name); err != nil {
		return false, "", err
	}
	if spelled, err := o.Spell(operation, name); err != nil || spelled != name {
		return false, "", err
	}
	if there, err = o.IsFile(operation, name); err != nil || !there || !o.spelledSo(name, c) {
		return false, "", err
	}
	if c.hashBefore == "" && c.hashAfter == "" {
		return true, "", nil
	}
	source, err := File{o, name}.read(operation)
	if fault.CodeOf(err) == fault.TooLarge {
		return true, "of more bytes than are read", nil
	}
	return true, db.Hash(source), err
}

// spelledSo says whether a name is on disk in just that spelling, where a system
// may take the other name of a file that moved for it.
func (o *opened) spelledSo(name string, c change) bool {
	if !c.isMove() || !folder.SameName(c.before, c.after) {
		return true
	}
	return o.Lists(name)
}

// settle brings to an end what a crash has cut off in a vault, whose lock the
// caller holds. Where no file was touched the batch never was; else the store
// takes in what was written, as part of the batch.
func (i Importer) settle(ctx context.Context, operation string, o *opened) error {
	var batches []memory.Batch
	err := i.DB.Read(ctx, func(r *db.Reader) (err error) {
		batches, err = db.Select(ctx, r, func(row *sql.Rows) (a memory.Batch, err error) {
			err = row.Scan(&a.Number, &a.Operation, &a.Vault, &a.Namespace, &a.What, &a.Undoes)
			return a, err
		}, `
select
  a.batch,
  a.operation,
  a.vault,
  a.namespace,
  a.what,
  coalesce(a.undoes, 0)
from batches a
where a.vault = ?
  and a.done = 0
  and exists (select 1 from kept_files k where k.batch = a.batch)
order by a.batch desc`, o.Name)
		return err
	})
	if err != nil {
		return err
	}
	for _, a := range batches {
		if err := i.settleOne(ctx, operation, o, a); err != nil {
			return err
		}
	}
	return nil
}

func (i Importer) settleOne(ctx context.Context, operation string, o *opened, a memory.Batch) error {
	files, err := i.readKept(ctx, a.Number, false)
	if err != nil {
		return err
	}
	touched := false
	i.moved, i.Progress, i.batch = map[string]string{}, nil, a
	for _, f := range files {
		if f.stays() {
			continue
		}
		stands, _, err := o.standingOf(operation, f.change)
		if err != nil {
			return err
		}
		touched = touched || stands != asBefore
		if f.isMove() {
			i.moved[f.after] = f.before
		}
	}
	if !touched {
		return i.neverWas(ctx, a)
	}
	i.emptied = true
	if _, _, err := i.importAll(ctx, ImportArgs{Dir: o.Root, Name: o.Name}); err != nil {
		return err
	}
	return i.finish(ctx, a)
}

// abandon takes a batch back that failed before it touched a file. One that did
// is left to settle.
func (i Importer) abandon(ctx context.Context, operation string, o *opened, a memory.Batch, failed error) error {
	ctx = context.WithoutCancel(ctx)
	if fault.CodeOf(failed) == fault.Exists { // what is there is somebody else's
		return errors.Join(failed, i.neverWas(ctx, a))
	}
	files, err := i.readKept(ctx, a.Number, false)
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, f := range files {
		if f.stays() {
			continue
		}
		if stands, _, err := o.standingOf(operation, f.change); err != nil || stands != asBefore {
			return errors.Join(failed, err)
		}
	}
	return errors.Join(failed, i.neverWas(ctx, a))
}

// neverWas deletes a batch that has touched no file.
func (i Importer) neverWas(ctx context.Context, a memory.Batch) error {
	_, err := i.DB.Write(ctx, i.Caller.Actor, db.Now(),
		db.S(`delete from kept_files where batch = ?`, a.Number),
		db.S(`delete from batches where batch = ? and changes = 0`, a.Number))
	return err
}
