// Package args reads and checks the arguments of calls. The bounds and defaults of
// an argument are tags of its field, from which come the check of a call, the JSON
// schema that clients read, and the flags of the command line:
//
//	Hops int `json:"hops" min:"1" max:"5" jsonschema:"how many edges away"`
//
// The tags are:
//   - default: the value of a field that is left out
//   - min, max and above: bounds of a number; above is exclusive
//   - enum: the allowed values of a string, or of each string of a list, separated by commas
//   - outline:"true": the schema calls the structs of a list objects and does not describe
//     their fields, which are checked all the same
//   - one:"true": the schema describes one element instead of a list; Decode accepts both
//   - text:"content": a text in a list of structs is a struct with that field
//   - null:"removes": null in a pointer field does not count as left out, see Removes
//
// A field without omitempty is required.
package args

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hence/internal/fault"
)

// Check sets the defaults in the struct of arguments that pointer points to, and rounds its
// numbers as Round does. It fails
// with an invalid_argument that names the first field that is missing or out of
// bounds; one of a struct in a list is named as links[0].weight.
func Check(operation string, pointer any) error {
	return checkStruct(operation, "", reflect.ValueOf(pointer).Elem())
}

func checkStruct(operation, prefix string, v reflect.Value) error {
	for _, f := range Fields(v.Type()) {
		if err := checkField(operation, prefix+NameOf(f), f.Tag, v.FieldByIndex(f.Index)); err != nil {
			return err
		}
	}
	return nil
}

func checkField(operation, name string, tag reflect.StructTag, v reflect.Value) error {
	if v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		if text, ok := tag.Lookup("default"); ok {
			setDefault(v, text)
			return nil
		}
		if isRequired(tag) {
			return fault.New(fault.InvalidArgument, "%s: %s is missing%s", operation, name, choices(tag))
		}
		// The field was left out, even if 0 is out of bounds: Decode refuses a written 0.
		return nil
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if tag.Get("null") == "removes" && Removes(v.Interface()) {
		return nil
	}
	if v.Kind() == reflect.Slice {
		return checkList(operation, name, tag, v)
	}
	if wrong := outOfBounds(name, tag, v) + notOffered(name, tag, v); wrong != "" {
		return invalid(operation, wrong)
	}
	if v.Kind() == reflect.Float64 {
		v.SetFloat(Round(v.Float()))
	}
	return nil
}

// CheckGiven fails with invalid_argument if the value of a field is out of its bounds, 0 too: unlike Check, it does
// not take that for left out.
func CheckGiven(operation string, field reflect.StructField, v reflect.Value) error {
	return invalid(operation, outOfBounds(NameOf(field), field.Tag, v)+notOffered(NameOf(field), field.Tag, v))
}

// Round returns a number with at most 12 significant digits, which is how numbers are stored: every
// version of the engine writes and reads these the same as text, on each node of a cluster.
func Round(number float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(number, 'g', 12, 64), 64)
	if err != nil {
		return number // it is out of all bounds
	}
	return rounded
}

// Removes reports whether a value is the one that Decode stores for null in a field with the
// tag null:"removes": an empty text, or a number that is out of all bounds.
func Removes(value any) bool { return value == "" || value == noNumber }

const noNumber = -math.MaxFloat64 // JSON has no NaN

// isRequired reports whether a field must be given.
func isRequired(tag reflect.StructTag) bool {
	_, options, _ := strings.Cut(tag.Get("json"), ",")
	return options == ""
}

// invalid returns an invalid_argument that says what is wrong, nil if wrong is "".
func invalid(operation, wrong string) error {
	if wrong == "" {
		return nil
	}
	return fault.New(fault.InvalidArgument, "%s: %s", operation, wrong)
}

