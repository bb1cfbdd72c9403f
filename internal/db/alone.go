package db

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// needsRoom reports whether the engine failed to open a file because the disk has no space for
// the index of its log (-shm), which all processes share.
func needsRoom(err error) bool {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.ExtendedCode {
	case sqlite3.ErrIoErrSHMOpen, sqlite3.ErrIoErrSHMSize, sqlite3.ErrIoErrSHMMap:
		return true
	}
	return e.Code == sqlite3.ErrFull || e.Code == sqlite3.ErrCantOpen
}

// readAlone opens the readers without the shared index. They treat the file as immutable, which
// is correct only while nobody writes. So one connection holds the exclusive lock until the
// store is closed, and the store is read-only. readAlone fails with unavailable if the log has
// changes, which cannot be read without the index. cause is the error that made it necessary.
func (d *DB) readAlone(ctx context.Context, o Options, cause error) (err error) {
	refuse := func(why string) error {
		return fault.Wrap(fault.Unavailable, cause,
			"open %s: there is no space for %s-shm, which the engine needs, and %s; free 64 KB or more on that disk", d.path, d.path, why)
	}
	if log, err := os.Stat(d.path + "-wal"); err == nil && log.Size() > 0 {
		return refuse("its log has changes that cannot be read without it")
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, err, "open %s", d.path)
	}
	if err := d.file.close(); err != nil {
		return explain(err, "open %s", d.path)
	}
	settings := dsnSettings(o, true)
	settings.Del("mode") // only a writer can lock
	settings.Set("_locking_mode", "EXCLUSIVE")
	if d.lock, err = sql.Open(driver, fileURL(d.path, settings)); err != nil {
		return explain(err, "open %s", d.path)
	}
	d.lock.SetMaxOpenConns(1)
	var objects int
	if err := d.lock.QueryRowContext(ctx, `select count(*) from sqlite_master`).Scan(&objects); err != nil {
		return refuse("the file cannot be locked, which is needed to read it without that file")
	}
	return d.openImmutable(o)
}
