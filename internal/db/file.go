package db

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"hence"
	"hence/internal/fault"
	"hence/internal/pause"
)

// file is a store in a file of this machine.
type file struct {
	holder
	readOnly bool
	wait     time.Duration // for another process
	erases   atomic.Bool   // the log may hold text that was purged
}

func newFile(path string, o Options) *file {
	o.Wait = cmp.Or(o.Wait, defaultWait)
	return &file{readOnly: o.ReadOnly, wait: o.Wait, holder: holder{path: path, open: func() (g *generation, err error) {
		g = &generation{wait: o.Wait}
		if g.writer, err = newPool(writing, dsn(path, o, false), "begin immediate", 1); err == nil {
			g.writer.wait = o.Wait
			g.readers, err = newPool(driver, dsn(path, o, true), "begin", readerCount())
		}
		return g, explain(err, "open %s", path)
	}}}
}

func (f *file) read(ctx context.Context, read func(c *conn) error) error {
	return f.using(ctx, func(g *generation) error {
		err := g.readers.run(ctx, read)
		if _, ok := f.isInPlace(g); err == nil && !ok {
			err = fault.New(fault.Unavailable, "read %s: its files were replaced while it was read; try again", f.path)
		}
		return err
	})
}

func (f *file) write(ctx context.Context, actor, now string, statements []Stmt) (changed []int64, err error) {
	err = f.noted(ctx, func(c *conn) (err error) {
		if changed, err = c.batch(ctx, actor, now, statements); err != nil {
			return err
		}
		return c.endBatch(ctx)
	})
	if err == nil {
		f.erase(ctx, statements)
	}
	return changed, err
}

// noted is writing that the receipt of the context records.
func (f *file) noted(ctx context.Context, write func(c *conn) error) error {
	receipt := receiptOf(ctx)
	var before, after int64
	err := f.writing(ctx, func(c *conn) (err error) {
		if before, err = receipt.lastRow(ctx, c); err != nil {
			return err
		}
		if err = write(c); err == nil {
			after, err = receipt.lastRow(ctx, c)
		}
		return err
	})
	if err == nil {
		receipt.note(before, after)
	}
	return err
}

