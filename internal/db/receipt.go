package db

import (
	"context"
	"sync/atomic"
)

// Receipt records the last row of the journal that the writes of a context made. Rows of
// other writers do not count.
type Receipt struct{ last atomic.Int64 }

// Last is the number of the last row of the journal that one of the writes made, 0 if
// none did.
func (r *Receipt) Last() int64 { return r.last.Load() }

// In returns the context to give to the writes.
func (r *Receipt) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, receiptKey{}, r)
}

type receiptKey struct{}

// receiptOf returns the receipt that a context carries, nil if it has none.
func receiptOf(ctx context.Context) *Receipt {
	r, _ := ctx.Value(receiptKey{}).(*Receipt)
	return r
}

// note takes in the journal's last rows before and after a write.
func (r *Receipt) note(before, after int64) {
	if r != nil && after > before {
		r.last.Store(after)
	}
}

const selectLastRow = `select coalesce(max(seq), 0) from journal`

// lastRow is the journal's last row as a transaction sees it, if somebody asks for it.
func (r *Receipt) lastRow(ctx context.Context, c *conn) (seq int64, err error) {
	if r != nil {
		err = c.QueryRowContext(ctx, selectLastRow).Scan(&seq)
	}
	return seq, err
}
