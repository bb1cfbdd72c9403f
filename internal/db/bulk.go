package db

import (
	"context"
	"errors"
)

// The settings of the writer: as usual, and during a bulk write. The larger cache saves
// writing pages to the log several times within one transaction. The rarer checkpoint
// copies a page to the file once for many transactions that change it, as happens with
// indexes on hashes.
const (
	usual  = "pragma cache_size = -16000; pragma wal_autocheckpoint = 1000"
	atBulk = "pragma cache_size = -64000; pragma wal_autocheckpoint = 8000"
)

// Bulk calls do with settings of the writer that make many writes faster and take up to
// 48 MB more memory. On a cluster or a read-only store it only calls do.
func (d *DB) Bulk(ctx context.Context, do func() error) error {
	if d.readOnly || d.cluster != nil {
		return do()
	}
	if err := d.onWriter(ctx, atBulk); err != nil {
		return explain(err, "write to %s", d.path)
	}
	err := do()
	return errors.Join(err, explain(d.onWriter(context.WithoutCancel(ctx), usual), "write to %s", d.path))
}

// onWriter runs statements on the connection that writes, outside a transaction.
func (d *DB) onWriter(ctx context.Context, statements ...string) error {
	return d.using(ctx, func(g *generation) error {
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
