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
	walk(s, reflect.TypeFor[A](), refineArguments)
	return s
}

// ResultSchema returns the JSON schema of a result. It allows unknown fields, so that
// a later version may add some.
func ResultSchema[R any]() *jsonschema.Schema {
	s := infer[R]()
	required := s.Required
	walk(s, reflect.TypeFor[R](), func(p *jsonschema.Schema, _ reflect.Type) bool {
		p.AdditionalProperties, p.Required = nil, nil
		return true
	})
	s.Required = required
	return s
}

// OutlineSchema is ResultSchema with only the names and types of the texts, lists and
// objects that every result has. It leaves out counts, flags, optional fields and the
// contents of fields, which makes it twenty times smaller: every client loads it in every
// conversation, and agents see the rest in the first answer. No field is required,
// because clients validate error results against it too.
func OutlineSchema[R any]() *jsonschema.Schema {
	s := infer[R]()
	s.AdditionalProperties = nil
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		p := s.Properties[NameOf(f)]
		if p == nil || f.Anonymous {
			continue
		}
		walk(p, f.Type, func(*jsonschema.Schema, reflect.Type) bool { return false })
		*p = jsonschema.Schema{Type: p.Type}
		isSmall := slices.Contains([]string{"integer", "number", "boolean"}, p.Type)
		if isSmall || !slices.Contains(s.Required, NameOf(f)) {
			delete(s.Properties, NameOf(f))
		}
	}
	s.Required = nil
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

// walk removes the type null, which inference allows for every pointer and slice, from a
// schema and the schemas within it: null means left out, and a union only costs tokens. It
// calls refine for each struct, outer ones first, and visits the fields of the struct if
// refine returns true.
func walk(s *jsonschema.Schema, t reflect.Type, refine func(*jsonschema.Schema, reflect.Type) (inside bool)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	switch t.Kind() {
	case reflect.Slice:
		if s.Items != nil {
			walk(s.Items, t.Elem(), refine)
		}
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			s.AdditionalProperties = nil // anything, as when nothing is said
			return
		}
		walk(s.AdditionalProperties, t.Elem(), refine)
	case reflect.Struct:
		if !refine(s, t) {
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			if p := s.Properties[NameOf(f)]; p != nil && !f.Anonymous {
				walk(p, f.Type, refine)
			}
		}
	}
}

func refineArguments(s *jsonschema.Schema, t reflect.Type) bool {
	for _, f := range reflect.VisibleFields(t) {
		p := s.Properties[NameOf(f)]
		if p == nil || f.Anonymous {
			continue
		}
		if f.Type.Kind() == reflect.Slice && slices.Contains(s.Required, NameOf(f)) {
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
	return true
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
