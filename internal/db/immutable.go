package db

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// mayNotWrite reports whether the engine failed to open a file for reading because this process
// may not write to it or to its folder: to read the log, the engine must create an index there.
func mayNotWrite(err error, path string) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok || e.Code != sqlite3.ErrReadonly && e.Code != sqlite3.ErrCantOpen {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_ = f.Close()
		return e.Code == sqlite3.ErrReadonly
	}
	return !errors.Is(err, os.ErrNotExist)
}

// immutable is a file that this process may not write. The engine treats it as immutable, and does
// not lock it, because that needs the permission to write. A read during which another process writes
// to the file fails; the next one opens it again.
type immutable struct {
	*file
	following sync.Mutex
	opened    os.FileInfo
}

// openImmutable opens the file of a store as immutable, which the engine could not open for a
// cause. It fails with unavailable if the log beside the file has changes.
func (d *DB) openImmutable(o Options, cause error) error {
	opened, err := statImmutable(d.path)
	if err != nil {
		return errors.Join(err, cause)
	}
	if err := d.engine.(*file).holder.close(); err != nil {
		return explain(err, "open %s", d.path)
	}
	settings := dsnSettings(o, true)
	settings.Set("immutable", "1")
	f := newFile(d.path, o)
	f.open = func() (g *generation, err error) {
		g = &generation{fixed: true}
		g.readers, err = newPool(driver, fileURL(d.path, settings), "begin", readerCount())
		return g, explain(err, "open %s", d.path)
	}
	d.engine = &immutable{file: f, opened: opened}
	return nil
}

func (i *immutable) read(ctx context.Context, f func(c *conn) error) error {
	opened, err := i.follow()
	if err != nil {
		return err
	}
	err = i.file.read(ctx, f)
	now, failed := statImmutable(i.path)
	if failed == nil && isChanged(opened, now) {
		failed = fault.New(fault.Unavailable, "read %s: another process has written to it in the meantime; try again", i.path)
	}
	return cmp.Or(failed, err)
}

// follow has the file opened again if another process has written to it, and returns what it is like now.
func (i *immutable) follow() (os.FileInfo, error) {
	i.following.Lock()
	defer i.following.Unlock()
	now, err := statImmutable(i.path)
	if err != nil || !isChanged(i.opened, now) {
		return now, err
	}
	if g, err := i.take(); err == nil { // else it is closed, as the read will say
		i.drop(g)
		i.release(g)
	}
	i.opened = now
	return now, nil
}

func isChanged(before, now os.FileInfo) bool {
	return before.Size() != now.Size() || !before.ModTime().Equal(now.ModTime()) || !os.SameFile(before, now)
}

// statImmutable returns the size and time of a file. It fails with unavailable if the log beside
// it has changes.
func statImmutable(path string) (os.FileInfo, error) {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil, fault.New(fault.Unavailable, "read %s: another process writes to it, and to read its log needs the permission to write; try again later, or as its owner", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "read %s", path)
	}
	return info, nil
}
