package db

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// mayNotWrite reports whether the engine failed to open a file for reading because this process
// may not write to it or to its folder: to read the log, the engine must create an index there.
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

// readFrozen opens the readers of a file that this process may not write. They treat it as
// immutable, and do not lock it, because that needs the permission to write. So readFrozen
// fails with unavailable if the log has changes, and a read fails if another process has
// written to the file since. cause is the error of the engine.
func (d *DB) readFrozen(ctx context.Context, o Options, cause error) (err error) {
	if d.frozen, err = d.statFrozen(); err != nil {
		return errors.Join(err, cause)
	}
	if err := d.file.close(); err != nil {
		return explain(err, "open %s", d.path)
	}
	return cmp.Or(d.openImmutable(o), ctx.Err())
}

// openImmutable opens the pools of a file that is not written while it is open.
func (d *DB) openImmutable(o Options) (err error) {
	settings := dsnSettings(o, true)
	settings.Set("immutable", "1")
	g := &generation{fixed: true}
	if g.writer, err = newPool(driver, fileURL(d.path, settings), "begin", 1); err == nil {
		g.readers, err = newPool(driver, fileURL(d.path, settings), "begin", readerCount())
	}
	d.file.current, d.readOnly = g, true
	return explain(err, "open %s", d.path)
}

// statFrozen returns the size and time of the file. It fails with unavailable if the log beside
// it has changes.
func (d *DB) statFrozen() (os.FileInfo, error) {
	if log, err := os.Stat(d.path + "-wal"); err == nil && log.Size() > 0 {
		return nil, fault.New(fault.Unavailable, "read %s: another process writes to it, and to read its log needs the permission to write; try again later, or as its owner", d.path)
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "read %s", d.path)
	}
	return info, nil
}

// checkFrozen fails if a file that is treated as immutable has changed.
func (d *DB) checkFrozen() error {
	if d.frozen == nil {
		return nil
	}
	now, err := d.statFrozen()
	if err == nil && (now.Size() != d.frozen.Size() || !now.ModTime().Equal(d.frozen.ModTime())) {
		err = fault.New(fault.Unavailable, "read %s: another process has written to it in the meantime; try again", d.path)
	}
	return err
}
