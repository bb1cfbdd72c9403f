package db

import (
	"context"
	"errors"
)

// The settings of the writer, and those while much is written. A transaction whose
// changed pages outgrow the cache writes some of them to the log several times. Pages
// that many transactions change, as those of indexes on hashes, are copied from the log
// to the file once for all of them.
const (
	usual  = "pragma cache_size = -16000; pragma wal_autocheckpoint = 1000"
	atBulk = "pragma cache_size = -64000; pragma wal_autocheckpoint = 8000"
)

// Bulk calls do, which writes much, with settings that make this faster and take up to
// 48 MB more memory.
func (d *DB) Bulk(ctx context.Context, do func() error) error {
	if d.readOnly || d.cluster != nil {
		return do()
	}
	if err := d.setWriter(ctx, atBulk); err != nil {
		return explain(err, "write to %s", d.path)
	}
	err := do()
	return errors.Join(err, explain(d.setWriter(context.WithoutCancel(ctx), usual), "write to %s", d.path))
}

func (d *DB) setWriter(ctx context.Context, settings string) error {
	c, err := d.writer.take(ctx)
	if err != nil {
		return err
	}
	defer d.writer.release(c)
	_, err = c.ExecContext(context.WithoutCancel(ctx), settings)
	return err
}
