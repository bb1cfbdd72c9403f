package db

import (
	"context"
	"errors"
	"strings"
	"sync"

	"hence/internal/db/remote"
)

// Object is a table, index, trigger or view of a store.
type Object struct {
	Kind, Name string
	SQL        string // the statement that creates it; "" for the index of a constraint
}

// Objects returns all objects of the schema, sorted by kind and name, without those that the
// engine creates itself.
func (d *DB) Objects(ctx context.Context) (objects []Object, err error) {
	err = d.Read(ctx, func(r *Reader) error {
		objects, err = selectObjects(ctx, r)
		return err
	})
	return objects, err
}

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
func selectObjects(ctx context.Context, r *Reader) ([]Object, error) {
	return Select(ctx, r, Fields(func(o *Object) []any { return []any{&o.Kind, &o.Name, &o.SQL} }), `
select
  type,
  name,
  coalesce(sql, '')
from sqlite_master
where name not like 'sqlite_%'
  and name not like 'section_search_%'
order by type, name`)
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
