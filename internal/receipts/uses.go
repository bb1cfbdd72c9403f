package receipts

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Use says how a memory that a session was shown was used in the conversation that the session is of.
type Use struct {
	Conversation, Session string
	Shown                 // the memory
	How, Corrected        string
	At                    time.Time
}

// PutUses keeps uses of a store's memories, in place of what was known of the same session and memory. It keeps none where no
// receipts are kept.
func (b *Book) PutUses(ctx context.Context, store string, all []Use) error {
	if days, err := b.Days(ctx); err != nil || days == 0 {
		return err
	}
	return b.write(ctx, func(tx *sql.Tx) (err error) {
		for _, u := range all {
			_, wrong := tx.ExecContext(ctx, `
insert or replace into uses (store, conversation, session, memory, of, how, corrected, at)
select key, ?2, ?3, ?4, ?5, ?6, ?7, ?8
from stores
where tag = ?1`, store, u.Conversation, u.Session, u.Key, u.Check, u.How, u.Corrected, u.At.UnixMilli())
			err = errors.Join(err, wrong)
		}
		return err
	})
}

// Uses returns what is kept of the uses of a store's memories.
func (b *Book) Uses(ctx context.Context, store string) (all []Use, err error) {
	err = b.each(ctx, func(row *sql.Rows) error {
		var u Use
		var at int64
		err := row.Scan(&u.Conversation, &u.Session, &u.Key, &u.Check, &u.How, &u.Corrected, &at)
		u.At = time.UnixMilli(at)
		all = append(all, u)
		return err
	}, `
select
  conversation,
  session,
  memory,
  of,
  how,
  corrected,
  at
from uses
where store = (select key from stores where tag = ?)`, store)
	return all, err
}
