package flags

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// value is one field of a struct of arguments, as pflag sees it.
type value struct {
	field   reflect.StructField
	target  reflect.Value // the field
	unsplit bool          // a list's values are not split at commas
	given   bool          // the command line has the flag
}

// Set parses the value of one use of the flag. A further use appends to a list or a map, and
// replaces any other value.
func (v *value) Set(text string) error {
	target := v.target
	if target.Kind() == reflect.Pointer {
		if target.IsNil() || !v.given {
			target.Set(reflect.New(target.Type().Elem()))
		}
		target = target.Elem()
	}
	if !v.given && target.Kind() == reflect.Slice {
		target.Set(reflect.MakeSlice(target.Type(), 0, 1))
	}
	v.given = true
	switch target.Kind() {
	case reflect.String:
		target.SetString(text)
	case reflect.Slice:
		texts := []string{text}
		if !v.unsplit {
			texts = strings.Split(text, ",")
		}
		for _, one := range texts {
			if one = strings.TrimSpace(one); one != "" { // an empty text adds none, so that a list can be empty
				target.Set(reflect.Append(target, reflect.ValueOf(one)))
			}
		}
	case reflect.Map:
		return put(target, text)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		target.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		target.SetFloat(n)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		target.SetBool(b)
	default:
		panic("flags: no flag can hold a " + target.Type().String())
	}
	return nil
}

// put adds name=value to a map. The value is JSON if it parses, or else a text.
func put(target reflect.Value, text string) error {
	name, valueText, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("%q is not name=value", text)
	}
	if target.IsNil() {
		target.Set(reflect.MakeMap(target.Type()))
	}
	element := reflect.ValueOf(valueText)
	read := reflect.New(target.Type()) // a map of the same type, so that its numbers decode alike
	if json.Valid([]byte(valueText)) && json.Unmarshal([]byte(`{"":`+valueText+`}`), read.Interface()) == nil {
		element = read.Elem().MapIndex(reflect.ValueOf(""))
	}
	target.SetMapIndex(reflect.ValueOf(name), element)
	return nil
}

// String returns the value in the form of a default in the help; "" for a zero value.
func (v *value) String() string {
	if v == nil || !v.target.IsValid() || v.target.IsZero() {
		return ""
	}
	return fmt.Sprint(reflect.Indirect(v.target).Interface())
}

// Type returns the word that stands for a value in the help.
func (v *value) Type() string {
	t := v.field.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	word := map[reflect.Kind]string{
		reflect.Bool: "bool", reflect.Int: "number", reflect.Int64: "number", reflect.Float64: "number", reflect.Slice: "a,b", reflect.Map: "name=value",
	}[t.Kind()]
	if v.unsplit {
		word = "text"
	}
	return cmp.Or(v.field.Tag.Get("word"), word, "text")
}
