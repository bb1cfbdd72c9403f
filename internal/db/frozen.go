package db

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// mayNotWrite reports whether the engine failed to open a file for reading because this
// process may not write to it, or beside it: to read the log it needs an index, which it
// cannot make there.
func mayNotWrite(err error, path string) bool {
	var e sqlite3.Error
	if !errors.As(err, &e) || e.Code != sqlite3.ErrReadonly && e.Code != sqlite3.ErrCantOpen {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_ = f.Close()
		return e.Code == sqlite3.ErrReadonly
	}
	return !errors.Is(err, os.ErrNotExist)
}

// readFrozen opens the readers of a file that this process may not write. They take it
// as immutable, and lock nobody out: that takes the right to write. So a log that holds
// changes is refused, and each read fails that another process has written in between.
// cause is why the engine did not open the file.
func (d *DB) readFrozen(ctx context.Context, o Options, cause error) (err error) {
	if d.frozen, err = d.stand(); err != nil {
		return errors.Join(err, cause)
	}
	err = d.closePools()
	d.readers, d.writer = nil, nil
	if err != nil {
		return explain(err, "open %s", d.path)
	}
	return cmp.Or(d.openImmutable(o), ctx.Err())
}

// openImmutable opens the pools of a file that nobody writes.
func (d *DB) openImmutable(o Options) (err error) {
	settings := dsnSettings(o, true)
	settings.Set("immutable", "1")
	if d.writer, err = newPool(driver, fileURL(d.path, settings), "begin", 1); err == nil {
		d.readers, err = newPool(driver, fileURL(d.path, settings), "begin", readerCount())
	}
	d.readOnly = true
	return explain(err, "open %s", d.path)
}

// stand describes the file as it stands, without changes in a log beside it.
func (d *DB) stand() (os.FileInfo, error) {
	if log, err := os.Stat(d.path + "-wal"); err == nil && log.Size() > 0 {
		return nil, fault.New(fault.Unavailable, "read %s: another process writes to it, and its log cannot be read by who may not write; try again later, or as its owner", d.path)
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "read %s", d.path)
	}
	return info, nil
}

// checkFrozen fails if a file that was taken as immutable has changed.
func (d *DB) checkFrozen() error {
	if d.frozen == nil {
		return nil
	}
	now, err := d.stand()
	if err == nil && (now.Size() != d.frozen.Size() || !now.ModTime().Equal(d.frozen.ModTime())) {
		err = fault.New(fault.Unavailable, "read %s: another process has written to it in the meantime; try again", d.path)
	}
	return err
}
