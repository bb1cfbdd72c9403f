package record

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
)

// Column describes a column of the table memories or edges.
type Column struct {
	Name   string // in SQL, and in JSON
	Stamp  string // the field by whose stamps a merge decides it, "" if none
	Line   string // its name in a line
	Team   string // its name in a team's file, "" if it is in none
	IsJSON bool   // its text is a list or an object as JSON
	isText bool
	isNull bool // where the field is empty
	words  []string
	index  []int
	of     reflect.Type
}

// Of returns the columns that the fields of a T describe. T may embed Memory or Edge, and its own fields
// stand before those that they shadow.
func Of[T any]() (columns []Column) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		is, ok := f.Tag.Lookup("is")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if given := f.Tag.Get("column"); given != "" {
			name = given
		}
		c := Column{Name: name, Line: name, words: strings.Fields(is), index: f.Index, of: f.Type}
		if as := c.named("line"); as != "" {
			c.Line = as
		}
		c.Stamp, c.Team, c.isNull = c.named("stamped"), c.named("team"), c.Is("null")
		kind := f.Type.Kind()
		c.IsJSON, c.isText = kind == reflect.Slice || kind == reflect.Map, kind == reflect.String
		columns = append(columns, c)
	}
	return columns
}

// Is reports whether the column's tag has a word.
func (c Column) Is(word string) bool { return c.named(word) != "" }

// named returns what follows a word of the tag, such as valid in stamped=valid: the column's name if
// nothing follows, "" if the tag does not have the word.
func (c Column) named(word string) string {
	for _, one := range c.words {
		if name, as, _ := strings.Cut(one, "="); name == word {
			if as != "" {
				return as
			}
			return c.Name
		}
	}
	return ""
}

// IsTime reports whether the column's text is a time.
func (c Column) IsTime() bool {
	return c.isText && (strings.HasSuffix(c.Name, "_at") || strings.HasPrefix(c.Name, "valid_"))
}

// checkStated returns an error if a text states a time as "" under a name, and the column has null for none. Another
// time has a default.
func (c Column) checkStated(name string, value reflect.Value) error {
	if c.IsTime() && c.isNull && value.IsZero() {
		return fmt.Errorf(`%s is "", and must be a full RFC 3339 time such as 2026-11-20T08:15:00Z; leave it out if there is none`, name)
	}
	return nil
}

// In returns a pointer to the column's field of a record, a pointer to the T of Of.
func (c Column) In(record any) any {
	return reflect.ValueOf(record).Elem().FieldByIndex(c.index).Addr().Interface()
}

// Copy sets the field of a record to that of another one.
func (c Column) Copy(to, from any) {
	reflect.ValueOf(to).Elem().FieldByIndex(c.index).Set(reflect.ValueOf(from).Elem().FieldByIndex(c.index))
}

// Value returns the field of a record.
func (c Column) Value(record any) any {
	return reflect.ValueOf(record).Elem().FieldByIndex(c.index).Interface()
}

// JSON returns the value of a record as JSON, null where the column is.
func (c Column) JSON(record any) json.RawMessage {
	value := c.Value(record)
	if c.isNull && reflect.ValueOf(value).IsZero() {
		return json.RawMessage("null")
	}
	return json.RawMessage(db.JSON(value))
}

// ReadJSON sets the field of a record from JSON, which has a name for it; null leaves it as it is. A time
// that is "" and not null is an error.
func (c Column) ReadJSON(name string, text json.RawMessage, record any) error {
	field := c.In(record)
	if err := json.Unmarshal(text, field); err != nil || string(text) == "null" {
		return err
	}
	return c.checkStated(name, reflect.ValueOf(field).Elem())
}

// Where returns the columns whose tags have one of the words.
func Where(columns []Column, words ...string) []Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return !slices.ContainsFunc(words, c.Is) })
}

// Only returns the columns of some names.
func Only(columns []Column, names ...string) []Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return !slices.Contains(names, c.Name) })
}

// Except returns the columns without those of some names.
func Except(columns []Column, names ...string) []Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return slices.Contains(names, c.Name) })
}

// Names returns the names of columns.
func Names(columns []Column) []string {
	return lists.Map(columns, func(c Column) string { return c.Name })
}

// InOrder sorts columns by a list of names. Those that it lacks are the last.
func InOrder(columns []Column, names string) []Column {
	order := strings.Fields(names)
	place := func(c Column) int {
		if n := slices.Index(order, c.Name); n >= 0 {
			return n
		}
		return len(order)
	}
	return slices.SortedStableFunc(slices.Values(columns), func(a, b Column) int { return place(a) - place(b) })
}

