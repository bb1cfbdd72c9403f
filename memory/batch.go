package memory

import (
	"context"
	"time"

	"hence/internal/args"
	"hence/internal/db"
)

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
insert into batches (batch, at, actor, operation, vault, namespace, what, first, undoes, since, upto)
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

// Compose returns the statements that store a memory with its links, for a larger
// transaction. Its errors go through edges.Graph.Explain.
func (s Store) Compose(ctx context.Context, r *db.Reader, a StoreArgs) ([]db.Stmt, error) {
	if err := args.Check("store", &a); err != nil {
		return nil, err
	}
	d, err := s.draft(ctx, a, nil)
	if err != nil {
		return nil, err
	}
	if err := s.declare(ctx, r, &d, nil); err != nil {
		return nil, err
	}
	return append(d.insert(), s.link(d)...), nil
}
