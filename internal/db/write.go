package db

import (
	"context"
	"sync/atomic"

	"hence/internal/fault"
)

// Stmt is one statement of a transaction.
type Stmt struct {
	SQL  string // a constant; values that vary are in Args
	Args []any
	// Refused is the error that Write returns if a constraint or a trigger of the schema
	// refuses this statement; if it is nil, Write returns the engine's error.
	Refused error
}

// S returns a statement with its arguments.
func S(text string, args ...any) Stmt { return Stmt{SQL: text, Args: args} }

// Or returns the statement with Refused set to err.
func (s Stmt) Or(err error) Stmt {
	s.Refused = err
	return s
}

// Rows is a list of rows of values, as an argument that a statement reads with json_each.
type Rows [][]any

// Row adds a row.
func (r *Rows) Row(values ...any) { *r = append(*r, values) }

// Arg returns the rows as JSON.
func (r Rows) Arg() string { return List(r) }

// Expect returns a statement that rolls back the transaction with err unless the condition, a
// constant SQL expression, is true at that point.
func Expect(condition string, err error, args ...any) Stmt {
	return Stmt{SQL: "insert into expectation (holds) select " + condition, Args: args, Refused: err}
}

const (
	insertWriter = `
insert into writer (only_row, batch, last_at, kept)
select
  1,
  max(coalesce(last.batch, 0), 0),
  coalesce(last.at, ''),
  (select coalesce(max(seq), 0) from journal)
from (select max(batch) as batch, max(at) as at from journal where batch is not null) last
where not exists (select 1 from writer)`
	clearWriter = `update writer set actor = '', at = ''`

	beginWriting = `
update writer
set
  actor = ?,
  at = max(?, last_at),
  batch = batch + 1,
  kept = min(kept, (select coalesce(max(seq), 0) from journal)) -- less, if somebody deleted its last rows`
	endWriting = `update writer set last_at = at, actor = '', at = ''`
)

// ErrNoWriter is the error of every Write if somebody deleted the only row of the table writer.
// Write then changes nothing, because the journal would not record it. MendWriter restores the
// row.
var ErrNoWriter = fault.New(fault.Unavailable, "the table writer has no row, so the journal would not record the change; hence doctor --fix restores the row")

// Write runs the statements as one transaction, in the name of actor, and returns the number of
// rows that each statement changed. The time of the transaction is now, or that of the previous
// one if that is later, because a clock may be set back, and a transaction may wait for another.
// If a statement fails, Write changes nothing. If the schema refuses a statement, Write returns
// the statement's Refused error.
func (d *DB) Write(ctx context.Context, actor, now string, statements ...Stmt) (changed []int64, err error) {
	if err := d.mayWrite("write to " + d.path); err != nil {
		return nil, err
	}
	changed, err = d.engine.write(ctx, actor, now, statements)
	return changed, explain(err, "write to %s", d.path)
}

// mayWrite fails with read_only if the store is opened read-only. doing begins the message.
func (d *DB) mayWrite(doing string) error {
	if d.readOnly != "" {
		return fault.New(fault.ReadOnly, "%s: %s", doing, d.readOnly)
	}
	return nil
}

// nameWriter records the actor and time of the statements that follow. It fails with ErrNoWriter
// if the table writer has no row.
func (c *conn) nameWriter(ctx context.Context, actor, now string) error {
	result, err := c.exec(ctx, beginWriting, actor, now)
	if err != nil {
		return err
	}
	if rows, err := result.RowsAffected(); err != nil || rows == 1 {
		return err
	}
	return ErrNoWriter
}

// MendWriter restores the row of the table writer, with the number and time of the journal's
// last transaction. If the row exists, MendWriter clears a name that somebody set in it by hand.
func (d *DB) MendWriter(ctx context.Context) error {
	if err := d.mayWrite("write to " + d.path); err != nil {
		return err
	}
	return explain(d.engine.mend(ctx, S(`select count(*) = 1 from writer`), S(insertWriter), S(clearWriter)), "write to %s", d.path)
}

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
