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
	SQL        string // the statement that creates it; '' for the index of a constraint
}

// Objects returns all objects of the schema by kind and name, without those that the
// engine creates by itself.
func (d *DB) Objects(ctx context.Context) (all []Object, err error) {
	err = d.Read(ctx, func(r *Reader) error {
		all, err = selectObjects(ctx, r)
		return err
	})
	return all, err
}

// NewObjects returns the objects of a new store, as Objects does. It runs the schema
// once, in memory. Callers must not change the result.
var NewObjects = sync.OnceValues(func() (all []Object, err error) {
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
		all, err = selectObjects(ctx, &Reader{c})
		return err
	})
	return all, explain(err, doing)
})

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

// Plain is the object's statement without comments, extra white space, and quotes
// around names, which `alter table` changes without changing the meaning.
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
