package db

import (
	"context"
	"database/sql"
	"regexp"
	"strings"
)

// Object is a table, index, trigger or view of a store.
type Object struct {
	Kind, Name string
	SQL        string // the statement that makes it; '' for an index that a constraint makes
}

// Objects returns all objects of the schema but those that the engine makes by
// itself, by kind and name.
func (d *DB) Objects(ctx context.Context) (all []Object, err error) {
	err = d.Read(ctx, func(r *Reader) error {
		all, err = Select(ctx, r, func(row *sql.Rows) (o Object, err error) {
			err = row.Scan(&o.Kind, &o.Name, &o.SQL)
			return o, err
		}, `
select
  type,
  name,
  coalesce(sql, '')
from sqlite_master
where name not like 'sqlite_%'
  and name not like 'section_search_%'
order by type, name`)
		return err
	})
	return all, err
}

// token is a text in quotes, a comment, white space, a word, or any other
// character of SQL.
var token = regexp.MustCompile(`(?s)'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|\s+|\w+|.`)

// Plain is the object's statement without comments, white space that says
// nothing, and quotes around a name: `alter table` leaves another text than
// schema.sql has, of the same meaning.
func (o Object) Plain() string { return plain(o.SQL) }

func plain(statements string) string {
	words := []string{}
	for _, t := range token.FindAllString(statements, -1) {
		switch {
		case strings.HasPrefix(t, "--"), strings.HasPrefix(t, "/*"), strings.TrimSpace(t) == "":
		case t[0] == '"':
			words = append(words, strings.Trim(t, `"`))
		default:
			words = append(words, t)
		}
	}
	return strings.Join(words, " ")
}
