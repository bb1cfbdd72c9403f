package record

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Form is an object of JSON that holds columns of a record: a line of an export, a link of a team's file.
type Form struct {
	kind   string
	fields []formField
	shape  reflect.Type
}

// formField is a column in a form. An empty value is left out, unless always; then it is null if the column is.
type formField struct {
	Column
	name   string
	always bool
}

// NewForm returns a form of columns in an order: names, with ! after those that are always there, and … for
// columns that it does not name. It calls a column by its name in the form. kind is the value of a field type
// before the others; there is none if it is "".
func NewForm(kind string, columns []Column, name func(Column) string, order string) *Form {
	f, fields := &Form{kind: kind}, []reflect.StructField{}
	add := func(name string, of reflect.Type, options string) {
		fields = append(fields, reflect.StructField{Name: "Field_" + name, Type: of, Tag: reflect.StructTag(`json:"` + name + options + `"`)})
	}
	if kind != "" {
		add("type", reflect.TypeFor[string](), "")
	}
	named := strings.Fields(strings.ReplaceAll(order, "!", ""))
	for _, place := range strings.Fields(order) {
		wanted, always := strings.CutSuffix(place, "!")
		for _, c := range columns {
			own := name(c)
			if own != wanted && (wanted != "…" || slices.Contains(named, own)) {
				continue
			}
			of, options := c.of, ",omitempty"
			if !c.IsJSON && of.Kind() != reflect.Pointer {
				of = reflect.PointerTo(of) // nil: the form does not state it
			}
			if always {
				options = ""
			}
			add(own, of, options)
			f.fields = append(f.fields, formField{c, own, always})
		}
	}
	f.shape = reflect.StructOf(fields)
	return f
}

// Blank returns a pointer to a struct that encoding/json reads a text of the form into.
func (f *Form) Blank() any { return reflect.New(f.shape).Interface() }

// first returns the place of the first column in the struct.
func (f *Form) first() int { return f.shape.NumField() - len(f.fields) }

// Of returns a pointer to a struct that encoding/json writes as the form of a record.
func (f *Form) Of(record any) any {
	from, to, first := reflect.ValueOf(record).Elem(), reflect.New(f.shape), f.first()
	if first > 0 {
		to.Elem().Field(0).SetString(f.kind)
	}
	for n := range f.fields {
		c := &f.fields[n]
		value, field := from.FieldByIndex(c.index), to.Elem().Field(first+n)
		switch {
		case value.Type() == field.Type():
			field.Set(value)
		case c.always && !c.isNull || !value.IsZero():
			field.Set(value.Addr())
		}
	}
	return to.Interface()
}

// Text returns the form of a record.
func (f *Form) Text(record any) ([]byte, error) {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(f.Of(record))
	return []byte(out.String()), err
}

// Read sets those columns of a record that a text of the form states.
func (f *Form) Read(text []byte, record any) error {
	blank := f.Blank()
	if err := json.Unmarshal(text, blank); err != nil {
		return err
	}
	return f.Into(blank, record)
}

// Into sets those columns of a record that were read into a struct of Blank. A time that is stated as "",
// and not as null, is an error.
func (f *Form) Into(blank, record any) error {
	from, to, first := reflect.ValueOf(blank).Elem(), reflect.ValueOf(record).Elem(), f.first()
	for n := range f.fields {
		value, field := from.Field(first+n), to.FieldByIndex(f.fields[n].index)
		switch {
		case value.IsNil():
		case value.Type() == field.Type():
			field.Set(value)
		default:
			if err := f.fields[n].checkStated(f.fields[n].name, value.Elem()); err != nil {
				return err
			}
			field.Set(value.Elem())
		}
	}
	return nil
}
