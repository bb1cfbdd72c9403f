package receipts

import (
	"context"
	"database/sql"
	"time"

	"hence/internal/fault"
)

// erased stands in place of arguments that held, or may have held, a text that was erased.
const erased = "[erased]"

// Erase takes the arguments of a store's receipts out of the file and its log for which holds is true, and
// returns how many these are. Receipts have no other text: what was shown is named by numbers. Receipts of answers
// from before, which still wait to be added, are added without arguments: see add. A nil book has none.
func (b *Book) Erase(ctx context.Context, store string, holds func(r Receipt) bool) (n int, err error) {
	if b == nil {
		return 0, nil
	}
	err = b.write(ctx, func(tx *sql.Tx) error {
		keys := []int64{}
		err := each(ctx, tx, func(row *sql.Rows) error {
			r, err := scanReceipt(row)
			if err == nil && r.Arguments != erased && holds(r) {
				keys = append(keys, r.Key)
			}
			return err
		}, selectReceipts, store)
		for _, key := range keys {
			if err == nil {
				_, err = tx.ExecContext(ctx, `update receipts set arguments = ? where key = ?`, erased, key)
			}
		}
		if err != nil {
			return err
		}
		n = len(keys)
		_, err = tx.ExecContext(ctx, `
insert into stores (tag, erased)
values (?, ?)
on conflict do update
set erased = max(erased, excluded.erased)`, store, time.Now().UnixMilli())
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, b.emptyLog(ctx)
}

// emptyLog copies the log into the file and cuts it, so that no old page is left in it.
func (b *Book) emptyLog(ctx context.Context) error {
	var busy, pages, done int
	err := b.db.QueryRowContext(ctx, `pragma wal_checkpoint(truncate)`).Scan(&busy, &pages, &done)
	if err == nil && busy != 0 {
		err = fault.New(fault.Unavailable, "the log of the receipts still has old pages, because another process reads them; try again")
	}
	return err
}
