package args

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON schema of a struct of arguments, with the bounds of the
// tags and the jsonschema tag as description. Unknown arguments are not allowed.
func Schema[A any]() *jsonschema.Schema {
	s := infer[A]()
	refine(s, reflect.TypeFor[A]())
	return s
}

// OutlineSchema returns the JSON schema of a result with only the names and types of the texts, lists and
// objects that every result has. It leaves out counts, flags, optional fields and the
// contents of fields, which makes it twenty times smaller: every client loads it in every
// conversation, and agents see the rest in the first answer. It allows unknown fields, so that
// a later version may add some. No field is required,
// because clients validate error results against it too.
func OutlineSchema[R any]() *jsonschema.Schema {
	s := infer[R]()
	for name, p := range s.Properties {
		leaveOutNull(p)
		isSmall := slices.Contains([]string{"integer", "number", "boolean"}, p.Type)
		if s.Properties[name] = (&jsonschema.Schema{Type: p.Type}); isSmall || !slices.Contains(s.Required, name) {
			delete(s.Properties, name)
		}
	}
	s.AdditionalProperties, s.Required = nil, nil
	return s
}

// infer returns the schema of a type. It panics on a type that has none, so that any test
// finds it.
func infer[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	return s
}

// leaveOutNull removes the type null, which inference allows for every pointer and slice, from a
// schema: null means left out, and a union only costs tokens.
func leaveOutNull(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
}

// refine adds the tags of arguments to their schema and to the schemas within it, and leaves out null.
func refine(s *jsonschema.Schema, t reflect.Type) {
	leaveOutNull(s)
	switch t.Kind() {
	case reflect.Pointer:
		refine(s, t.Elem())
	case reflect.Slice:
		if s.Items != nil {
			refine(s.Items, t.Elem())
		}
	case reflect.Map:
		s.AdditionalProperties = nil // anything, as when nothing is said
	case reflect.Struct:
		for _, f := range Fields(t) {
			if p := s.Properties[NameOf(f)]; p != nil {
				refineField(p, f, slices.Contains(s.Required, NameOf(f)))
				refine(p, f.Type)
			}
		}
	}
}

func refineField(p *jsonschema.Schema, f reflect.StructField, isRequired bool) {
	if f.Type.Kind() == reflect.Slice && isRequired {
		p.MinItems = jsonschema.Ptr(1)
	}
	if f.Tag.Get("one") == "true" {
		*p = jsonschema.Schema{Type: p.Items.Type, Description: p.Description}
	}
	if f.Tag.Get("outline") == "true" {
		p.Items = &jsonschema.Schema{Type: p.Items.Type}
	}
	if _, ok := f.Tag.Lookup("text"); ok {
		p.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, p.Items}}
	}
	addTags(p, f)
}

// addTags adds the default, bounds and enum of a field to its schema.
func addTags(p *jsonschema.Schema, f reflect.StructField) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if text, ok := f.Tag.Lookup("default"); ok {
		value, err := json.Marshal(parse(t, text))
		if err != nil {
			panic(err)
		}
		p.Default = value
	}
	for name, limit := range map[string]**float64{"min": &p.Minimum, "max": &p.Maximum, "above": &p.ExclusiveMinimum} {
		if value, ok := bound(f.Tag, name); ok {
			*limit = &value
		}
	}
	if text, ok := f.Tag.Lookup("enum"); ok {
		if p.Items != nil {
			p = p.Items
		}
		for word := range strings.SplitSeq(text, ",") {
			p.Enum = append(p.Enum, word)
		}
	}
}
