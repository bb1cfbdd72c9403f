package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"hence/internal/db"
)

// columnAdvice is the advice for columns that cannot be read.
const columnAdvice = "correct the columns in the sqlite3 shell, such as update memories set tags = '[]' where id = 'ID'"

// examineColumns lists the memories with a JSON column that either Go or SQLite cannot read.
// The schema refuses such values, but rows may be older than its rules, or were written
// while they were switched off.
func examineColumns(ctx context.Context, d Doctor) (problems []string, err error) {
	err = db.Each(ctx, d.DB, func(row *sql.Rows) error {
		var id, title, column, text string
		var valid bool
		if err := row.Scan(&id, &title, &column, &text, &valid); err != nil {
			return err
		}
		if !valid || !isReadable(id, column, text) {
			problems = append(problems, fmt.Sprintf("memory %s (%s) cannot be read: its %s are %.80q", id, title, column, text))
		}
		return nil
	}, `
select id, title, 'tags', tags, json_valid(tags) from memories where tags <> '[]'
union all
select id, title, 'aliases', aliases, json_valid(aliases) from memories where aliases <> '[]'
union all
select id, title, 'properties', properties, json_valid(properties) from memories where properties <> '{}'`)
	return problems, err
}

// isReadable reports whether a column holds properties, or a list of texts.
func isReadable(id, column, text string) bool {
	if column == "properties" {
		return db.ReadColumn(id, column, text, new(db.Properties)) == nil
	}
	var list []*string // pointers, so that a null is not read as an empty text
	return db.ReadColumn(id, column, text, &list) == nil && !slices.Contains(list, nil)
}
