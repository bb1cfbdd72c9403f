package db

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"hence/internal/db/remote"
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
	err = EachOf(rows, err, func(row *sql.Rows) error {
		text, err := Value[string](row)
		texts = append(texts, text)
		return err
	})
	return texts, err
}

// Versions returns the version of the file's schema, and that of the engine.
func (d *DB) Versions(ctx context.Context) (schema int, engine string, err error) {
	err = d.engine.read(ctx, func(c *conn) error {
		return c.QueryRowContext(ctx, `select user_version, sqlite_version() from pragma_user_version`).Scan(&schema, &engine)
	})
	return schema, engine, explain(err, "read %s", d.path)
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

// Object is a table, index, trigger or view of a store.
type Object struct {
	Kind, Name string
	Table      string // or view, of an index or trigger; else the object itself
	SQL        string // the statement that creates it; "" for the index of a constraint
}

// Objects returns all objects of the schema, sorted by kind and name, without those that the
// engine creates itself.
func (d *DB) Objects(ctx context.Context) ([]Object, error) { return selectObjects(ctx, d) }

// NewObjects returns the objects of a new store, as Objects does. The first call runs the schema
// in memory. Callers must not change the result.
var NewObjects = sync.OnceValues(func() (objects []Object, err error) {
	const doing = "read the schema of a new store"
	ctx := context.Background()
	p, err := newPool(writing, InMemory, "begin", 1)
	if err != nil {
		return nil, explain(err, doing)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	err = p.run(ctx, func(c *conn) error {
		if _, err := c.ExecContext(ctx, current.schema); err != nil {
			return err
		}
		objects, err = selectObjects(ctx, &Reader{c})
		return err
	})
	return objects, explain(err, doing)
})

// selectObjects reads the objects for Objects.
func selectObjects(ctx context.Context, s Source) ([]Object, error) {
	return Select(ctx, s, Fields(func(o *Object) []any { return []any{&o.Kind, &o.Name, &o.Table, &o.SQL} }), `
select
  type,
  name,
  tbl_name,
  coalesce(sql, '')
from sqlite_master
where name not like 'sqlite_%'
  and name not like 'section_search_%'
order by type, name`)
}

// Strangers returns the objects among all of a file that a new store does not have: the
// triggers on its tables and views, which act in every write, and the others.
func Strangers(all []Object) (triggers, others []Object, err error) {
	ours, err := NewObjects()
	if err != nil {
		return nil, nil, err
	}
	known := map[string]Object{}
	for _, o := range ours {
		known[strings.ToLower(o.Name)] = o
	}
	for _, o := range all {
		own, isKnown := known[strings.ToLower(o.Name)]
		_, onOurs := known[strings.ToLower(o.Table)]
		switch {
		case o.Kind == "trigger" && onOurs && !(isKnown && own.Plain() == o.Plain()):
			triggers = append(triggers, o)
		case !isKnown:
			others = append(others, o)
		}
	}
	return triggers, others, nil
}

// DropTriggers drops triggers. None fires while it runs, because no row is written.
func (d *DB) DropTriggers(ctx context.Context, triggers []Object) error {
	statements, names := []Stmt{}, []string{}
	for _, o := range triggers {
		names = append(names, o.Name)
		statements = append(statements, S(`drop trigger if exists "`+strings.ReplaceAll(o.Name, `"`, `""`)+`"`))
	}
	if err := d.mayWrite("write to " + d.path); err != nil {
		return err
	}
	return explain(d.engine.mend(ctx, S(`
select not exists (
  select 1
  from sqlite_master
  where type = 'trigger'
    and name in (select value from json_each(?))
)`, List(names)), statements...), "write to %s", d.path)
}

// checkForeign fails as checkCopy does, and with invalid_argument if a file has a stranger's trigger on a table of
// ours, or another object in the place of a table of ours. doing begins the error messages.
func checkForeign(ctx context.Context, path, doing string) error {
	if err := checkCopy(ctx, path, doing, current); err != nil {
		return err
	}
	var all []Object
	err := withFile(ctx, path, func(c *conn) (err error) {
		all, err = selectObjects(ctx, &Reader{c})
		return err
	})
	if err != nil {
		return err
	}
	triggers, _, err := Strangers(all)
	if err != nil {
		return err
	}
	for _, o := range triggers {
		return fault.New(fault.InvalidArgument, "%s: it has a trigger %q on the table %s, which Hence does not make and which would run in every write; look at it, and drop it with hence doctor --fix --db %s", doing, o.Name, o.Table, path)
	}
	ours, err := NewObjects()
	for _, o := range ours {
		if o.Kind == "table" && !slices.ContainsFunc(all, func(has Object) bool { return has.Kind == "table" && has.Name == o.Name }) {
			return fault.New(fault.InvalidArgument, "%s: it has no table %s, so it is not a whole store", doing, o.Name)
		}
	}
	return err
}

// Plain returns the object's statement without comments, extra white space, and quotes around
// names, which `alter table` may change without changing the meaning.
func (o Object) Plain() string {
	words := []string{}
	for _, token := range remote.Tokens(o.SQL) {
		switch {
		case strings.HasPrefix(token, "--"), strings.HasPrefix(token, "/*"), strings.TrimSpace(token) == "":
		case token[0] == '"':
			words = append(words, strings.Trim(token, `"`))
		default:
			words = append(words, token)
		}
	}
	return strings.Join(words, " ")
}
