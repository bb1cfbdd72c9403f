package db

import (
	"context"
	"database/sql"

	"hence/internal/fault"
)

// origin describes a file, and the version of Hence that wrote it.
type origin struct {
	version     int // version of its schema; 0 for an empty file
	application int
	objects     int    // number of tables, indexes, triggers and views
	signed      bool   // it has the table store
	writtenBy   string // version of Hence; "" if the sqlite3 shell ran schema.sql
	schemaHash  string // "" if the sqlite3 shell ran schema.sql
}

// readOrigin reads the origin of a file.
func readOrigin(ctx context.Context, file interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (o origin, err error) {
	err = file.QueryRowContext(ctx, `
select
  (select user_version from pragma_user_version),
  (select application_id from pragma_application_id),
  (select count(*) from sqlite_master),
  exists (select 1 from sqlite_master where type = 'table' and name = 'store')`).
		Scan(&o.version, &o.application, &o.objects, &o.signed)
	if err != nil || !o.signed {
		return o, err
	}
	err = file.QueryRowContext(ctx, `
select
  coalesce(max(written_by), ''),
  coalesce(max(schema_hash), '')
from store`).Scan(&o.writtenBy, &o.schemaHash)
	return o, err
}

// check fails with invalid_argument for a file that this build cannot open: another kind of
// database, a store of a newer Hence, and a store of an unreleased Hence, whose schema has the
// version of this build but another hash. It accepts an empty file.
func (o origin) check(h history, doing string) error {
	madeBy := "an unreleased Hence"
	if o.writtenBy != "" {
		madeBy += ", " + o.writtenBy
	}
	switch {
	case o.objects > 0 && o.application != applicationID:
		return fault.New(fault.InvalidArgument, "%s: it is a database, but not a store of Hence; name another with --db", doing)
	case o.version > 0 && !o.signed,
		o.version == h.version() && o.schemaHash != "" && o.schemaHash != h.hash:
		return fault.New(fault.InvalidArgument, "%s: made by %s; export it with that build, then import", doing, madeBy)
	case o.version > h.version():
		return fault.New(fault.InvalidArgument, "%s: made by a newer Hence (%s, schema %d; this one knows %d); update hence", doing, o.writtenBy, o.version, h.version())
	}
	return nil
}