// batch runs the statements of a batch within a transaction. endBatch must follow.
func (c *conn) batch(callerCtx context.Context, actor, now string, statements []Stmt) (changed []int64, err error) {
	// The driver starts a goroutine for every statement that can be cancelled. Statements
	// are short, so it is enough to check for cancellation between two of them.
	ctx := context.WithoutCancel(callerCtx)
	changed = make([]int64, len(statements))
	if err := c.nameWriter(ctx, actor, now); err != nil {
		return nil, err
	}
	for i, s := range statements {
		if err := callerCtx.Err(); err != nil {
			return nil, err
		}
		result, err := c.exec(ctx, s.SQL, s.Args...)
		if err != nil && s.Refused != nil && IsRefused(err) {
			return nil, s.Refused
		}
		if err != nil {
			return nil, err
		}
		if changed[i], err = result.RowsAffected(); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// endBatch does the upkeep, and clears the name of the writer.
func (c *conn) endBatch(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	waiting, err := computed(ctx, c)
	if err != nil {
		return err
	}
	return c.run(ctx, slices.Concat(waiting, Upkeep, []Stmt{S(endWriting)}))
}

// writing calls f with the connection that writes, in a transaction that is committed only to the
// files that the path names.
func (f *file) writing(ctx context.Context, write func(c *conn) error) error {
	return f.using(ctx, func(g *generation) error {
		err := g.writer.run(ctx, func(c *conn) error {
			if err := write(c); err != nil {
				return err
			}
			if _, ok := f.isInPlace(g); !ok {
				return errMoved
			}
			return nil
		})
		if _, ok := f.isInPlace(g); err == nil && !ok {
			err = fault.New(fault.OutcomeUnknown, "write to %s: its files were removed or replaced at that moment; see with hence log whether it was written, before it is repeated", f.path)
		}
		return err
	})
}

func (f *file) mend(ctx context.Context, _ Stmt, statements ...Stmt) error {
	return f.writing(ctx, func(c *conn) error { return c.run(ctx, statements) })
}

// run runs statements one after the other.
func (c *conn) run(ctx context.Context, statements []Stmt) error {
	for _, s := range statements {
		if _, err := c.exec(ctx, s.SQL, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) long(_ context.Context, d *DB, read func(d *DB) error) error { return read(d) }

func (f *file) private() (paths []string, mode os.FileMode) {
	return []string{f.path, f.path + "-wal", f.path + "-shm"}, 0o600
}

// The settings of the writer: as usual, and during a bulk write. The larger cache saves
// writing pages to the log several times within one transaction. The rarer checkpoint
// copies a page to the file once for many transactions that change it, as happens with
// indexes on hashes.
const (
	usual  = "pragma cache_size = -16000; pragma wal_autocheckpoint = 1000"
	atBulk = "pragma cache_size = -64000; pragma wal_autocheckpoint = 8000"
)

func (f *file) bulk(ctx context.Context, do func() error) error {
	if f.readOnly {
		return do()
	}
	if err := f.onWriter(ctx, atBulk); err != nil {
		return explain(err, "write to %s", f.path)
	}
	err := do()
	return errors.Join(err, explain(f.onWriter(context.WithoutCancel(ctx), usual), "write to %s", f.path))
}

// onWriter runs statements on the connection that writes, outside a transaction.
func (f *file) onWriter(ctx context.Context, statements ...string) error {
	return f.using(ctx, func(g *generation) error {
		c, err := g.writer.take(ctx)
		if err != nil {
			return err
		}
		defer g.writer.release(c)
		for _, statement := range statements {
			if _, err := c.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *file) vacuum(ctx context.Context) (before, after int64, err error) {
	if before, err = f.size(); err != nil {
		return 0, 0, err
	}
	err = f.onWriter(ctx, mergeIndex,
		`pragma temp_store = file`, // vacuum's temporary file is as large as the store
		`vacuum`,
		`pragma wal_checkpoint(truncate)`)
	if err = errors.Join(err, f.onWriter(context.WithoutCancel(ctx), `pragma temp_store = memory`)); err != nil {
		return 0, 0, explain(err, "vacuum %s", f.path)
	}
	after, err = f.size()
	return before, after, err
}

// size is the number of bytes of the file and its log.
func (f *file) size() (total int64, err error) {
	for _, path := range []string{f.path, f.path + "-wal"} {
		info, err := os.Stat(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return 0, fault.Wrap(fault.Unavailable, err, "measure %s", f.path)
		}
		total += info.Size()
	}
	return total, nil
}

func (f *file) origin(ctx context.Context) (is origin, err error) {
	err = RetryBusy(ctx, f.wait, func() error {
		return f.using(ctx, func(g *generation) (err error) {
			is, err = readOrigin(ctx, g.readers.db)
			return err
		})
	})
	return is, err
}

func (f *file) upgrade(ctx context.Context, d *DB, h history, from int, script, saved string) (copied bool, err error) {
	err = RetryBusy(ctx, f.wait, func() error {
		return f.writing(ctx, func(c *conn) error {
			var version int
			err := c.QueryRowContext(ctx, `select user_version from pragma_user_version`).Scan(&version)
			if err != nil || version != from {
				return err
			}
			if saved != "" {
				// This transaction has the write lock, so the store cannot change during the copy.
				if err := d.backup(ctx, saved, h); err != nil {
					return err
				}
				copied = true
			}
			if _, err = c.ExecContext(ctx, script); err != nil {
				return err
			}
			_, err = c.ExecContext(ctx, upsertStore, hence.ThisBuild().String(), h.hash, newTag(), rand.Text())
			return err
		})
	})
	if err != nil && copied {
		_ = os.Remove(saved) // the store was not changed
	}
	return copied, explain(err, "open %s: migrate from schema version %d", f.path, from)
}

// RetryBusy calls try again while another process has the file for itself, for as long as wait. SQLite
// itself does not wait for the lock with which a new file gets its write-ahead log.
func RetryBusy(ctx context.Context, wait time.Duration, try func() error) error {
	for deadline := time.Now().Add(wait); ; {
		err := try()
		if !IsBusy(err) || time.Now().After(deadline) || pause.For(ctx, fileRetry) != nil {
			return err
		}
	}
}

// mergeIndex merges the segments of the full-text index into one.
const mergeIndex = `insert into section_search (section_search) values ('optimize')`

// EraseDeleted are the statements with which a batch ends that has deleted memories for good. They
// merge the full-text index, whose segments keep the words of deleted rows until then; Write then
// empties the log into the file. The engine overwrites what it deletes (secure_delete), but leaves
// what it has moved within half-used pages, until Vacuum.
//
// FTS5 drops these words only where it merges into the last of its levels. If the last one is empty
// afterwards (the record of the levels ends with two zeros), or there are many, the index is rebuilt.
var EraseDeleted = []Stmt{S(mergeIndex), S(`
insert into section_search (section_search)
select 'rebuild'
from section_search_data
where id = 10
  and (substr(block, -2) = x'0000' or substr(block, 5, 1) > x'28')`)}

// erase empties the log after a batch that deleted text for good, or after a later one if other
// processes were reading the log then.
func (f *file) erase(ctx context.Context, statements []Stmt) {
	if erases(statements) {
		f.erases.Store(true)
	}
	if !f.erases.Load() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	// The batch is written whatever becomes of this; KeepsErased tells.
	_ = f.using(ctx, func(g *generation) error {
		whole, err := g.checkpoint(ctx, "truncate")
		f.erases.Store(err != nil || !whole)
		return err
	})
}

// erases reports whether a batch has EraseDeleted.
func erases(statements []Stmt) bool {
	return slices.ContainsFunc(statements, func(s Stmt) bool { return s.SQL == mergeIndex })
}

func (f *file) keepsErased() string {
	if f.erases.Load() {
		return "another process is reading the store, and until a later change the text is still in its log, " + f.path + "-wal"
	}
	return ""
}

// Scrub rewrites the file after texts were deleted for good, so that no half-used page keeps a piece of
// them, and empties the log. It says in words where they still are: "" in no file of the store's own. It
// fails with unavailable while another process writes. The nodes of a cluster keep their files themselves.
func (d *DB) Scrub(ctx context.Context) (where string, err error) {
	if err := d.mayWrite("erase from " + d.path); err != nil {
		return "", err
	}
	if f, ok := d.engine.(*file); ok {
		if _, _, err := f.vacuum(ctx); err != nil {
			return "", err
		}
		f.erase(ctx, EraseDeleted)
	}
	return d.KeepsErased(), nil
}
