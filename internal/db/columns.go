package db

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"hence/internal/fault"
)

// ReadColumn decodes a JSON column of a memory: tags, aliases or properties. name is
// the memory's id, or the path of a note. A value that cannot be read, written while
// the rules of the schema were switched off, is an error that names the memory.
func ReadColumn(name, column, text string, into any) error {
	if json.Unmarshal([]byte(text), into) != nil {
		return fault.New(fault.Unavailable, "memory %s cannot be read, because its %s are %.80q; hence doctor says how to mend it", name, column, text)
	}
	return nil
}

// Columns returns the column list of a query, and the function that scans its
// rows. pairs alternates between a column, a constant, and a pointer to where its
// value goes.
func Columns[T any](pairs func(t *T) []any) (list string, scan func(row *sql.Rows) (T, error)) {
	columns, _ := Pairs(pairs(new(T)))
	return strings.Join(columns, ", "), func(row *sql.Rows) (t T, err error) {
		_, places := Pairs(pairs(&t))
		err = row.Scan(places...)
		return t, err
	}
}

// Pairs parts a list that alternates between a column and a pointer to its value.
func Pairs(pairs []any) (columns []string, places []any) {
	for pair := range slices.Chunk(pairs, 2) {
		columns, places = append(columns, pair[0].(string)), append(places, pair[1])
	}
	return columns, places
}