func elementName(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// choices lists the values of the enum of a missing argument, "" if it has none.
func choices(tag reflect.StructTag) string {
	if text, ok := tag.Lookup("enum"); ok {
		return "; give one of " + strings.ReplaceAll(text, ",", ", ")
	}
	return ""
}

func checkList(operation, name string, tag reflect.StructTag, v reflect.Value) error {
	for i := range v.Len() {
		one := elementName(name, i)
		var err error
		if v.Index(i).Kind() == reflect.Struct {
			err = checkStruct(operation, one+".", v.Index(i))
		} else {
			err = invalid(operation, notOffered(one, tag, v.Index(i)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func setDefault(v reflect.Value, text string) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	v.Set(reflect.ValueOf(parse(v.Type(), text)).Convert(v.Type()))
}

// parse reads a tag's text as a value of the field's type. It panics on a wrong tag, so
// that any test finds it.
func parse(t reflect.Type, text string) any {
	var value any
	var err error
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		value, err = strconv.ParseInt(text, 10, 64)
	case reflect.Float64:
		value, err = strconv.ParseFloat(text, 64)
	case reflect.Bool:
		value, err = strconv.ParseBool(text)
	default:
		value = text
	}
	if err != nil {
		panic(err)
	}
	return value
}

// outOfBounds says that a number is out of the bounds of its tag; "" if it is not.
func outOfBounds(name string, tag reflect.StructTag, v reflect.Value) string {
	var n float64
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		n = float64(v.Int())
	case reflect.Float64:
		n = v.Float()
	default:
		return ""
	}
	low, hasLow := bound(tag, "min")
	high, hasHigh := bound(tag, "max")
	floor, hasFloor := bound(tag, "above")
	// Written so that NaN is out of every bound.
	if hasLow && !(n >= low) || hasHigh && !(n <= high) || hasFloor && !(n > floor) {
		return fmt.Sprintf("%s is %v, and must be %s", name, v.Interface(), Bounds(tag, " and ", inWords...))
	}
	return ""
}

func bound(tag reflect.StructTag, name string) (float64, bool) {
	text, ok := tag.Lookup(name)
	if !ok {
		return 0, false
	}
	return parse(reflect.TypeFor[float64](), text).(float64), true
}

// inWords are the words before the bounds of a number where it is refused.
var inWords = []string{"at least ", "above ", "at most "}

// Bounds returns the bounds of a number, each behind a word: for min, above and max.
func Bounds(tag reflect.StructTag, between string, words ...string) string {
	all := []string{}
	for i, name := range []string{"min", "above", "max"} {
		if bound, ok := tag.Lookup(name); ok {
			all = append(all, words[i]+bound)
		}
	}
	return strings.Join(all, between)
}

// notOffered says that a text is not in the enum of its tag; "" if it is. It replaces a text
// that means one of the enum by that one.
func notOffered(name string, tag reflect.StructTag, v reflect.Value) string {
	text, ok := tag.Lookup("enum")
	if !ok || v.Kind() != reflect.String {
		return ""
	}
	if v.SetString(offered(v.String(), text)); slices.Contains(strings.Split(text, ","), v.String()) {
		return ""
	}
	return fmt.Sprintf("%s is %q, and must be one of %s", name, v.String(), strings.ReplaceAll(text, ",", ", "))
}

// sameWords are groups of values that mean the same: an enum with one of a group takes the others for it.
var sameWords = [][]string{{"any", "both"}, {"forward", "outgoing"}, {"backward", "incoming"}}

// offered returns the value of an enum that a word means, the word itself if it means none.
func offered(word, enum string) string {
	values := strings.Split(enum, ",")
	for _, group := range sameWords {
		i := slices.IndexFunc(values, func(value string) bool { return slices.Contains(group, value) })
		if i >= 0 && slices.Contains(group, word) && !slices.Contains(values, word) {
			return values[i]
		}
	}
	return word
}

// NameOf returns the name of a field in JSON.
func NameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// Fields returns the fields of a struct that are arguments, with those of structs that it embeds.
func Fields(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return f.Anonymous || NameOf(f) == "" || NameOf(f) == "-"
	})
}
