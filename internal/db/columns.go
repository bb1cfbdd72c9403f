package db

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"hence/internal/fault"
)

// ReadColumn decodes a JSON column of a memory (tags, aliases or properties) into target, a
// pointer. name is the memory's id, or the path of a note. It fails with unavailable, and
// names the memory, for a value that was written while the schema's checks were off.
func ReadColumn(name, column, text string, target any) error {
	if json.Unmarshal([]byte(text), target) != nil {
		return fault.New(fault.Unavailable, "memory %s cannot be read, because its %s are %.80q; hence doctor says how to mend it", name, column, text)
	}
	return nil
}

// Columns returns the column list of a query, and a function that scans a row of it into a
// T. The list from pairs alternates between a column, a constant text, and a pointer to the
// field of t for its value.
func Columns[T any](pairs func(t *T) []any) (list string, scan func(row *sql.Rows) (T, error)) {
	columns, _ := Pairs(pairs(new(T)))
	return strings.Join(columns, ", "), func(row *sql.Rows) (t T, err error) {
		_, places := Pairs(pairs(&t))
		err = row.Scan(places...)
		return t, err
	}
}

// Pairs splits a list that alternates between a column and a pointer to its value.
func Pairs(pairs []any) (columns []string, places []any) {
	for pair := range slices.Chunk(pairs, 2) {
		columns, places = append(columns, pair[0].(string)), append(places, pair[1])
	}
	return columns, places
}
