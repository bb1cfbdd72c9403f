package journal

import (
	"context"
	"strings"
	"time"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
)

// MaxUndone is the largest number of changes in a batch that undo takes back.
const MaxUndone = 10_000

// Batch is a command that takes several transactions, or also writes files, and that undo
// takes back as a whole. See the table batches of the schema.
type Batch struct {
	Number    int64 // below zero; see NewBatch
	Operation string
	Vault     string // "" if it is not about a vault
	Namespace string // "" if it may concern several
	What      string // the note, folder or file that it is about
	First     bool   // it makes the vault
	Undoes    int64  // the number of the batch that it takes back; 0: none

	// What follows is known of a batch that was read.
	Kept     bool  // the old bytes of its files are in the table kept_files
	Changes  int   // rows of the journal
	Seq      int64 // number of the last of them, or of the last before the batch if it has none
	UndoneBy int64 // last change of the batch that undid it; 0: none
	OfAgents bool  // Vault is a folder of agents' own files

	at, actor string
}

// NewBatch returns a number for a batch: lower than that of every earlier batch,
// even when the clock was set back.
func NewBatch(ctx context.Context, d *db.DB) (number int64, err error) {
	last, _, err := db.One[int64](ctx, d, `select coalesce(min(batch), 0) from batches`)
	return min(-time.Now().UnixNano(), last-1), err
}

// Open returns the statement that inserts the batch's row unless it exists.
func (b Batch) Open() db.Stmt {
	return db.S(`
insert into batches (batch, at, actor, operation, mirror, namespace, what, first, undoes, since, upto)
select
  ?1,
  w.at,
  w.actor,
  ?2,
  ?3,
  ?4,
  ?5,
  ?6,
  nullif(?7, 0),
  b.seq,
  b.seq
from writer w
cross join (
  select coalesce((select seq from journal where batch is not (select batch from writer) order by seq desc limit 1), 0) as seq
) b
where true
on conflict (batch) do nothing`, b.Number, b.Operation, b.Vault, b.Namespace, b.What, b.First, b.Undoes)
}

// Close returns the statements that end a transaction of the batch: they make its
// changes part of the batch. The statement of Open
// must be in the same transaction, before them, or in an earlier one.
func (b Batch) Close() []db.Stmt {
	return []db.Stmt{
		db.S(`
update journal
set batch = ?1
where batch = (select batch from writer)
  and seq > coalesce(
    (select seq from journal where batch is not (select batch from writer) order by seq desc limit 1),
    0
  )`, b.Number),
		db.S(`
update batches
set
  changes = changes + changes(),
  upto = iif(changes() > 0, (select max(seq) from journal), upto)
where batch = ?1`, b.Number),
	}
}

// Gather returns the statements that make all changes since that of Open part of the batch, those of later
// transactions too. Nobody else may have written since.
func (b Batch) Gather() []db.Stmt {
	return []db.Stmt{
		db.S(`
update journal
set batch = ?1
where seq > (select since from batches where batch = ?1)`, b.Number),
		db.S(`
update batches
set
  changes = changes(),
  upto = (select coalesce(max(seq), 0) from journal)
where batch = ?1`, b.Number),
	}
}

const selectBatch = `
select
  a.batch,
  a.operation,
  a.mirror,
  a.what,
  a.first,
  a.kept is not null,
  a.changes,
  a.upto,
  coalesce(a.undoes, 0),
  coalesce((select u.upto from batches u where u.batch = a.undone_by), j.undone_by, 0),
  exists (select 1 from mirrors where name = a.mirror and form = 'agents'),
  a.at,
  a.actor
from batches a
left join journal j on j.seq = a.upto and j.batch = a.batch
`

var scanBatch = db.Fields(func(b *Batch) []any {
	return []any{&b.Number, &b.Operation, &b.Vault, &b.What, &b.First, &b.Kept, &b.Changes, &b.Seq, &b.Undoes, &b.UndoneBy, &b.OfAgents, &b.at, &b.actor}
})