// List applies a format to the name of each column, %[1]s, and joins the results with commas.
func List(columns []Column, format string) string {
	return lists.Join(columns, ", ", func(c Column) string { return fmt.Sprintf(format, c.Name) })
}

// Select returns a select list of columns of the row with an alias, for Scan.
func Select(columns []Column, alias string) string {
	return lists.Join(columns, ", ", func(c Column) string {
		if c.Is("null") && c.isText {
			return "coalesce(" + alias + "." + c.Name + ", '')"
		}
		return alias + "." + c.Name
	})
}

// Scan scans a row of Select into the fields of a record, and what follows in the row into further.
func Scan(row *sql.Rows, columns []Column, record any, further ...any) error {
	const most = 8 // lists in a record
	of, texts, read := reflect.ValueOf(record).Elem(), [most]string{}, 0
	places := make([]any, len(columns), len(columns)+len(further))
	for n := range columns {
		if columns[n].IsJSON {
			places[n] = &texts[read]
			read++
		} else {
			places[n] = of.FieldByIndex(columns[n].index).Addr().Interface()
		}
	}
	if err := db.Scan(row, append(places, further...)...); err != nil || read == 0 {
		return err
	}
	id := ""
	for n := range columns {
		c, field := &columns[n], of.FieldByIndex(columns[n].index)
		switch text, isText := places[n].(*string); {
		case !isText:
		case c.Name == "id":
			id = *text
		case c.IsJSON && *text == "[]" && c.of == reflect.TypeFor[[]string]():
			field.Set(reflect.ValueOf([]string{}))
		case c.IsJSON:
			if err := db.ReadColumn(id, c.Name, *text, field.Addr().Interface()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Same reports whether two records have the same value.
func (c Column) Same(a, b any) bool { return reflect.DeepEqual(c.Value(a), c.Value(b)) }

// Given returns the value of a column that arguments give: what the field points to, if it is a pointer.
// ok is false for a nil pointer, list or map.
func (c Column) Given(arguments any) (value any, ok bool) {
	field := reflect.ValueOf(arguments).Elem().FieldByIndex(c.index)
	switch field.Kind() {
	case reflect.Pointer:
		if !field.IsNil() {
			return field.Elem().Interface(), true
		}
	case reflect.Map, reflect.Slice:
		return field.Interface(), !field.IsNil()
	default:
		return field.Interface(), true
	}
	return nil, false
}

// Fill sets those columns of a record that arguments give. columns are those of the arguments.
func Fill(record any, arguments any, columns []Column) {
	to := reflect.ValueOf(record).Elem()
	for _, c := range columns {
		value, ok := c.Given(arguments)
		if n := slices.IndexFunc(Memories, func(m Column) bool { return m.Name == c.Name }); ok && n >= 0 {
			field := to.FieldByIndex(Memories[n].index)
			if field.Kind() == reflect.Pointer {
				field.Set(reflect.New(field.Type().Elem()))
				field = field.Elem()
			}
			field.Set(reflect.ValueOf(value))
		}
	}
}

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
	return lists.Join(columns, ", ", func(c Column) string { return At(row, c.Name) })
}

// Row returns a select list of the columns of a row of Values, in the row g of json_each.
func Row(columns []Column) string {
	return lists.Join(columns, ", ", func(c Column) string { return At(columns, c.Name) + " as " + c.Name })
}

// Insert returns the statement that inserts the rows of Values in ?1, unless the table has their ids.
func Insert(table string, columns []Column) string {
	return fmt.Sprintf("insert into %[1]s (%[2]s) select %[3]s from json_each(?1) g where not exists (select 1 from %[1]s where id = %[4]s)",
		table, List(columns, "%[1]s"), Row(columns), At(columns, "id"))
}

// SetRow returns the assignments of an update that sets columns to those of a row of Values(row, …), in
// the row g of json_each.
func SetRow(row, columns []Column) string {
	return lists.Join(columns, ", ", func(c Column) string { return c.Name + " = " + At(row, c.Name) })
}

// Set returns the assignments of an update by a patch, an SQL expression for a JSON object: a column that
// it lacks stays.
func Set(columns []Column, patch string) string { return List(columns, "%[1]s = "+patched(patch)) }

// Patched returns the values of columns after Set.
func Patched(columns []Column, patch string) string { return List(columns, patched(patch)) }

func patched(patch string) string {
	return "iif(json_type(" + patch + ", '$.%[1]s') is null, %[1]s, " + patch + " ->> '$.%[1]s')"
}
