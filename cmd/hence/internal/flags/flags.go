// Package flags derives the flags of a command from the arguments of its tool.
// Names, bounds, defaults and help come from the tags that the tool's schema is
// made of, so a new argument of a tool is a flag at once.
package flags

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hence/internal/args"
	"hence/internal/fault"
)

// Options are the exceptions to the rules of Derive, for arguments by their JSON names.
type Options struct {
	Omit     []string                      // arguments without a flag, given by position
	Whole    []string                      // lists whose values may contain commas
	Complete map[string][]cobra.Completion // completions that the shell offers for an argument
}

// Derive adds a flag to the command for each field of the struct that pointer points to, and of those
// that it embeds. The tag word is the word for the value in the help.
// Parsing the flags fills the struct. A value that the struct already has is the default of
// its flag.
func Derive(cmd *cobra.Command, pointer any, o Options) {
	arguments := reflect.ValueOf(pointer).Elem()
	for _, field := range args.Fields(arguments.Type()) {
		name := args.NameOf(field)
		if slices.Contains(o.Omit, name) {
			continue
		}
		v := &value{field: field, target: arguments.FieldByIndex(field.Index), unsplit: slices.Contains(o.Whole, name)}
		flag := cmd.Flags().VarPF(v, strings.ReplaceAll(name, "_", "-"), "", v.usage())
		if v.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
		if flag.DefValue == "" {
			flag.DefValue = field.Tag.Get("default")
		}
		offered := o.Complete[name]
		if enum := field.Tag.Get("enum"); enum != "" {
			offered = strings.Split(enum, ",")
		}
		if offered != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(offered, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

// Fill sets the arguments with these JSON names, in the struct that pointer points to, to a
// word each. The last one gets all remaining words, as a list or joined with spaces.
func Fill(pointer any, names, words []string) {
	arguments := reflect.ValueOf(pointer).Elem()
	for _, field := range args.Fields(arguments.Type()) {
		n, target := slices.Index(names, args.NameOf(field)), arguments.FieldByIndex(field.Index)
		switch last := n == len(names)-1; {
		case n < 0 || n >= len(words):
		case target.Kind() == reflect.Slice:
			target.Set(reflect.ValueOf(words[n:]))
		case last:
			target.SetString(strings.Join(words[n:], " "))
		default:
			target.SetString(words[n])
		}
	}
}

// usage returns the flag's line in the help: what the argument is, and its bounds.
func (v *value) usage() string {
	field := v.field
	text := field.Tag.Get("jsonschema")
	if text == "" {
		text = Usual(args.NameOf(field))
	}
	if kind := field.Type.Kind(); kind == reflect.Map || kind == reflect.Slice && v.unsplit {
		text += "; may be repeated"
	}
	if enum := field.Tag.Get("enum"); enum != "" {
		return text + " (" + strings.ReplaceAll(enum, ",", ", ") + ")"
	}
	if bounds := args.Bounds(field.Tag, " ", "from ", "above ", "to "); bounds != "" {
		text += " (" + bounds + ")"
	}
	return strings.ReplaceAll(text, "`", "'") // pflag interprets back quotes
}

// Check fails with invalid_argument for a flag of a command that was given with an empty value, or with a 0 that is out
// of bounds. An unset shell variable makes an empty one, and ignoring it could open all namespaces instead of one.
func Check(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		blank := f.Value.Type() == "string" && strings.TrimSpace(f.Value.String()) == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			blank = len(list.GetSlice()) == 0
		}
		v, isDerived := f.Value.(*value)
		if isDerived {
			blank = v.target.Kind() == reflect.String && v.target.Len() == 0
		}
		switch {
		case err != nil:
		case blank:
			err = fault.New(fault.InvalidArgument, "%s: --%s is empty; give it a value or leave it out", cmd.Name(), f.Name)
		case isDerived:
			err = args.CheckGiven(cmd.Name(), v.field, v.target)
		}
	})
	return err
}

// Maximum returns the maximum of the argument with a JSON name, 0 if it has none or if a is nil,
// and whether it is at that.
func Maximum(a any, name string) (most int, isReached bool) {
	arguments := reflect.ValueOf(a)
	if a == nil {
		return 0, false
	}
	for _, field := range args.Fields(arguments.Type()) {
		if text, ok := field.Tag.Lookup("max"); ok && args.NameOf(field) == name {
			most, _ = strconv.Atoi(text)
			return most, fmt.Sprint(arguments.FieldByIndex(field.Index).Interface()) == text
		}
	}
	return 0, false
}

// usualTexts are the descriptions of arguments that many tools take, a line each behind an empty one. At most one
// schema has each of them, because a client reads all schemas in every conversation. The help
// of every command has them, and so does docs/tools.md.
//
//go:embed usual.txt
var usualTexts string

// Usual returns the description of an argument that has none in its schema.
func Usual(name string) string {
	_, text, ok := strings.Cut(usualTexts, "\n"+name+": ")
	if !ok {
		return strings.ReplaceAll(name, "_", " ")
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}

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
