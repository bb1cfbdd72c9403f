package db

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/mattn/go-sqlite3"

	"hence"
	"hence/internal/fault"
)

// applicationID marks a file as a store of Hence: "Henc" in ASCII.
const applicationID = 0x48656e63

//go:embed migrations/1-to-2.sql
var from1to2 string

//go:embed migrations/2-to-3.sql
var from2to3 string

// migrations lead from one version of the schema to the next: the first one
// from version 1 to version 2. A fresh file needs none: it runs schema.sql.
var migrations = []string{from1to2, from2to3}

// migrate brings the file to the current version, or refuses it. A file that
// is current is only read: opening takes the write lock only when there is
// something to do.
func (d *DB) migrate(ctx context.Context, migrations []string) error {
	current := len(migrations) + 1
	version, err := d.version(ctx)
	if err != nil {
		return err
	}
	switch {
	case version == current:
		return nil
	case version > current:
		return fault.New(fault.InvalidArgument, "open %s: it was made by a newer Hence (schema %d, this one knows %d); update hence", d.path, version, current)
	case d.readOnly:
		return fault.New(fault.ReadOnly, "open %s: its schema is to be brought from version %d to %d first; open it once without --read-only", d.path, version, current)
	}
	if version == 0 {
		return d.upgrade(ctx, 0, hence.Schema)
	}
	for ; version < current; version++ {
		if err := d.upgrade(ctx, version, migrations[version-1]); err != nil {
			return err
		}
	}
	return nil
}

// version reads the version of the file's schema: 0 for an empty file. A
// database of something else is refused.
func (d *DB) version(ctx context.Context) (int, error) {
	var version, application, objects int
	err := d.untilFree(ctx, func() error {
		return d.writer.db.QueryRowContext(ctx, `
select
  (select user_version from pragma_user_version),
  (select application_id from pragma_application_id),
  (select count(*) from sqlite_master)`).Scan(&version, &application, &objects)
	})
	if err != nil {
		return 0, explain(err, "open %s", d.path)
	}
	if objects > 0 && application != applicationID {
		return 0, fault.New(fault.InvalidArgument, "open %s: it is a database, but not one of Hence; name another with --db", d.path)
	}
	return version, nil
}

// untilFree tries again for as long as writers wait. SQLite waits for a lock by
// itself, but not for the one that a new file is given its write-ahead log
// under, which several processes may want at once.
func (d *DB) untilFree(ctx context.Context, once func() error) error {
	for until := time.Now().Add(d.wait); ; {
		err := once()
		var e sqlite3.Error
		if !errors.As(err, &e) || e.Code != sqlite3.ErrBusy || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(openRetry):
		}
	}
}

const openRetry = 5 * time.Millisecond

// upgrade runs one script in a transaction of its own, unless another process
// has done so while this one waited for the lock.
func (d *DB) upgrade(ctx context.Context, from int, script string) error {
	err := d.writer.with(ctx, func(c *conn) error {
		var version int
		err := c.QueryRowContext(ctx, `select user_version from pragma_user_version`).Scan(&version)
		if err != nil || version != from {
			return err
		}
		_, err = c.ExecContext(ctx, script)
		return err
	})
	return explain(err, "open %s: migrate from schema version %d", d.path, from)
}
