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

// Of a vault the last so many acts are kept, as long as their bytes are not
// more than so many.
const (
	keptActs  = 100
	keptBytes = 20 << 20
)

// change is what an act does to a file.
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

// begin keeps what an act is to change in the files of a vault, and lets the
// oldest go. Of more than keptBytes nothing is kept. It returns the act with its
// number.
func (i Importer) begin(ctx context.Context, a memory.Act, changes []change) (memory.Act, error) {
	number, err := memory.NewAct(ctx, i.DB)
	if err != nil {
		return a, err
	}
	a.Number = number
	batch := []db.Stmt{a.Open()}
	if size := sizeOf(changes); size <= keptBytes {
		batch = append(batch, db.S(`update acts set kept = ?2 where act = ?1`, a.Number, size))
		for _, c := range changes {
			batch = append(batch, c.keep(a))
		}
		batch = append(batch, db.S(letGo, a.Vault, keptActs, keptBytes), db.S(deleteKept, a.Vault))
	}
	_, err = i.DB.Write(ctx, i.Caller.Actor, db.Now(), batch...)
	return a, err
}

func (c change) keep(a memory.Act) db.Stmt {
	var source any
	if c.source != nil {
		source = c.source
	}
	return db.S(`
insert into kept_files (act, memory, path_before, path_after, folders, hash_before, hash_after, bytes)
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
update acts
set kept = null
where act in (
  select act
  from (
    select
      act,
      row_number() over (order by act) as place,
      sum(kept) over (order by act) as bytes
    from acts
    where vault = ?1
      and kept is not null
  )
  where place > ?2
    or bytes > ?3
)`
	deleteKept = `
delete from kept_files
where act in (select act from acts where vault = ?1 and kept is null)`
)

// finish says of an act that its files are written and the store knows them.
// Where nothing that the journal tells has changed (a comment in frontmatter),
// the note was edited all the same, and a row says so.
func (i Importer) finish(ctx context.Context, a memory.Act) error {
	if a.Number == 0 {
		return nil
	}
	batch := []db.Stmt{
		db.S(linkKept, a.Vault),
		db.S(`
insert into journal (act, at, actor, action, thing, id, before)
select
  w.act,
  w.at,
  w.actor,
  'update',
  'memory',
  m.id,
  '{}'
from writer w
join memories m on m.key = (select memory from kept_files where act = ?1 and memory is not null order by key limit 1)
where (select changes from acts where act = ?1) = 0`, a.Number),
	}
	batch = append(append(batch, a.Close()...), db.S(`update acts set done = 1 where act = ?`, a.Number))
	if a.Undoes != 0 {
		batch = append(batch, markUndone(a)...)
	}
	_, err := i.DB.Write(context.WithoutCancel(ctx), i.Caller.Actor, db.Now(), batch...)
	return err
}

// markUndone returns the statements that say of an act that another has taken it back.
// Where it was an undo itself, that one no longer counts.
func markUndone(by memory.Act) []db.Stmt {
	return []db.Stmt{
		db.S(`update acts set undone_by = null where undone_by = ?`, by.Undoes),
		db.S(`update acts set undone_by = ?2 where act = ?1`, by.Undoes, by.Number),
	}
}

// keptFile is a row of kept_files.
type keptFile struct {
	change
	same bool // the bytes stayed
}

// readKept reads what is kept of an act, the bytes only where they are wanted.
func (i Importer) readKept(ctx context.Context, act int64, bytes bool) (files []keptFile, err error) {
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
where act = ?1
order by key`, act, bytes)
		return err
	})
	return files, err
}

// stays says whether the act did nothing to the file. It is kept because a link
// of it that led nowhere leads to what was moved, and is to lead nowhere again.
func (f keptFile) stays() bool { return f.same && f.before == f.after }

// isMove says whether the file is to be at another path afterwards.
func (c change) isMove() bool { return c.before != "" && c.after != "" && c.before != c.after }

// standing is how a file is found: as it was before an act, as the act left it,
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
// caller holds. Where no file was touched the act never was; else the store
// takes in what was written, as part of the act.
func (i Importer) settle(ctx context.Context, operation string, o *opened) error {
	var acts []memory.Act
	err := i.DB.Read(ctx, func(r *db.Reader) (err error) {
		acts, err = db.Select(ctx, r, func(row *sql.Rows) (a memory.Act, err error) {
			err = row.Scan(&a.Number, &a.Operation, &a.Vault, &a.Namespace, &a.What, &a.Undoes)
			return a, err
		}, `
select
  a.act,
  a.operation,
  a.vault,
  a.namespace,
  a.what,
  coalesce(a.undoes, 0)
from acts a
where a.vault = ?
  and a.done = 0
  and exists (select 1 from kept_files k where k.act = a.act)
order by a.act desc`, o.Name)
		return err
	})
	if err != nil {
		return err
	}
	for _, a := range acts {
		if err := i.settleOne(ctx, operation, o, a); err != nil {
			return err
		}
	}
	return nil
}

func (i Importer) settleOne(ctx context.Context, operation string, o *opened, a memory.Act) error {
	files, err := i.readKept(ctx, a.Number, false)
	if err != nil {
		return err
	}
	touched := false
	i.moved, i.Progress, i.act = map[string]string{}, nil, a
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

// abandon takes an act back that failed before it touched a file. One that did
// is left to settle.
func (i Importer) abandon(ctx context.Context, operation string, o *opened, a memory.Act, failed error) error {
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

// neverWas deletes an act that has touched no file.
func (i Importer) neverWas(ctx context.Context, a memory.Act) error {
	_, err := i.DB.Write(ctx, i.Caller.Actor, db.Now(),
		db.S(`delete from kept_files where act = ?`, a.Number),
		db.S(`delete from acts where act = ? and changes = 0`, a.Number))
	return err
}
