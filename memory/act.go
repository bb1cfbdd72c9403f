package memory

import (
	"context"
	"time"

	"hence/internal/db"
)

// Act is a command that takes several batches, or that writes files too: it is
// told and taken back as one. See the table acts of the schema.
type Act struct {
	Number    int64 // below zero; see NewAct
	Operation string
	Vault     string // '' where it is not about a vault
	Namespace string // '' where it may be of several
	What      string // the note, folder or file that it is about
	First     bool   // it makes the vault
	Undoes    int64  // the number of the act that it takes back; 0: none
}

// NewAct returns a number for an act. It is lower than those of all acts before
// it, even when the clock has gone back.
func NewAct(ctx context.Context, d *db.DB) (number int64, err error) {
	err = d.Read(ctx, func(r *db.Reader) error {
		last, _, err := db.One[int64](ctx, r, `select coalesce(min(act), 0) from acts`)
		number = min(-time.Now().UnixNano(), last-1)
		return err
	})
	return number, err
}

// Open returns the statement that makes the act's row where there is none yet.
func (a Act) Open() db.Stmt {
	return db.S(`
insert into acts (act, at, actor, operation, vault, namespace, what, first, undoes, since, upto)
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
  select coalesce((select seq from journal where act is not (select act from writer) order by seq desc limit 1), 0) as seq
) b
where true
on conflict (act) do nothing`, a.Number, a.Operation, a.Vault, a.Namespace, a.What, a.First, a.Undoes)
}

// Close returns the statements at the end of a batch that make its changes part
// of the act. The act is open, by this batch or by one before.
func (a Act) Close() []db.Stmt {
	return []db.Stmt{
		db.S(`
update journal
set act = ?1
where act = (select act from writer)
  and seq > coalesce(
    (select seq from journal where act is not (select act from writer) order by seq desc limit 1),
    0
  )`, a.Number),
		db.S(`
update acts
set
  changes = changes + changes(),
  upto = iif(changes() > 0, (select max(seq) from journal), upto)
where act = ?1`, a.Number),
	}
}
