package db

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/mattn/go-sqlite3"

	"hence/internal/fault"
)

// Check asks the engine whether the file is intact, and returns its problems in the
// engine's words.
func (d *DB) Check(ctx context.Context) (problems []string, err error) {
	err = d.ForLong(ctx, func(d *DB) error {
		return d.engine.read(ctx, func(c *conn) error {
			problems, err = integrity(ctx, c.Conn)
			return err
		})
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
	err = d.engine.read(ctx, func(c *conn) error {
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
	paths, _ := d.engine.private()
	for i, path := range paths {
		info, err := os.Stat(path)
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
	paths, mode := d.engine.private()
	for i, path := range paths {
		if err := os.Chmod(path, mode); err != nil && (i == 0 || !errors.Is(err, os.ErrNotExist)) {
			return fault.Wrap(fault.ReadOnly, err, "check %s: its permissions cannot be changed", d.path)
		}
	}
	return nil
}
