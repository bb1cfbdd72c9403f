package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	infer "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"hence/internal/args"
	"hence/internal/fault"
)

// arguments checks the arguments of one tool. mcp-go would do it with the same
// library (WithInputSchemaValidation), but its refusal is a bare text without
// a code, prints Go values, and cannot be reached by a middleware.
type arguments struct {
	tool     string
	schema   json.RawMessage
	compiled *jsonschema.Schema
	known    []string        // names of the arguments, in order
	integer  map[string]bool // those that are whole numbers
	texts    map[string]bool // those that are lists of texts
}

// knownArguments are those of the process, by tool and type: a server over HTTP
// makes the tools once for each token.
var knownArguments sync.Map

func argumentsOf[A any](tool string) arguments {
	type key struct {
		tool string
		of   reflect.Type
	}
	of := key{tool, reflect.TypeFor[A]()}
	if known, ok := knownArguments.Load(of); ok {
		return known.(arguments)
	}
	made := newArguments(tool, args.Schema[A]())
	knownArguments.Store(of, made)
	return made
}

// newArguments compiles a schema of ours: a wrong one panics in the first
// test.
func newArguments(tool string, s *infer.Schema) arguments {
	a := arguments{tool: tool, known: s.PropertyOrder, integer: map[string]bool{}, texts: map[string]bool{}}
	for name, p := range s.Properties {
		a.integer[name] = p.Type == "integer"
		a.texts[name] = p.Type == "array" && p.Items.Type == "string"
	}
	must := func(err error) {
		if err != nil {
			panic(fmt.Sprintf("schema of %s: %v", tool, err))
		}
	}
	var err error
	a.schema, err = json.Marshal(s)
	must(err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.schema))
	must(err)
	compiler := jsonschema.NewCompiler()
	must(compiler.AddResource(tool, document))
	a.compiled, err = compiler.Compile(tool)
	must(err)
	return a
}

// names are those of the arguments, to look them up.
func (a arguments) names() map[string]bool {
	all := map[string]bool{}
	for _, name := range a.known {
		all[name] = true
	}
	return all
}

// decode reads raw arguments into a struct, or fails with an invalid_argument
// that names every argument that is wrong. An argument that is null is taken
// as left out.
func (a arguments) decode(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fault.New(fault.InvalidArgument, "%s: the arguments are not JSON", a.tool)
	}
	if value == nil {
		value = map[string]any{}
	}
	if given, ok := value.(map[string]any); ok {
		a.tidy(given)
	}
	var wrong *jsonschema.ValidationError
	if err := a.compiled.Validate(value); errors.As(err, &wrong) {
		said := a.violations(wrong)
		slices.Sort(said) // the validator meets arguments in any order
		return fault.New(fault.InvalidArgument, "%s: %s", a.tool, strings.Join(slices.Compact(said), "; "))
	} else if err != nil {
		return fault.Wrap(fault.InvalidArgument, err, "%s: the arguments do not fit the schema", a.tool)
	}
	tidied, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(tidied, into)
	}
	if err != nil {
		return fault.Wrap(fault.InvalidArgument, err, "%s: the arguments cannot be read", a.tool)
	}
	return nil
}

// tidy drops what is null, writes a whole number such as 10.0 as Go reads one,
// and takes a text for the list of it. The schema names the list alone: not
// every client can read a choice of types.
func (a arguments) tidy(given map[string]any) {
	for name, value := range given {
		if value == nil && slices.Contains(a.known, name) {
			delete(given, name)
		}
		if text, ok := value.(string); ok && a.texts[name] {
			given[name] = []any{text}
		}
		if n, ok := value.(json.Number); ok && a.integer[name] && strings.ContainsAny(n.String(), ".eE") {
			if f, err := n.Float64(); err == nil && f == float64(int64(f)) {
				given[name] = int64(f)
			}
		}
	}
}

// violations says what is wrong, one text for each leaf of the error.
func (a arguments) violations(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		return []string{a.violation(e)}
	}
	said := []string{}
	for _, cause := range e.Causes {
		said = append(said, a.violations(cause)...)
	}
	return said
}

func (a arguments) violation(e *jsonschema.ValidationError) string {
	where := strings.Join(e.InstanceLocation, ".")
	if where == "" {
		where = "the call"
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		if len(e.InstanceLocation) == 0 {
			return fmt.Sprintf("there is no argument %s; the arguments are %s", quoted(k.Properties), strings.Join(a.known, ", "))
		}
		return fmt.Sprintf("%s has no field %s", where, quoted(k.Properties))
	case *kind.Required:
		prefix := ""
		if len(e.InstanceLocation) > 0 {
			prefix = where + "."
		}
		verb := " is missing"
		if len(k.Missing) > 1 {
			verb = " are missing"
		}
		return prefix + strings.Join(k.Missing, " and "+prefix) + verb
	case *kind.Type:
		return fmt.Sprintf("%s is of type %s, and must be %s", where, k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		words := []string{}
		for _, w := range k.Want {
			words = append(words, fmt.Sprint(w))
		}
		return fmt.Sprintf("%s is %q, and must be one of %s", where, fmt.Sprint(k.Got), strings.Join(words, ", "))
	case *kind.Minimum:
		return fmt.Sprintf("%s must be at least %s", where, k.Want.RatString())
	case *kind.Maximum:
		return fmt.Sprintf("%s must be at most %s", where, k.Want.RatString())
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("%s must be above %s", where, k.Want.RatString())
	case *kind.MinItems:
		return fmt.Sprintf("%s is empty, and must have at least %d", where, k.Want)
	}
	return fmt.Sprintf("%s does not fit the schema (%s)", where, strings.Join(e.ErrorKind.KeywordPath(), "/"))
}

func quoted(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(q, ", ")
}
