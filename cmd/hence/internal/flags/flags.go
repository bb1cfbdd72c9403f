// Package flags derives the flags of a command from the arguments of its tool.
// Names, bounds, defaults and help come from the tags that the tool's schema is
// made of, so a new argument of a tool is a flag at once.
package flags

import (
	_ "embed"
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

// Set is the flags of one command.
type Set struct {
	values []*value
}

// Derive adds a flag to the command for each field of the struct that pointer points to, and of those
// that it embeds. The tag word is the word for the value in the help.
// Parsing the flags fills the struct. A value that the struct already has is the default of
// its flag.
func Derive(cmd *cobra.Command, pointer any, o Options) *Set {
	s := &Set{}
	arguments := reflect.ValueOf(pointer).Elem()
	for _, field := range args.Fields(arguments.Type()) {
		name := args.NameOf(field)
		if slices.Contains(o.Omit, name) {
			continue
		}
		v := &value{field: field, target: arguments.FieldByIndex(field.Index), unsplit: slices.Contains(o.Whole, name)}
		s.values = append(s.values, v)
		flag := cmd.Flags().VarPF(v, flagName(field), "", v.usage())
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
	return s
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

func flagName(field reflect.StructField) string {
	return strings.ReplaceAll(args.NameOf(field), "_", "-")
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
	bounds := []string{}
	for _, b := range []struct{ tag, words string }{{"min", "from "}, {"above", "above "}, {"max", "to "}} {
		if bound, ok := field.Tag.Lookup(b.tag); ok {
			bounds = append(bounds, b.words+bound)
		}
	}
	if len(bounds) > 0 {
		text += " (" + strings.Join(bounds, " ") + ")"
	}
	return strings.ReplaceAll(text, "`", "'") // pflag interprets back quotes
}

// Check fails with invalid_argument for a flag whose value the tool would take for a missing
// argument: a 0 that is out of bounds, or an empty text.
func (s *Set) Check(operation string) error {
	for _, v := range s.values {
		if !v.given {
			continue
		}
		if v.target.Kind() == reflect.String && v.target.Len() == 0 {
			return fault.New(fault.InvalidArgument, "%s: --%s is empty; give it a value or leave it out", operation, flagName(v.field))
		}
		switch v.target.Kind() {
		case reflect.Int, reflect.Int64, reflect.Float64, reflect.String:
			// A pointer distinguishes a given zero from a missing value.
			argument := reflect.New(reflect.StructOf([]reflect.StructField{{
				Name: v.field.Name, Type: reflect.PointerTo(v.field.Type), Tag: v.field.Tag,
			}}))
			argument.Elem().Field(0).Set(v.target.Addr())
			if err := args.Check(operation, argument.Interface()); err != nil {
				return err
			}
		}
	}
	return nil
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

var _ pflag.Value = (*value)(nil)

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
