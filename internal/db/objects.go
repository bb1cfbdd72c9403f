package db

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"
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
		all, err = selectObjects(ctx, r)
		return err
	})
	return all, err
}

// NewObjects returns the objects that a new store has, as Objects does. The
// schema runs once in a process, in memory. Callers must not change the result.
var NewObjects = sync.OnceValues(func() (all []Object, err error) {
	const doing = "read the schema of a new store"
	ctx := context.Background()
	p, err := newPool(writing, InMemory, "begin", 1)
	if err != nil {
		return nil, explain(err, doing)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	err = p.with(ctx, func(c *conn) error {
		if _, err := c.ExecContext(ctx, current.schema); err != nil {
			return err
		}
		all, err = selectObjects(ctx, &Reader{c})
		return err
	})
	return all, explain(err, doing)
})

func selectObjects(ctx context.Context, r *Reader) ([]Object, error) {
	return Select(ctx, r, func(row *sql.Rows) (o Object, err error) {
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
}

// Plain is the object's statement without comments, white space that says
// nothing, and quotes around a name: `alter table` leaves another text than
// schema.sql has, of the same meaning.
func (o Object) Plain() string { return plain(o.SQL) }

// plain runs each time that a store is opened, over the whole schema: a regular
// expression takes longer than the rest of a short command.
func plain(statements string) string {
	words := []string{}
	for rest := statements; rest != ""; {
		token := rest[:tokenLength(rest)]
		rest = rest[len(token):]
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

// tokenLength returns how many bytes the first token of SQL has: a text in
// quotes, a comment, white space, a word, or any other character.
func tokenLength(sql string) int {
	switch {
	case sql[0] == '\'', sql[0] == '"':
		return quotedLength(sql)
	case strings.HasPrefix(sql, "--"):
		return lengthUntil(sql, "\n")
	case strings.HasPrefix(sql, "/*"):
		return min(len(sql), lengthUntil(sql, "*/")+len("*/"))
	}
	for _, belongs := range []func(byte) bool{isSpace, isOfWord} {
		n := 0
		for n < len(sql) && belongs(sql[n]) {
			n++
		}
		if n > 0 {
			return n
		}
	}
	_, n := utf8.DecodeRuneInString(sql)
	return n
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

func isOfWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// quotedLength is tokenLength for a text that begins with a quote, which two
// quotes in a row do not end.
func quotedLength(sql string) int {
	quote := sql[:1]
	for end := 1; end < len(sql); end++ {
		end += lengthUntil(sql[end:], quote) + 1
		if end >= len(sql) || sql[end] != quote[0] {
			return min(end, len(sql))
		}
	}
	return len(sql)
}

// lengthUntil returns how many bytes come before the mark, all where there is
// none.
func lengthUntil(text, mark string) int {
	before, _, _ := strings.Cut(text, mark)
	return len(before)
}
