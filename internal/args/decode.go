package args

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hence/internal/fault"
	"hence/internal/lists"
)

// Decode reads the arguments of a call, a JSON object, into the struct that pointer
// points to, and checks them against its Schema. It fails with an invalid_argument
// that names every wrong argument. It takes null as left out, a single value as a list of
// one, a list of one as its element, 10.0 as 10, a list, number or object that was sent as
// text (see unpack), and a synonym of an argument as its name. It does not set defaults: see
// Check.
func Decode(operation string, raw json.RawMessage, pointer any) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	d := decoder{}
	raw = unpack("", raw, reflect.TypeOf(pointer).Elem())
	d.object("", raw, reflect.ValueOf(pointer).Elem())
	if len(d.wrong) > 0 {
		if !json.Valid(raw) {
			return fault.New(fault.InvalidArgument, "%s: the arguments are not JSON", operation)
		}
		slices.Sort(d.wrong)
		return fault.New(fault.InvalidArgument, "%s: %s", operation, strings.Join(slices.Compact(d.wrong), "; "))
	}
	return nil
}

// decoder collects the mistakes in the arguments of a call.
type decoder struct{ wrong []string }

func (d *decoder) refuse(format string, values ...any) {
	if message := fmt.Sprintf(format, values...); message != "" {
		d.wrong = append(d.wrong, message)
	}
}

// object decodes an object; the call itself has the name "".
func (d *decoder) object(name string, raw json.RawMessage, v reflect.Value) {
	var members map[string]json.RawMessage
	if !d.decode(name, "object", raw, &members) {
		return
	}
	prefix := ""
	if name != "" {
		prefix = name + "."
	}
	fields := Fields(v.Type())
	d.rename(prefix, members, fields)
	known, missing, mayBe := []string{}, []string{}, ""
	for _, field := range fields {
		argument, target := NameOf(field), v.FieldByIndex(field.Index)
		known = append(known, argument)
		value, given := members[argument]
		delete(members, argument)
		if given {
			value = unpackField(value, field)
		}
		if !given || string(value) == "null" {
			switch {
			case isRequired(field.Tag):
				missing, mayBe = append(missing, prefix+argument), choices(field.Tag)
			case given && field.Tag.Get("null") == "removes":
				pointer := reflect.New(field.Type.Elem()) // the value that Removes recognizes
				if pointer.Elem().Kind() == reflect.Float64 {
					pointer.Elem().SetFloat(noNumber)
				}
				target.Set(pointer)
			}
			continue
		}
		d.value(prefix+argument, listOrOne(value, field.Type), field.Tag, target)
	}
	switch len(missing) {
	case 0:
	case 1:
		d.refuse("%s is missing%s", missing[0], mayBe)
	default:
		d.refuse("%s are missing", strings.Join(missing, " and "))
	}
	switch quoted := lists.Join(slices.Sorted(maps.Keys(members)), ", ", strconv.Quote); {
	case quoted == "":
	case name == "":
		d.refuse("there is no argument %s; the arguments are %s", quoted, strings.Join(known, ", "))
	default:
		d.refuse("%s has no field %s", name, quoted)
	}
}

// value decodes an argument, or an element of a list, whose field has the tag.
func (d *decoder) value(name string, raw json.RawMessage, tag reflect.StructTag, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	raw = unpack(name, raw, v.Type())
	switch v.Kind() {
	case reflect.Struct:
		if field := tag.Get("text"); field != "" && jsonType(raw) == "string" {
			raw = slices.Concat(json.RawMessage(`{"`+field+`":`), raw, json.RawMessage("}"))
		}
		d.object(name, raw, v)
	case reflect.Slice:
		d.list(name, raw, tag, v)
	case reflect.Int, reflect.Int64:
		d.integer(name, raw, tag, v)
	case reflect.Interface:
		d.decode(name, jsonType(raw), raw, v.Addr().Interface())
	default:
		if d.decode(name, typeNames[v.Kind()], raw, v.Addr().Interface()) {
			d.refuse("%s", outOfBounds(name, tag, v)+notOffered(name, tag, v))
		}
	}
}

func (d *decoder) list(name string, raw json.RawMessage, tag reflect.StructTag, v reflect.Value) {
	var elements []json.RawMessage
	if !d.decode(name, "array", raw, &elements) {
		return
	}
	if len(elements) == 0 && isRequired(tag) {
		d.refuse("%s is empty, and must have at least 1", name)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	for i, element := range elements {
		d.value(elementName(name, i), element, tag, v.Index(i))
	}
}

// integer decodes a whole number, which may be written as 10.0 or 1e1.
func (d *decoder) integer(name string, raw json.RawMessage, tag reflect.StructTag, v reflect.Value) {
	if !d.isType(name, "integer", raw) {
		return
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(string(raw), 64)
		if n = int64(f); err != nil || float64(n) != f || f >= 1<<63 {
			must := "a whole number of 64 bits"
			if _, ok := tag.Lookup("max"); ok {
				must = Bounds(tag, " and ", inWords...)
			}
			d.refuse("%s is %s, and must be %s", name, raw, must)
			return
		}
	}
	v.SetInt(n)
	d.refuse("%s", outOfBounds(name, tag, v))
}

// decode reads a value that must have a JSON type, and reports whether it could.
func (d *decoder) decode(name, want string, raw json.RawMessage, into any) bool {
	if !d.isType(name, want, raw) {
		return false
	}
	err := json.Unmarshal(raw, into)
	switch unfit, isUnfit := errors.AsType[*json.UnmarshalTypeError](err); {
	case isUnfit:
		d.refuse("%s holds a %s, which cannot be read", orCall(name), unfit.Value)
	case err != nil:
		d.refuse("%s cannot be read: %v", orCall(name), err)
	}
	return err == nil
}

func (d *decoder) isType(name, want string, raw json.RawMessage) bool {
	got := jsonType(raw)
	fits := got == want || want == "integer" && isWhole(raw)
	if !fits {
		d.refuse("%s is of type %s, and must be %s", orCall(name), got, want)
	}
	return fits
}

func orCall(name string) string {
	if name == "" {
		return "the call"
	}
	return name
}

// isWhole reports whether a value is a number without a fraction.
func isWhole(raw json.RawMessage) bool {
	if jsonType(raw) != "number" {
		return false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return err != nil || f == float64(int64(f)) || f >= 1<<53 || f <= -1<<53
}

// jsonType names the type of a value by its first byte.
func jsonType(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// typeNames are the JSON types of values of Go kinds.
var typeNames = map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "number", reflect.Map: "object"}
