package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hence/internal/db"
)

// Values returns the values of columns of a record for a row of db.Rows: lists and objects as JSON, nil
// for null.
func Values(columns []Column, record any) []any {
	values := make([]any, len(columns))
	for n := range columns {
		c, value := &columns[n], columns[n].Value(record)
		text, isRaw := value.(json.RawMessage)
		switch {
		case c.isNull && reflect.ValueOf(value).IsZero():
		case isRaw:
			values[n] = string(text)
		case c.IsJSON && reflect.ValueOf(value).Kind() == reflect.Map && reflect.ValueOf(value).IsNil():
			values[n] = "{}"
		case c.IsJSON:
			values[n] = db.List(value)
		default:
			values[n] = value
		}
	}
	return values
}

// At returns the value of a column in a row of Values(columns, …), in the row g of json_each.
func At(columns []Column, name string) string {
	return fmt.Sprintf("g.value ->> %d", slices.Index(Names(columns), name))
}

// Pick returns the values of some columns in a row of Values(row, …), in the row g of json_each.
func Pick(row, columns []Column) string {
	texts := []string{}
	for _, c := range columns {
		texts = append(texts, At(row, c.Name))
	}
	return strings.Join(texts, ", ")
}

// Row returns a select list of the columns of a row of Values, in the row g of json_each.
func Row(columns []Column) string {
	texts := []string{}
	for _, c := range columns {
		texts = append(texts, At(columns, c.Name)+" as "+c.Name)
	}
	return strings.Join(texts, ", ")
}

// Insert returns the statement that inserts the rows of Values in ?1, unless the table has their ids.
func Insert(table string, columns []Column) string {
	return fmt.Sprintf("insert into %[1]s (%[2]s) select %[3]s from json_each(?1) g where not exists (select 1 from %[1]s where id = %[4]s)",
		table, List(columns, "%[1]s"), Row(columns), At(columns, "id"))
}

// SetRow returns the assignments of an update that sets columns to those of a row of Values(row, …), in
// the row g of json_each.
func SetRow(row, columns []Column) string {
	sets := []string{}
	for _, c := range columns {
		sets = append(sets, c.Name+" = "+At(row, c.Name))
	}
	return strings.Join(sets, ", ")
}

// Set returns the assignments of an update by a patch, an SQL expression for a JSON object: a column that
// it lacks stays.
func Set(columns []Column, patch string) string { return List(columns, "%[1]s = "+patched(patch)) }

// Patched returns the values of columns after Set.
func Patched(columns []Column, patch string) string { return List(columns, patched(patch)) }

func patched(patch string) string {
	return "iif(json_type(" + patch + ", '$.%[1]s') is null, %[1]s, " + patch + " ->> '$.%[1]s')"
}
