package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"

	"hence/internal/db/remote"
	"hence/internal/fault"
)

// Backup copies a snapshot of the store to a new file, while others read and write. It checks
// the copy before it gives it its name, so that path has a complete backup or none. It fails
// with exists if the file exists.
func (d *DB) Backup(ctx context.Context, path string) error { return d.backup(ctx, path, current) }

// backup is Backup for a build with the given history.
func (d *DB) backup(ctx context.Context, path string, h history) error {
	if _, err := os.Lstat(path); err == nil {
		return fault.New(fault.Exists, "backup to %s: the file exists; choose another name", path)
	}
	temp, err := CreateBeside("backup to "+path, path, ".hence-backup-*")
	if err != nil {
		return err
	}
	defer removeStore(temp.Name())
	if err := temp.Close(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "backup to %s", path)
	}
	if err := d.copyTo(ctx, temp.Name()); err != nil {
		return explain(err, "backup to %s", path)
	}
	if err := checkCopy(ctx, temp.Name(), "backup to "+path, h); err != nil {
		return err
	}
	if err := publish(temp.Name(), path); err != nil {
		return fault.Wrap(fault.Unavailable, err, "backup to %s", path)
	}
	return nil
}

// CreateBeside creates a file beside a path, with a name of the pattern, that only the user reads. doing begins the
// errors: not_found if there is no such folder, unavailable if it cannot be written.
func CreateBeside(doing, path, pattern string) (*os.File, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), pattern)
	switch at, isAt := errors.AsType[*fs.PathError](err); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "%s: there is no folder %s; make it first", doing, filepath.Dir(path))
	case isAt:
		return nil, fault.Wrap(fault.Unavailable, at.Err, "%s: the folder cannot be written", doing)
	}
	return temp, err
}

// copyTo replaces the pages of another file by those of the store. The file then has no log, and
// is a plain store, also if this is that of a cluster.
func (d *DB) copyTo(ctx context.Context, path string) error {
	return d.engine.read(ctx, func(c *conn) error {
		return withFile(ctx, path, func(target *conn) error {
			if err := copyPages(c, target); err != nil {
				return err
			}
			if err := dropLog(ctx, target); err != nil {
				return err
			}
			return leaveCluster(ctx, target)
		})
	})
}

// withFile opens a file, calls f with a connection to it, and closes it.
func withFile(ctx context.Context, path string, f func(c *conn) error) error {
	return withDatabase(ctx, fileURL(path, url.Values{"_busy_timeout": {"10000"}}), f)
}