// VaultBatch returns the batch that Undo with these arguments would concern, and
// true, if it wrote files of a vault: Undo refuses it, and package vault/writing
// undoes it. It fails with not_found for an unknown change.
func (j Journal) VaultBatch(ctx context.Context, a UndoArgs) (batch Batch, ok bool, err error) {
	if err := args.Check("undo", &a); err != nil {
		return batch, false, err
	}
	err = j.DB.Read(ctx, func(r *db.Reader) error {
		batch, ok, err = j.vaultBatch(ctx, r, a)
		return err
	})
	return batch, ok, err
}

func (j Journal) vaultBatch(ctx context.Context, r *db.Reader, a UndoArgs) (Batch, bool, error) {
	seq := a.Seq
	if seq == 0 {
		last, err := j.lastSeq(ctx, r)
		if err != nil {
			return Batch{}, false, err
		}
		// The last command may have written files without a row of the journal.
		batch, ok, err := db.First(ctx, r, scanBatch, selectBatch+`
where a.mirror <> ''
  and a.undoes is null
  and a.undone_by is null
  and a.upto >= ?2
  and ?1 in ('', a.namespace)
order by a.upto desc, a.batch
limit 1`, j.Caller.Namespace, last)
		if err != nil || ok {
			return batch, ok, err
		}
		if seq = last; seq == 0 {
			return Batch{}, false, nil
		}
	} else if _, err := j.changeAt(ctx, r, seq); err != nil {
		return Batch{}, false, err
	}
	return fileBatch(ctx, r, seq)
}

// fileBatch returns the batch that a change is part of, if it wrote files of a vault.
func fileBatch(ctx context.Context, r *db.Reader, seq int64) (Batch, bool, error) {
	return db.First(ctx, r, scanBatch, selectBatch+`
where a.mirror <> ''
  and a.batch = (select batch from journal where seq = ?)`, seq)
}

// lastSeq returns the number of the latest change that is neither part of an undo nor undone,
// 0 if there is none.
func (j Journal) lastSeq(ctx context.Context, from db.Source) (int64, error) {
	last, _, err := db.First(ctx, from, scanChange, selectNotUndone+`
order by j.seq desc
limit 1`, j.Caller.Namespace)
	return last.Seq, err
}

// BatchByNumber reads a batch; the zero value if there is none.
func (j Journal) BatchByNumber(ctx context.Context, number int64) (batch Batch, err error) {
	batch, _, err = db.First(ctx, j.DB, scanBatch, selectBatch+`where a.batch = ?`, number)
	return batch, err
}

// StandingBatch reads a batch that is not undone. Who undoes the files of a batch asks again when it holds the lock of
// their folder: another process may have undone it meanwhile.
func (j Journal) StandingBatch(ctx context.Context, number int64) (Batch, error) {
	batch, err := j.BatchByNumber(ctx, number)
	if err == nil && batch.UndoneBy != 0 {
		err = ErrUndone(batch.Seq, batch.UndoneBy)
	}
	return batch, err
}

// refuseFiles refuses a change of a batch that wrote files of a vault.
func refuseFiles(ctx context.Context, r *db.Reader, seq int64) error {
	batch, ok, err := fileBatch(ctx, r, seq)
	if err != nil || !ok {
		return err
	}
	return fault.New(fault.InvalidArgument, "undo: change %d is part of %s, which wrote files of the vault %s; run hence undo %d on the command line", seq, strings.TrimSpace(batch.Operation+" "+batch.What), batch.Vault, seq)
}

// PointToLog adds to the refusal of an undo without a number where the changes before the last one are listed.
func PointToLog(refused error) error {
	return fault.New(fault.InvalidArgument, "%v; hence log lists what was before it", refused)
}

// asChange returns the line of the log for a batch.
func (b Batch) asChange() Change {
	c := Change{
		Seq: b.Seq, At: b.at, Actor: b.actor, Action: b.Operation, Thing: "batch", ID: b.Vault, Title: b.What,
		What: plural.Count(b.Changes, "change", "changes"), UndoneBy: b.UndoneBy,
	}
	if ofVault := b.Operation == "import" || b.Operation == "forget"; b.What == "" || ofVault && b.Vault != "" {
		c.Title = b.Vault
	}
	return c
}
