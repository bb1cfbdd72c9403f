package journal

import (
	"context"
	"fmt"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
)

// Batch is a command that took several transactions, or wrote files of a vault.
type Batch struct {
	Number    int64 // below zero
	Operation string
	Vault     string
	What      string
	First     bool  // it made the vault
	Kept      bool  // the old bytes of its files are in the table kept_files
	Changes   int   // rows of the journal
	Seq       int64 // number of the last of them, or of the last before the batch if it has none
	Undoes    int64 // number of the batch that it undid; 0: none
	UndoneBy  int64 // last change of the batch that undid it; 0: none

	at, actor string
}

const selectBatch = `
select
  a.batch,
  a.operation,
  a.vault,
  a.what,
  a.first,
  a.kept is not null,
  a.changes,
  a.upto,
  coalesce(a.undoes, 0),
  coalesce((select u.upto from batches u where u.batch = a.undone_by), j.undone_by, 0),
  a.at,
  a.actor
from batches a
left join journal j on j.seq = a.upto and j.batch = a.batch
`

var scanBatch = db.Fields(func(b *Batch) []any {
	return []any{&b.Number, &b.Operation, &b.Vault, &b.What, &b.First, &b.Kept, &b.Changes, &b.Seq, &b.Undoes, &b.UndoneBy, &b.at, &b.actor}
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
where a.vault <> ''
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
where a.vault <> ''
  and a.batch = (select batch from journal where seq = ?)`, seq)
}

// Last returns the number of the change that Undo takes back, with its batch, if UndoArgs
// names none; 0 if there is nothing to undo.
func (j Journal) Last(ctx context.Context) (seq int64, err error) { return j.lastSeq(ctx, j.DB) }

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

// refuseFiles refuses a change of a batch that wrote files of a vault.
func refuseFiles(ctx context.Context, r *db.Reader, seq int64) error {
	batch, ok, err := fileBatch(ctx, r, seq)
	if err != nil || !ok {
		return err
	}
	return fault.New(fault.InvalidArgument, "undo: change %d is part of %s, which wrote files of the vault %s; run hence undo %d on the command line", seq, strings.TrimSpace(batch.Operation+" "+batch.What), batch.Vault, seq)
}

// NameEarlier adds to refused, the refusal to undo a batch, the number of the latest earlier
// change that can be undone.
func (j Journal) NameEarlier(ctx context.Context, batch Batch, refused error) (err error) {
	if readError := j.DB.Read(ctx, func(r *db.Reader) error {
		since, _, readError := db.One[int64](ctx, r, `select since from batches where batch = ?`, batch.Number)
		if readError == nil {
			err = j.orBefore(ctx, r, since+1, refused)
		}
		return readError
	}); readError != nil {
		return readError
	}
	return err
}

// asChange returns the line of the log for a batch.
func (b Batch) asChange() Change {
	c := Change{
		Seq: b.Seq, At: b.at, Actor: b.actor, Action: b.Operation, Thing: "batch", ID: b.Vault, Title: b.What,
		What: fmt.Sprintf("%d changes", b.Changes), UndoneBy: b.UndoneBy,
	}
	if b.Changes == 1 {
		c.What = "1 change"
	}
	if ofVault := b.Operation == "import" || b.Operation == "forget"; b.What == "" || ofVault && b.Vault != "" {
		c.Title = b.Vault
	}
	return c
}
