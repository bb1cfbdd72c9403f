package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// Backup copies the store, as it is at one moment, to a new file, while others
// read and write. The copy is checked before it gets its name, so that there
// is a whole backup at path or none. It fails with exists when there is a file
// already.
func (d *DB) Backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.Exists, "backup to %s: there is a file of that name; choose another", path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".hence-backup-*") // 0600
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "backup to %s: the folder cannot be written", path)
	}
	defer removeStore(temp.Name())
	if err := temp.Close(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "backup to %s", path)
	}
	if err := d.copyTo(ctx, temp.Name()); err != nil {
		return explain(err, "backup to %s", path)
	}
	if err := checkCopy(ctx, temp.Name(), "backup to "+path); err != nil {
		return err
	}
	if err := publish(temp.Name(), path); err != nil {
		return fault.Wrap(fault.Unavailable, err, "backup to %s", path)
	}
	return nil
}

// copyTo copies the pages of the store over those of another file, which is
// then one file by itself, without a log beside it.
func (d *DB) copyTo(ctx context.Context, path string) error {
	return d.readers.with(ctx, func(c *conn) error {
		return onFile(ctx, path, func(to *sql.Conn) error {
			if err := copyPages(c.Conn, to); err != nil {
				return err
			}
			var mode string
			return to.QueryRowContext(ctx, `pragma journal_mode = delete`).Scan(&mode)
		})
	})
}

// onFile opens a database for one connection, and closes it after f.
func onFile(ctx context.Context, path string, f func(c *sql.Conn) error) (err error) {
	database, err := sql.Open(driver, fileURL(path, url.Values{"_busy_timeout": {"10000"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	c, err := database.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return f(c)
}

// copyPages copies one database over another, in one step, so that it is of
// one moment. Readers of the target see the old one or the new one.
func copyPages(from, to *sql.Conn) error {
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

// checkCopy refuses a file that is not a whole store of Hence, or not one that
// this version can open.
func checkCopy(ctx context.Context, path, doing string) error {
	err := onFile(ctx, path, func(c *sql.Conn) error {
		file, err := readOrigin(ctx, c)
		if err != nil {
			return err
		}
		if file.application != applicationID {
			return fault.New(fault.InvalidArgument, "%s: it is not a store of Hence", doing)
		}
		if err := file.check(current, doing); err != nil {
			return err
		}
		problems, err := integrity(ctx, c)
		if err == nil && len(problems) > 0 {
			err = fault.New(fault.Internal, "%s: the copy is damaged (%s); run hence doctor on what it was made of", doing, strings.Join(problems[:min(len(problems), 3)], "; "))
		}
		return err
	})
	return explain(err, "%s", doing)
}

// publish gives a finished file its name, and makes that last.
func publish(temp, path string) error {
	f, err := os.OpenFile(temp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	// A link and not a rename, because it never takes another file's place.
	if err := os.Link(temp, path); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("there is a file of that name by now: %w", err)
	} else if err != nil {
		if err := os.Rename(temp, path); err != nil { // a file system without hard links
			return err
		}
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	_ = folder.Sync() // not every system can
	return folder.Close()
}

// removeStore removes a database that nobody uses, with what is beside it.
func removeStore(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_ = os.Remove(path + suffix)
	}
}

// RestoreBackup puts a backup in the place of the store at path, whole or not
// at all; other processes that have the store open see it from then on. What
// was there is first saved beside it, under the name that is returned, ""
// where there was nothing. It fails with invalid_argument when the backup is
// not a store of Hence.
func RestoreBackup(ctx context.Context, backup, path string, o Options) (saved string, err error) {
	doing := "restore " + backup
	if _, err := os.Stat(backup); err != nil {
		return "", fault.Wrap(fault.NotFound, err, "%s: there is no such file", doing)
	}
	if same, err := sameFile(backup, path); err != nil || same {
		return "", fault.New(fault.InvalidArgument, "%s: that is the store itself; name a backup of it", doing)
	}
	if err := checkCopy(ctx, backup, doing); err != nil {
		return "", err
	}
	_, err = os.Stat(path)
	fresh := errors.Is(err, os.ErrNotExist)
	d, err := Open(ctx, path, o)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if !fresh {
		saved = path + ".before-restore-" + strings.NewReplacer(":", "", "-", "", ".", "").Replace(Now())
		if err := d.Backup(ctx, saved); err != nil {
			return "", err
		}
	}
	return saved, explain(d.replaceWith(ctx, backup), "%s", doing)
}

func sameFile(a, b string) (bool, error) {
	first, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	second, err := os.Stat(b)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(first, second), err
}

// replaceWith copies the pages of another database over the store's.
func (d *DB) replaceWith(ctx context.Context, backup string) error {
	if d.readOnly {
		return fault.New(fault.ReadOnly, "write to %s: it was opened read-only; start without --read-only to write", d.path)
	}
	return onFile(ctx, backup, func(from *sql.Conn) error {
		return onFile(ctx, d.path, func(to *sql.Conn) error { return copyPages(from, to) })
	})
}
