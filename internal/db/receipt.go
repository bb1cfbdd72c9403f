package db

import (
	"context"
	"sync/atomic"
)

// Receipt records the last row of the journal that the writes with a context inserted. Rows of
// other writers do not count.
type Receipt struct{ last atomic.Int64 }

// Last returns the number of the last row of the journal that one of the writes inserted, 0 if
// none did.
func (r *Receipt) Last() int64 { return r.last.Load() }

// In returns a context for writes that this receipt records.
func (r *Receipt) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, receiptKey{}, r)
}

type receiptKey struct{}

// receiptOf returns the receipt of a context, nil if it has none.
func receiptOf(ctx context.Context) *Receipt {
	r, _ := ctx.Value(receiptKey{}).(*Receipt)
	return r
}

// note records a write, given the numbers of the journal's last row before and after it.
func (r *Receipt) note(before, after int64) {
	if r != nil && after > before {
		r.last.Store(after)
	}
}

const selectLastRow = `select coalesce(max(seq), 0) from journal`

// lastRow returns the number of the journal's last row in a transaction, 0 if there is no
// receipt.
func (r *Receipt) lastRow(ctx context.Context, c *conn) (seq int64, err error) {
	if r != nil {
		err = c.QueryRowContext(ctx, selectLastRow).Scan(&seq)
	}
	return seq, err
}
