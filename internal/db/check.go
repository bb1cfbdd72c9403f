package db

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// Check asks the engine whether the file is intact, and returns its problems in the
// engine's words.
func (d *DB) Check(ctx context.Context) (problems []string, err error) {
	if d.cluster != nil {
		err = d.ForLong(ctx, func(copied *DB) (err error) {
			problems, err = copied.Check(ctx)
			return err
		})
		return problems, err
	}
	err = d.snapshot(ctx, func(c *conn) error {
		problems, err = integrity(ctx, c.Conn)
		return err
	})
	if IsDamaged(err) { // the check itself could not go on
		return append(problems, err.Error()), nil
	}
	return problems, explain(err, "check %s", d.path)
}

// integrity runs the engine's own checks: of the pages and constraints, and of
// the references between tables.
func integrity(ctx context.Context, c *sql.Conn) (problems []string, err error) {
	problems, err = column(ctx, c, `pragma integrity_check`)
	if err != nil {
		return nil, err
	}
	if len(problems) == 1 && problems[0] == "ok" {
		problems = nil
	}
	broken, err := column(ctx, c, `
select 'a row of ' || "table" || ' (' || coalesce(rowid, 'without a number') || ') refers to one of ' || "parent" || ' that does not exist'
from pragma_foreign_key_check
limit 100`)
	return append(problems, broken...), err
}

func column(ctx context.Context, c *sql.Conn, query string) (texts []string, err error) {
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

// Versions returns the version of the file's schema, and that of the engine.
func (d *DB) Versions(ctx context.Context) (schema int, engine string, err error) {
	err = d.snapshot(ctx, func(c *conn) error {
		return c.QueryRowContext(ctx, `select user_version, sqlite_version() from pragma_user_version`).Scan(&schema, &engine)
	})
	return schema, engine, explain(err, "read %s", d.path)
}

// IsDamaged reports whether an error says that the file, or the full-text index in it,
// is damaged.
func IsDamaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrCorrupt
}

// Private reports whether only the owner may read the file and those beside it. It
// is true on systems without such permissions.
func (d *DB) Private() (bool, error) {
	files := []string{d.path, d.path + "-wal", d.path + "-shm"}
	if d.cluster != nil { // a node makes its files readable for everybody, and their folder keeps others out
		files = []string{filepath.Dir(d.path)}
	}
	for i, file := range files {
		info, err := os.Stat(file)
		if i > 0 && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, fault.Wrap(fault.Unavailable, err, "check %s", d.path)
		}
		if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			return false, nil
		}
	}
	return true, nil
}

// MakePrivate lets only the owner read and write the file and those beside it.
func (d *DB) MakePrivate() error {
	if d.cluster != nil {
		if err := os.Chmod(filepath.Dir(d.path), 0o700); err != nil {
			return fault.Wrap(fault.ReadOnly, err, "check %s: the permissions of its folder cannot be changed", d.path)
		}
		return nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(d.path+suffix, 0o600); err != nil && (suffix == "" || !errors.Is(err, os.ErrNotExist)) {
			return fault.Wrap(fault.ReadOnly, err, "check %s: its permissions cannot be changed", d.path)
		}
	}
	return nil
}

// Vacuum rewrites the file without the space of deleted rows, and empties the log. It
// returns the sizes before and after, in bytes, and fails with unavailable while
// another process writes.
func (d *DB) Vacuum(ctx context.Context) (before, after int64, err error) {
	if d.cluster != nil {
		return 0, 0, fault.New(fault.InvalidArgument, "vacuum %s: the nodes of a cluster keep their files themselves; to drop the space of deleted rows run hence backup FILE, then hence backup --restore FILE", d.path)
	}
	if err := d.mayWrite("vacuum " + d.path); err != nil {
		return 0, 0, err
	}
	if before, err = d.size(); err != nil {
		return 0, 0, err
	}
	err = d.onWriter(ctx, mergeIndex,
		`pragma temp_store = file`, // vacuum's temporary file is as large as the store
		`vacuum`,
		`pragma wal_checkpoint(truncate)`)
	if err = errors.Join(err, d.onWriter(context.WithoutCancel(ctx), `pragma temp_store = memory`)); err != nil {
		return 0, 0, explain(err, "vacuum %s", d.path)
	}
	after, err = d.size()
	return before, after, err
}

// size is the number of bytes of the file and its log.
func (d *DB) size() (total int64, err error) {
	for _, path := range []string{d.path, d.path + "-wal"} {
		info, err := os.Stat(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return 0, fault.Wrap(fault.Unavailable, err, "measure %s", d.path)
		}
		total += info.Size()
	}
	return total, nil
}
