package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"hence/internal/db"
)

const setColumns = "correct the columns in the sqlite3 shell, such as update memories set tags = '[]' where id = 'ID'"

// examineColumns reads every JSON column in Go and in the engine. The schema
// refuses what either cannot read, but rows may be older than its rules, or
// written while they were switched off.
func examineColumns(ctx context.Context, d Doctor) (problems []string, err error) {
	err = db.Each(ctx, d.DB, func(row *sql.Rows) error {
		var id, title, column, text string
		var valid bool
		if err := row.Scan(&id, &title, &column, &text, &valid); err != nil {
			return err
		}
		if !valid || !readable(id, column, text) {
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

// readable reports whether a column holds properties, or a list of texts.
func readable(id, column, text string) bool {
	if column == "properties" {
		return db.ReadColumn(id, column, text, new(db.Properties)) == nil
	}
	var list []*string // nil for null, which Go takes for an empty text otherwise
	return db.ReadColumn(id, column, text, &list) == nil && !slices.Contains(list, nil)
}
