package db

import (
	"context"
	"database/sql"
	"fmt"

	"hence"
	"hence/internal/fault"
)

// applicationID marks a file as a store of Hence: "Henc" in ASCII.
const applicationID = 0x48656e63

// history is a schema and the migrations that lead to it.
type history struct {
	schema     string   // the current schema in full, for a new file
	migrations []string // the first one leads from version 1 to version 2
	hash       string   // hash of schema: see schemaHash
}

// current is the history of this build. Hence 0.1.0 has version 1. Until that is released, the
// schema is changed in place; from then on, by migrations.
var current = history{schema: hence.Schema, hash: schemaHash}

// schemaHash is the SHA-256, in hex, of the statements of hence.Schema, without comments and
// white space. It is a constant because to compute it takes longer than to open a store; a test
// checks it.
const schemaHash = "a866c3df9b5046236492961076b61df05ef6be3f6fbc1a5c6c60542b47c12d07"

// SchemaVersion returns the version of the schema of this build, to which it migrates stores.
func SchemaVersion() int { return current.version() }

// version returns the version of the current schema.
func (h history) version() int { return len(h.migrations) + 1 }

// migrate migrates the file to the current version, or fails if that is not possible. It opens
// a connection that writes, and takes the write lock, only if there is something to do: each
// connection takes milliseconds to read the schema, and a command that only reads needs one.
func (d *DB) migrate(ctx context.Context, h history) error {
	file, err := d.engine.origin(ctx)
	if err != nil {
		return explain(err, "open %s", d.path)
	}
	if err := file.check(h, "open "+d.path); err != nil {
		return err
	}
	switch {
	case file.version == h.version():
		return nil
	case d.ReadOnly():
		return fault.New(fault.ReadOnly, "open %s: its schema must first be migrated from version %d to %d; open it once without --read-only", d.path, file.version, h.version())
	case file.version == 0:
		d.made = true
		_, err := d.engine.upgrade(ctx, d, h, 0, h.schema, "")
		return err
	}
	saved, copied := savedName(d.path, fmt.Sprintf("schema-%d", h.version())), false
	for version := file.version; version < h.version(); version++ {
		target := saved
		if copied {
			target = ""
		}
		didCopy, err := d.engine.upgrade(ctx, d, h, version, h.migrations[version-1], target)
		if err != nil {
			return err
		}
		copied = copied || didCopy
	}
	if copied && d.migrated != nil { // else another process has migrated the store, and reported its copy
		d.migrated(Migration{Saved: saved, From: file.version, To: h.version(), WrittenBy: file.writtenBy})
	}
	return nil
}

// Migration describes the migration of a store to the version of this build. To undo it,
// restore the file Saved.
type Migration struct {
	Saved     string // file with the store as it was before
	From, To  int    // versions of the schema
	WrittenBy string // version of Hence that wrote the store before
}

// upsertStore records the build and the schema in the table store.
const upsertStore = `
insert into store (only_row, written_by, schema_hash, tag, own)
values (1, ?1, ?2, ?3, ?4)
on conflict (only_row) do update
set
  written_by = ?1,
  schema_hash = ?2`

// newTag returns the tag of a new store, which distinguishes its stamps from those of others.
func newTag() string {
	id := NewID()
	return id[len(id)-8:]
}

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