// withDatabase is withFile for the URL of a file.
func withDatabase(ctx context.Context, address string, f func(c *conn) error) (err error) {
	database, err := sql.Open(driver, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	opened, err := database.Conn(ctx)
	if err != nil {
		return err
	}
	c := &conn{Conn: opened, prepared: map[string]*sql.Stmt{}}
	defer func() { err = errors.Join(err, c.close()) }()
	return f(c)
}

// copyPages replaces the database of the connection to by that of from in one step, so that the
// copy is a snapshot. Readers of the target see the old database or the new one.
func copyPages(from, to *conn) error {
	return from.Raw(func(source any) error {
		return to.Raw(func(target any) error {
			b, err := target.(*sqlite3.SQLiteConn).Backup("main", source.(*sqlite3.SQLiteConn), "main")
			if err != nil {
				return err
			}
			done, err := b.Step(-1)
			if err == nil && !done {
				err = sqlite3.Error{Code: sqlite3.ErrBusy}
			}
			return errors.Join(err, b.Finish())
		})
	})
}

// InCopy calls do with a copy of the store, such as a backup, open for writing; the file has no log afterwards. It
// fails with conflict if the file is not a copy of this store.
func (d *DB) InCopy(ctx context.Context, path string, do func(copied *DB) error) (err error) {
	const selectOwn = `select tag || '-' || own from store`
	own, _, err := One[string](ctx, d, selectOwn)
	if err != nil {
		return err
	}
	copied, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	theirs, _, err := One[string](ctx, copied, selectOwn)
	if err == nil && theirs != own {
		err = fault.New(fault.Conflict, "%s is a copy of another store", path)
	}
	if err == nil {
		err = do(copied)
	}
	if err = errors.Join(err, copied.Close()); err != nil {
		return err
	}
	return explain(withFile(ctx, path, func(c *conn) error { return dropLog(ctx, c) }), "write to %s", path)
}

// dropLog copies the log of a file into it, and has it keep none.
func dropLog(ctx context.Context, c *conn) error {
	var mode string
	return c.QueryRowContext(ctx, `pragma journal_mode = delete`).Scan(&mode)
}

// checkCopy fails if a file is damaged, or is not a store that a build with the given history
// opens. doing begins the error messages.
func checkCopy(ctx context.Context, path, doing string, h history) error {
	err := withFile(ctx, path, func(c *conn) error {
		file, err := readOrigin(ctx, c)
		if err != nil {
			return err
		}
		if file.application != applicationID {
			return fault.New(fault.InvalidArgument, "%s: it is not a store of Hence", doing)
		}
		if err := file.check(h, doing); err != nil {
			return err
		}
		problems, err := integrity(ctx, c.Conn)
		if err == nil && len(problems) > 0 {
			err = fault.New(fault.Internal, "%s: the copy is damaged (%s); run hence doctor on the original", doing, strings.Join(problems[:min(len(problems), 3)], "; "))
		}
		return err
	})
	return explain(err, "%s", doing)
}

// publish gives a finished file its name, and syncs the file and the folder.
func publish(temp, path string) error {
	f, err := os.OpenFile(temp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	// Link instead of Rename, because it never replaces a file.
	if err := os.Link(temp, path); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("another program has created the file: %w", err)
	} else if err != nil {
		if err := os.Rename(temp, path); err != nil { // the file system may have no hard links
			return err
		}
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	_ = folder.Sync() // not every system supports this
	return folder.Close()
}

// removeStore removes a database that is not in use, and the files beside it.
func removeStore(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_ = os.Remove(path + suffix)
	}
}

// RestoreBackup replaces the store at path by a backup, completely or not at all. Processes
// that have the store open continue with the backup. It first saves the old store beside it,
// and returns the path of that file, "" if there was no store. It fails with invalid_argument
// if the backup is not a store. It replaces the store of a cluster on all nodes: see Adopt.
func RestoreBackup(ctx context.Context, backup, path string, o Options) (saved string, err error) {
	doing := "restore " + backup
	backupInfo, err := os.Stat(backup)
	if err != nil {
		return "", fault.Wrap(fault.NotFound, err, "%s: there is no such file", doing)
	}
	oldInfo, err := os.Stat(path)
	isNew := errors.Is(err, os.ErrNotExist)
	if err != nil && !isNew || os.SameFile(backupInfo, oldInfo) {
		return "", fault.New(fault.InvalidArgument, "%s: the file is the store itself; name a backup of it", doing)
	}
	if remote.Is(path) {
		return restoreCluster(ctx, backup, path, o)
	}
	if err := checkForeign(ctx, backup, doing); err != nil {
		return "", err
	}
	d, err := Open(ctx, path, o)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if !isNew {
		saved = savedName(path, beforeRestore)
		if err := d.Backup(ctx, saved); err != nil {
			return "", err
		}
	}
	if err := d.mayWrite("write to " + d.path); err != nil {
		return saved, err
	}
	return saved, explain(withFile(ctx, backup, func(from *conn) error {
		return withFile(ctx, d.path, func(to *conn) error { return copyPages(from, to) })
	}), "%s", doing)
}

// beforeRestore is the reason in the name of a store that is saved before a restore.
const beforeRestore = "restore"

// savedName returns the path to which a store is saved before a restore or a migration.
func savedName(path, reason string) string {
	return path + ".before-" + reason + "-" + strings.NewReplacer(":", "", "-", "", ".", "").Replace(Now())
}
